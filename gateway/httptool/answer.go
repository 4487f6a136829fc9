package httptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxExcerpt   = 2000     // bytes of a failed answer that a message repeats
	maxFailure   = 8 << 10  // bytes looked at of a failed answer
	maxExplained = 1 << 20  // bytes looked at of one that an expression is to explain
	maxAhead     = 64 << 10 // bytes of memory taken for an answer on its own word
)

// byteOrderMark may stand before JSON text and is not part of it (RFC 8259
// section 8.1).
var byteOrderMark = []byte("\xEF\xBB\xBF")

// answer is what the upstream answered.
type answer struct {
	status  int
	header  http.Header
	address *url.URL // what gave it
	media   string   // type/subtype in lower case, empty when not told
	body    []byte
	json    bool             // body is valid JSON and was said to be JSON
	lenient bool             // a text that was said to be JSON and is not is text
	vars    *expression.Vars // what expressions see of it; nil where there are none
}

// readAnswer reads an answer whole. It stops at what is left of the cap, which
// counts the body as it is after decompression.
func readAnswer(ctx context.Context, resp *http.Response, most, left int64) (*answer, error) {
	head := resp.Request != nil && resp.Request.Method == http.MethodHead
	if resp.ContentLength > left && !head {
		return nil, tooLarge(most)
	}
	body, err := readAll(resp, left)
	switch {
	case err != nil:
		return nil, unreached(ctx, err)
	case int64(len(body)) > left:
		return nil, tooLarge(most)
	}
	a := newAnswer(resp, body)
	if int64(len(a.body)) > left { // it grew when it was made UTF-8
		return nil, tooLarge(most)
	}
	return a, nil
}

// readAll reads one byte more than may be used, which tells cut from whole.
func readAll(resp *http.Response, most int64) ([]byte, error) {
	var b bytes.Buffer
	if known := resp.ContentLength; known > 0 && known <= min(most, maxAhead) {
		b.Grow(int(known) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(resp.Body, most+1))
	return b.Bytes(), err
}

// readFailure reads the start of an answer that failed. What keeps the rest
// from coming does not matter, unless the call itself is over. Where it is cut,
// what may be a piece of a secret is left out.
func readFailure(ctx context.Context, resp *http.Response, most int64, m *secret.Masker) (*answer, error) {
	most += int64(m.Reach())
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil && ctx.Err() != nil {
		return nil, tool.Ended(ctx)
	}
	if int64(len(body)) <= most {
		return newAnswer(resp, body), nil
	}
	a := newAnswer(resp, body[:most])
	a.body, a.json = []byte(m.Head(string(a.body))), false
	return a, nil
}

func newAnswer(resp *http.Response, body []byte) *answer {
	a := &answer{status: resp.StatusCode, header: resp.Header, body: body}
	if media, params, err := mime.ParseMediaType(resp.Header.Get(contentType)); err == nil {
		a.media = media
		if charset := params["charset"]; charset != "" && a.isWritten() {
			a.body = toUTF8(body, charset)
		}
	}
	if a.claimsJSON() {
		plain := bytes.TrimSpace(bytes.TrimPrefix(a.body, byteOrderMark))
		if json.Valid(plain) && tool.IsText(plain) {
			a.body, a.json = plain, true
		}
	}
	return a
}

// claimsJSON reports whether the media type is JSON's (RFC 8259, RFC 6839).
func (a *answer) claimsJSON() bool {
	return a.media == "application/json" || a.media == "text/json" || strings.HasSuffix(a.media, "+json")
}

// headers are the header fields as expressions see them: names in lower case,
// several values of one name joined by commas.
func (a *answer) headers() map[string]any {
	out := make(map[string]any, len(a.header))
	for name, values := range a.header {
		out[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return out
}

// value is the body as expressions see it: JSON, else text, else nothing.
func (a *answer) value() any {
	if a.json {
		var v any
		d := json.NewDecoder(bytes.NewReader(a.body))
		d.UseNumber()
		if d.Decode(&v) == nil {
			return v
		}
	}
	if len(a.body) == 0 || !tool.IsText(a.body) {
		return nil
	}
	return string(a.body)
}

// broken is the failure of an answer that is not the JSON it claims to be.
func (a *answer) broken() error {
	switch {
	case !a.claimsJSON() || a.json || len(a.body) == 0:
		return nil
	case a.lenient && tool.IsText(a.body):
		return nil
	case a.encoding() != "":
		return a.unreadable()
	}
	return tool.Errorf(tool.UpstreamError, "the upstream answered with %s that is not valid JSON", a.media).WithHint(notYours)
}

// render shows a success that has no result expression.
func (a *answer) render(mode tool.OutputMode) (tool.Output, error) {
	switch err := a.broken(); {
	case err != nil:
		return tool.Output{}, err
	case len(a.body) == 0:
		return tool.Output{}, nil
	case a.json:
		return tool.RenderJSON(a.body, mode)
	case a.encoding() != "" && !tool.IsText(a.body):
		return tool.Output{}, a.unreadable()
	}
	return tool.RenderBytes(a.body, a.media, mode)
}

func (a *answer) unreadable() error {
	return tool.Errorf(tool.UpstreamError, "the upstream answered with %d bytes of %s, which cannot be read", len(a.body), a.kind()).WithHint(notYours)
}

// encoding is the content coding that was not undone, because nobody asked for
// it; empty for none.
func (a *answer) encoding() string {
	if coding := a.header.Get("Content-Encoding"); !strings.EqualFold(coding, "identity") {
		return coding
	}
	return ""
}

func (a *answer) kind() string {
	kind := cmp.Or(a.media, "an unnamed type")
	if encoding := a.encoding(); encoding != "" {
		return fmt.Sprintf("%s in the encoding %q", kind, encoding)
	}
	return kind
}

// excerpt is the start of the body without secrets. They are taken out before
// it is cut: nobody knows the piece of one that a cut leaves.
func (a *answer) excerpt(m *secret.Masker) string {
	var start string
	if most := maxFailure + m.Reach(); len(a.body) > most {
		start = m.Head(string(a.body[:most]))
	} else {
		start = m.Text(string(a.body))
	}
	// The cut may have gone through a character.
	text := strings.ToValidUTF8(start, "")
	if len(start)-len(text) > 3 || strings.IndexByte(text, 0) >= 0 {
		return fmt.Sprintf("%d bytes of %s", len(a.body), a.kind())
	}
	return tool.Excerpt([]byte(text), maxExcerpt)
}
