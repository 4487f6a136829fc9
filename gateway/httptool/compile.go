package httptool

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

// methods are those a tool may use: the ones of RFC 9110 section 9 and RFC
// 5789 that carry a request to a resource.
var methods = []string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut,
}

// ownHeaders are set by the gateway alone: they say how a message is framed
// and sent on, and a wrong one splits requests or ends connections.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// field is one named member of a query or a header; several texts, or a list
// in one, repeat it.
type field struct {
	name  string
	texts []*expression.Template
}

// compiler compiles the parts of one block and remembers whether one of them
// was wrong.
type compiler struct {
	env    *expression.Env
	failed bool
}

func (c *compiler) wrong(at diag.Cursor, hint, format string, args ...any) {
	c.failed = true
	at.Hintf(hint, format, args...)
}

func (c *compiler) template(at diag.Cursor, text string) *expression.Template {
	t := expression.ParseTemplate(at, text, c.env)
	c.failed = c.failed || t == nil
	return t
}

// program compiles an expression; nil stands for one that is not there.
func (c *compiler) program(at diag.Cursor, source string, want expression.Want) *expression.Program {
	if source == "" {
		return nil
	}
	p := expression.Compile(at, source, c.env, want)
	c.failed = c.failed || p == nil
	return p
}

func (c *compiler) method(at diag.Cursor, name string) string {
	if name == "" {
		return http.MethodGet
	}
	if !slices.Contains(methods, name) {
		hint := diag.DidYouMean(name, methods)
		if hint == "" {
			hint = "known: " + strings.Join(methods, ", ")
		}
		c.wrong(at, hint, "unknown method %q", name)
	}
	return name
}

func (c *compiler) headers(at diag.Cursor, headers map[string]expression.Texts) []field {
	for name, texts := range headers {
		own := http.CanonicalHeaderKey(name)
		switch {
		case !isToken(name):
			c.wrong(at.Key(name), "letters, digits and hyphens", "%q cannot be the name of a header", name)
		case slices.Contains(ownHeaders, own):
			c.wrong(at.Key(name), "", "the header %s is set by the gateway alone", own)
		}
		for i, text := range texts {
			if !strings.Contains(text, "${") && !isHeaderValue(text) {
				c.wrong(item(at.Key(name), i), "", "the value of a header cannot hold line breaks or control characters")
			}
		}
	}
	return c.fields(at, headers)
}

// fields compiles members in the order of their names, so that the same
// arguments always make the same request.
func (c *compiler) fields(at diag.Cursor, members map[string]expression.Texts) []field {
	fields := make([]field, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f := field{name: name}
		if name == "" || strings.Contains(name, "${") {
			c.wrong(at.Key(name), "only the value is a template", "a name must be literal text and not empty")
		}
		for i, text := range members[name] {
			f.texts = append(f.texts, c.template(item(at.Key(name), i), text))
		}
		fields = append(fields, f)
	}
	return fields
}

func (c *compiler) body(at diag.Cursor, body *Body) *expression.Document {
	if body == nil {
		return nil
	}
	at = at.Key("json")
	if !json.Valid(body.JSON) {
		c.wrong(at, "write json: with the value to send", "the body has no content")
		return nil
	}
	d := expression.ParseDocument(at, body.JSON, c.env)
	c.failed = c.failed || d == nil
	return d
}

// item is the place of one text, which may stand alone instead of in a list.
func item(at diag.Cursor, i int) diag.Cursor {
	if c := at.Index(i); c.Present() {
		return c
	}
	return at
}

// isToken reports whether name can name a header (RFC 9110 section 5.6.2).
func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		alphanumeric := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// isHeaderValue reports whether text can be the value of a header (RFC 9110
// section 5.5).
func isHeaderValue(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}
