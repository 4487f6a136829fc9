package httptool

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxRequestBody = 32 << 20 // bytes

	mediaJSON   = "application/json"
	mediaForm   = "application/x-www-form-urlencoded"
	mediaText   = "text/plain; charset=utf-8"
	mediaBinary = "application/octet-stream"

	bodyKinds = "write one of json, form, multipart, text and base64"
)

// body makes the body of a request. The media type it names is replaced by a
// Content-Type of the tool; one of the upstream goes before that of JSON only,
// which has many names.
type body struct {
	isJSON bool
	// render gives the bytes and what they are; nil bytes are no body at all.
	render func(vars *expression.Vars) (data []byte, media string, err error)
}

// body compiles the block; nil stands for none.
func (c *compiler) body(at diag.Cursor, cfg Config) *body {
	b := cfg.Body
	if b == nil {
		return nil
	}
	kinds := b.kinds()
	switch {
	case len(kinds) == 0:
		c.wrong(at, bodyKinds, "the body has no content")
		return nil
	case len(kinds) > 1:
		c.wrong(at.Key(kinds[1]), bodyKinds, "the body is written as %s already", kinds[0])
	}
	if cfg.Method == "" || cfg.Method == "GET" || cfg.Method == "HEAD" {
		at.As(diag.BodyOfGet).Warnf("write method: POST, or what is asked for under query", "many servers do not look at the body of a GET or HEAD")
	}
	at = at.Key(kinds[0])
	switch kinds[0] {
	case "json":
		return c.jsonBody(at, b.JSON)
	case "form":
		return c.formBody(at, b.Form)
	case "multipart":
		return c.multipartBody(at, b.Multipart)
	case "text":
		return c.textBody(at, *b.Text)
	}
	return c.base64Body(at, *b.Base64)
}

// kinds are the keys of the members that are set.
func (b *Body) kinds() []string {
	var kinds []string
	for _, member := range []struct {
		name string
		set  bool
	}{
		{"json", b.JSON != nil},
		{"form", b.Form != nil},
		{"multipart", b.Multipart != nil},
		{"text", b.Text != nil},
		{"base64", b.Base64 != nil},
	} {
		if member.set {
			kinds = append(kinds, member.name)
		}
	}
	return kinds
}

func (c *compiler) jsonBody(at diag.Cursor, raw json.RawMessage) *body {
	if !json.Valid(raw) {
		c.wrong(at, "write json: with the value to send", "the body has no content")
		return nil
	}
	if string(raw) == `"args"` {
		c.wrong(at, "write ${args}", "args would be sent as it stands, because this key is a template")
	}
	d := expression.ParseDocument(at, raw, c.env)
	c.failed = c.failed || d == nil
	return &body{isJSON: true, render: func(vars *expression.Vars) ([]byte, string, error) {
		data, err := d.Render(vars)
		return data, mediaJSON, err
	}}
}

// formBody is written as HTML forms are (WHATWG URL, section 5.2), but for
// spaces, which read the same as %20.
func (c *compiler) formBody(at diag.Cursor, members map[string]expression.Texts) *body {
	fields := c.fields(at, members)
	return &body{render: func(vars *expression.Vars) ([]byte, string, error) {
		text, err := pairs(fields, vars)
		return []byte(text), mediaForm, err
	}}
}

func (c *compiler) textBody(at diag.Cursor, text string) *body {
	t := c.template(at, text)
	return &body{render: func(vars *expression.Vars) ([]byte, string, error) {
		text, present, err := t.Text(vars)
		if err != nil || !present {
			return nil, "", err
		}
		return []byte(text), mediaText, nil
	}}
}

func (c *compiler) base64Body(at diag.Cursor, text string) *body {
	t := c.base64Template(at, text)
	return &body{render: func(vars *expression.Vars) ([]byte, string, error) {
		data, present, err := decoded(t, vars)
		if err != nil || !present {
			return nil, "", err
		}
		return data, mediaBinary, nil
	}}
}

// base64Template compiles a template whose text is base64, and checks one that
// is literal at once.
func (c *compiler) base64Template(at diag.Cursor, text string) *expression.Template {
	t := c.template(at, text)
	if t == nil {
		return nil
	}
	if literal, ok := t.Literal(); ok {
		if _, err := decodeBase64(literal); err != nil {
			c.wrong(at, "write what the file holds as base64, or ${…} for it", "this is not base64")
		}
	}
	return t
}

// decoded is the bytes that a template's base64 stands for; none are present
// where its value is absent.
func decoded(t *expression.Template, vars *expression.Vars) (data []byte, present bool, err error) {
	text, present, err := t.Text(vars)
	if err != nil || !present {
		return nil, false, err
	}
	data, err = decodeBase64(text)
	if err != nil {
		return nil, false, tool.Errorf(tool.InvalidArgs, "what is to be sent as bytes is not base64").Because(err).
			WithHint("Send the bytes in base64 (RFC 4648): letters, digits, + and /, no prefix such as data:.")
	}
	return data, true, nil
}

// decodeBase64 takes the standard and the URL alphabet (RFC 4648 sections 4 and
// 5), with or without padding, on any number of lines. The bytes are never nil.
func decodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, " \t\r\n") {
		text = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(text)
	}
	coding := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		coding = base64.URLEncoding
	}
	if !strings.HasSuffix(text, "=") {
		coding = coding.WithPadding(base64.NoPadding)
	}
	return coding.Strict().DecodeString(text)
}

// checkSize holds the body of a request to its limit.
func checkSize(size int) error {
	if size <= maxRequestBody {
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "the request would send more than the %d MiB that the gateway sends at once", maxRequestBody>>20).
		WithHint("Send less, or in several calls.")
}
