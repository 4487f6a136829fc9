package httptool

import (
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
	name  string // of a header, in canonical form
	texts []*expression.Template
	fixed []string // the values where no text has a ${…}; nil where one has
}

// compiler compiles the parts of one block and remembers whether one of them
// was wrong.
type compiler struct {
	env       *expression.Env
	elsewhere *elsewhere // a variable that env lacks on purpose; nil for none
	loose     bool       // keys of credentials may be absent from the configuration
	failed    bool
}

func (c *compiler) wrong(at diag.Cursor, hint, format string, args ...any) {
	c.failed = true
	at.Hintf(hint, format, args...)
}

func (c *compiler) template(at diag.Cursor, text string) *expression.Template {
	if !c.knows(at, text) {
		return nil
	}
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

// toolHeaders compiles the headers of a tool.
func (c *compiler) toolHeaders(at diag.Cursor, cfg Config) []field {
	if cfg.Body != nil && cfg.Body.Multipart != nil {
		for name := range cfg.Headers {
			if http.CanonicalHeaderKey(name) == contentType {
				c.wrong(at.Key(name), "leave it out", "the gateway sets the Content-Type of a multipart body, which names what divides its parts")
			}
		}
	}
	return c.headers(at, cfg.Headers)
}

func (c *compiler) headers(at diag.Cursor, headers map[string]expression.Texts) []field {
	for name, texts := range headers {
		own := http.CanonicalHeaderKey(name)
		switch {
		case strings.Contains(name, "${"): // told by fields
		case !isToken(name):
			c.wrong(at.Key(name), "write letters, digits and hyphens only", "%q cannot be the name of a header", name)
		case slices.Contains(ownHeaders, own):
			c.wrong(at.Key(name), "leave it out", "the header %s is set by the gateway alone", own)
		}
		for i, text := range texts {
			if !strings.Contains(text, "${") && !isHeaderValue(text) {
				c.wrong(item(at.Key(name), i), "", "the value of a header cannot hold line breaks or control characters")
			}
		}
	}
	fields := c.fields(at, headers)
	for i := range fields {
		fields[i].name = http.CanonicalHeaderKey(fields[i].name)
	}
	return fields
}

// fields compiles members in the order of their names, so that the same
// arguments always make the same request.
func (c *compiler) fields(at diag.Cursor, members map[string]expression.Texts) []field {
	fields := make([]field, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f := field{name: name}
		if name == "" || strings.Contains(name, "${") {
			c.wrong(at.Key(name), "write a fixed name; only the value is a template", "a name must be literal text and not empty")
		}
		for i, text := range members[name] {
			f.texts = append(f.texts, c.template(item(at.Key(name), i), text))
		}
		f.fixed = literals(f.texts)
		fields = append(fields, f)
	}
	return fields
}

// literals are the texts of templates without ${…}, nil where one is another.
func literals(templates []*expression.Template) []string {
	texts := make([]string, len(templates))
	for i, t := range templates {
		if t == nil {
			return nil
		}
		text, ok := t.Literal()
		if !ok {
			return nil
		}
		texts[i] = text
	}
	return texts
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
