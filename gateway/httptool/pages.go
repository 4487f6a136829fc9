package httptool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// pages is how further pages are fetched.
type pages struct {
	next, items *expression.Program
	path        []string // of items through the body, where it is nothing else; nil otherwise
	most        int
}

// pagesOf compiles the block; nil stands for none.
func (c *compiler) pagesOf(at diag.Cursor, cfg *Pages) *pages {
	if cfg == nil {
		return nil
	}
	p := &pages{most: cfg.Most}
	switch {
	case p.most == 0:
		p.most = DefaultPages
	case p.most < 0, p.most > MaxPages:
		c.wrong(at.Key("most"), "write one of these", "the number of pages must be between 1 and %d", MaxPages)
	}
	p.next = c.needed(at.Key("next"), cfg.Next, expression.WantAny, "such as body.next, the address of the next page, or null behind the last one")
	p.items = c.needed(at.Key("items"), cfg.Items, expression.WantAny, "such as body.items, the list in one page")
	p.path = bodyPath(cfg.Items)
	return p
}

// needed compiles an expression that has to be there.
func (c *compiler) needed(at diag.Cursor, source string, want expression.Want, hint string) *expression.Program {
	if source == "" {
		c.wrong(at, "write an expression "+hint, "this is needed")
	}
	return c.program(at, source, want)
}

func (p *pages) programs() []reader {
	if p == nil || p.next == nil || p.items == nil {
		return nil
	}
	return []reader{p.next, p.items}
}

// walk is one call's way through its pages.
type walk struct {
	*runner
	in    tool.Input
	req   *http.Request     // the first one
	seen  map[string]bool   // addresses that were asked
	items []json.RawMessage // of all pages so far
	bytes int64             // of all pages so far
	last  *answer           // the newest page
}

// turn fetches the pages behind the first one and joins them.
func (r *runner) turn(ctx context.Context, req *http.Request, in tool.Input, first *answer) (tool.Output, error) {
	w := walk{runner: r, in: in, req: req, seen: map[string]bool{req.URL.RequestURI(): true}, last: first}
	for count := 1; ; count++ {
		if err := w.take(); err != nil {
			return tool.Output{}, err
		}
		tool.Progress(ctx, tool.Step{Done: float64(count), Message: w.told(count)})
		next, err := w.next()
		if err != nil {
			return tool.Output{}, err
		}
		if next == nil || count == r.pages.most {
			return w.whole(count, next != nil)
		}
		if err := w.fetch(ctx, next); err != nil {
			return tool.Output{}, err
		}
	}
}

// told says how far the walk has come.
func (w *walk) told(count int) string {
	return fmt.Sprintf("%s with %s read", plural(count, "page"), plural(len(w.items), "item"))
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// take adds the items of the newest page.
func (w *walk) take() error {
	a := w.last
	if err := a.broken(); err != nil {
		return err
	}
	w.bytes += int64(len(a.body))
	if items, ok := rawItems(a, w.pages.path); ok {
		w.items = append(w.items, items...)
		return nil
	}
	value, err := w.pages.items.Eval(a.vars)
	if err != nil {
		return unexpected("pages.items", err)
	}
	if value == nil {
		return nil
	}
	data, err := tool.EncodeJSON(value)
	if err != nil {
		return unexpected("pages.items", err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return unexpected("pages.items", fmt.Errorf("its value is not a list: %w", err))
	}
	w.items = append(w.items, items...)
	return nil
}

// next is the address behind the newest page, nil where there is none.
func (w *walk) next() (*url.URL, error) {
	value, err := w.pages.next.Eval(w.last.vars)
	if err != nil {
		return nil, unexpected("pages.next", err)
	}
	switch value := value.(type) {
	case nil:
		return nil, nil
	case bool:
		if !value {
			return nil, nil
		}
	case string:
		if value == "" {
			return nil, nil
		}
		return nextAddress(w.last.address, w.req.URL, value)
	}
	return nil, unexpected("pages.next", fmt.Errorf("its value is neither an address nor null"))
}

// fetch asks for a page: the same request at another address.
func (w *walk) fetch(ctx context.Context, address *url.URL) error {
	place := address.RequestURI()
	if w.seen[place] {
		return tool.Errorf(tool.UpstreamError, "the upstream's pages go in a circle: one of them leads to one that was read before").
			WithHint(notYours)
	}
	w.seen[place] = true
	req := w.req.Clone(ctx)
	req.URL = address
	if w.req.GetBody != nil {
		body, err := w.req.GetBody()
		if err != nil {
			return tool.Errorf(tool.Internal, "the request for a page could not be made").Because(err)
		}
		req.Body = body
	}
	page, err := w.ask(ctx, req, w.in, w.in.Spec.MaxOutput-w.bytes, !w.in.Spec.ReadOnly())
	w.last = page
	return err
}

// whole gives what all pages make together, and says when there are more.
func (w *walk) whole(count int, more bool) (tool.Output, error) {
	out, err := w.joined()
	if err == nil && more {
		note := fmt.Sprintf("[%s; there are more]", w.told(count))
		out.Content = append(out.Content, tool.Content{Type: tool.ContentText, Text: note})
	}
	return out, err
}

func (w *walk) joined() (tool.Output, error) {
	list := joinList(w.items)
	if w.result == nil {
		return tool.RenderJSON(list, w.output)
	}
	a := *w.last
	a.body, a.json = list, true
	return w.value(w.vars(&a, w.in.Args))
}

func joinList(items []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(item)
	}
	b.WriteByte(']')
	return b.Bytes()
}
