package httptool

import (
	"bytes"
	"crypto/rand"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

const partKinds = "write one of text and base64"

// part is one compiled part of a multipart body.
type part struct {
	name     string
	text     []*expression.Template // several texts, or a list in one, repeat the part
	base64   *expression.Template   // nil for a part of text
	filename *expression.Template   // nil for none
	media    string                 // empty for none
}

// rendered is a part as it is sent.
type rendered struct {
	header textproto.MIMEHeader
	data   []byte
}

func (c *compiler) multipartBody(at diag.Cursor, cfg []Part) *body {
	if len(cfg) == 0 {
		c.wrong(at, "write at least one part, such as {name: file, base64: \"${args.file}\"}", "the body has no parts")
	}
	parts := make([]part, len(cfg))
	for i, p := range cfg {
		parts[i] = c.part(at.Index(i), p)
	}
	return &body{render: func(vars *expression.Vars) ([]byte, string, error) {
		return renderParts(parts, vars)
	}}
}

func (c *compiler) part(at diag.Cursor, cfg Part) part {
	p := part{name: cfg.Name, media: cfg.Type}
	if cfg.Name == "" || strings.Contains(cfg.Name, "${") {
		c.wrong(at.Key("name"), "write a fixed name; only the value is a template", "a name must be literal text and not empty")
	}
	switch {
	case cfg.Text == nil && cfg.Base64 == nil:
		c.wrong(at, partKinds, "the part has no content")
	case cfg.Text != nil && cfg.Base64 != nil:
		c.wrong(at.Key("base64"), partKinds, "the part is written as text already")
	case cfg.Base64 != nil:
		p.base64 = c.base64Template(at.Key("base64"), *cfg.Base64)
		if p.media == "" {
			p.media = mediaBinary
		}
	}
	for i, text := range cfg.Text {
		p.text = append(p.text, c.template(item(at.Key("text"), i), text))
	}
	if cfg.Filename != "" {
		p.filename = c.template(at.Key("filename"), cfg.Filename)
	}
	if cfg.Type != "" && !isMedia(cfg.Type) {
		c.wrong(at.Key("type"), "write one such as image/png, without ${…}", "%q is not a media type", cfg.Type)
	}
	return p
}

// isMedia reports whether text is a media type with its parameters (RFC 9110
// section 8.3.1).
func isMedia(text string) bool {
	media, _, err := mime.ParseMediaType(text)
	kind, sub, found := strings.Cut(media, "/")
	return err == nil && found && isToken(kind) && isToken(sub) && isHeaderValue(text)
}

// render gives the part as often as it is sent.
func (p *part) render(vars *expression.Vars) ([]rendered, error) {
	var contents [][]byte
	if p.base64 != nil {
		data, present, err := decoded(p.base64, vars)
		if err != nil {
			return nil, err
		}
		if present {
			contents = append(contents, data)
		}
	}
	for _, t := range p.text {
		texts, err := t.List(vars)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			contents = append(contents, []byte(text))
		}
	}
	if len(contents) == 0 {
		return nil, nil
	}
	header, err := p.header(vars)
	if err != nil {
		return nil, err
	}
	out := make([]rendered, len(contents))
	for i, data := range contents {
		out[i] = rendered{header, data}
	}
	return out, nil
}

// header is what stands before the content of a part (RFC 7578 section 4).
func (p *part) header(vars *expression.Vars) (textproto.MIMEHeader, error) {
	disposition := `form-data; name="` + quoted(p.name) + `"`
	if p.filename != nil {
		name, present, err := p.filename.Text(vars)
		if err != nil {
			return nil, err
		}
		if present {
			disposition += `; filename="` + quoted(name) + `"`
		}
	}
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if p.media != "" {
		header["Content-Type"] = []string{p.media}
	}
	return header, nil
}

// quoted writes a name between quotes as browsers do (WHATWG HTML, multipart
// form data; RFC 7578 section 4.2 allows it): UTF-8 as it is, and percent
// signs for what would end the quotes or the line. The other control characters
// go the same way, for there are servers that take them for an end too.
func quoted(name string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c < ' ' || c == '"' || c == 0x7f {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func renderParts(parts []part, vars *expression.Vars) (data []byte, media string, err error) {
	var all []rendered
	size := 0
	for i := range parts {
		some, err := parts[i].render(vars)
		if err != nil {
			return nil, "", err
		}
		for _, r := range some {
			size += len(r.data)
		}
		if err := checkSize(size); err != nil {
			return nil, "", err
		}
		all = append(all, some...)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary(all)); err != nil {
		return nil, "", err
	}
	for _, r := range all {
		to, err := w.CreatePart(r.header)
		if err != nil {
			return nil, "", err
		}
		if _, err := to.Write(r.data); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}

// boundary makes up a line that no part holds (RFC 2046 section 5.1.1).
func boundary(parts []rendered) string {
	for {
		line := rand.Text()
		if !contains(parts, []byte(line)) {
			return line
		}
	}
}

func contains(parts []rendered, line []byte) bool {
	for _, p := range parts {
		if bytes.Contains(p.data, line) {
			return true
		}
	}
	return false
}
