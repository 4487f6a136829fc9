package wire

import (
	"errors"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// address is the path and the query of a call. A path of the document may have a
// query, which goes before the parameters, and a fragment, which is nothing that
// is sent.
func address(op *spec.Operation, args map[string]any) (path, query string, err error) {
	t := template{op: op, args: args}
	text, _ := cut(op.Path, '#')
	text, fixed := cut(text, '?')
	if path, err = t.path(text); err != nil {
		return "", "", err
	}
	if fixed, err = t.query(fixed); err != nil {
		return "", "", err
	}
	query, err = queryOf(op, args, fixed)
	return path, query, err
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// cut splits a template around the first separator outside its placeholders.
func cut(template string, separator byte) (before, after string) {
	for at := 0; at < len(template); at++ {
		if template[at] == separator {
			return template[:at], template[at+1:]
		}
		if name, ok := placeholder(template[at:]); ok {
			at += len(name) + 1
		}
	}
	return template, ""
}

// placeholder is the name between the braces that text starts with. Braces that
// have no end within their segment are literal text.
func placeholder(text string) (name string, ok bool) {
	if text == "" || text[0] != '{' {
		return "", false
	}
	name, _, ok = strings.Cut(text[1:], "}")
	return name, ok && !strings.ContainsAny(name, "{/")
}

// template fills the placeholders of a path.
type template struct {
	op   *spec.Operation
	args map[string]any
}

// path fills the segments one by one, as it is they that a value may not leave.
func (t *template) path(text string) (string, error) {
	var b strings.Builder
	for more := true; more; {
		segment, rest := cut(text, '/')
		more = len(segment) < len(text)
		text = rest
		filled, used, err := t.fill(segment, &literalPath)
		if err != nil {
			return "", err
		}
		if used != nil {
			if err := checkSegment(used, filled); err != nil {
				return "", err
			}
		}
		b.WriteString(filled)
		if more {
			b.WriteByte('/')
		}
	}
	return "/" + strings.TrimPrefix(b.String(), "/"), nil
}

// query fills what a path has behind a question mark.
func (t *template) query(text string) (string, error) {
	filled, _, err := t.fill(text, &literalQuery)
	return filled, err
}

// fill puts values in place of placeholders, and tells which parameter was the
// first of them.
func (t *template) fill(text string, literal *escape) (filled string, used *spec.Parameter, err error) {
	var b strings.Builder
	start := 0
	for at := 0; at < len(text); at++ {
		name, ok := placeholder(text[at:])
		if !ok {
			continue
		}
		b.WriteString(literal.text(text[start:at]))
		at += len(name) + 1
		start = at + 1
		p, err := t.parameter(name)
		if err != nil {
			return "", nil, err
		}
		if p == nil {
			continue
		}
		if used == nil {
			used = p
		}
		value, err := expand(p, t.args[p.Arg])
		if err != nil {
			return "", nil, err
		}
		b.WriteString(value)
	}
	b.WriteString(literal.text(text[start:]))
	return b.String(), used, nil
}

// parameter is that of a placeholder: of its very name, or of its name without
// the marks that frameworks add for one that may take several segments. It is nil
// for an expansion of a query or a fragment (RFC 6570 sections 3.2.8, 3.2.9 and
// 3.2.4), which the parameters of the query stand for.
func (t *template) parameter(name string) (*spec.Parameter, error) {
	short := strings.TrimPrefix(name, "+")
	for _, mark := range []string{"*", "+", "...", "…"} {
		short = strings.TrimSuffix(short, mark)
	}
	for _, name := range []string{name, short} {
		for p := range parameters(t.op, spec.InPath) {
			if p.Name == name {
				return p, nil
			}
		}
	}
	if name != "" && isOneOf(name[0], "?&#") {
		return nil, nil
	}
	return nil, tool.Errorf(tool.Internal, "the address of this tool is not complete").
		Because(errors.New("no parameter fills {" + name + "} in " + t.op.Path))
}

// expand writes the value of a path parameter (Style Examples; RFC 6570
// sections 3.2.2, 3.2.5 and 3.2.7).
func expand(p *spec.Parameter, arg any) (string, error) {
	if arg == nil {
		return "", wrong(p, "is missing, and the address of the request needs it").WithHint("Send it.")
	}
	text, err := expanded(p, arg)
	if err != nil {
		return "", named(p.Arg, err)
	}
	if text == "" {
		return "", wrong(p, "is empty, and the address of the request needs a value").WithHint("Send the identifier of what you want.")
	}
	return text, nil
}

// expanded is the text of a value in a path; empty where it has none.
func expanded(p *spec.Parameter, arg any) (string, error) {
	if p.Media != "" {
		text, _, err := content(p.Media, arg)
		return strict.text(text), err
	}
	v, err := valueOf(arg, p.Order)
	if err != nil || v.kind == absent {
		return "", err
	}
	x := expansion{name: strict.text(p.Name), values: strict}
	if p.AllowReserved {
		x.values = reservedPath
	}
	switch p.Style {
	case spec.StyleMatrix:
		return x.matrix(&v, p.Explode), nil
	case spec.StyleLabel:
		delimiter := ","
		if p.Explode {
			delimiter = "."
		}
		return "." + x.joined(&v, p.Explode, delimiter), nil
	}
	return x.joined(&v, p.Explode, ","), nil
}

// expansion writes values in a path.
type expansion struct {
	name   string // encoded
	values escape
}

// joined writes a value as one text. Exploded members have an equals sign.
func (x *expansion) joined(v *value, explode bool, delimiter string) string {
	var parts []string
	switch v.kind {
	case primitive:
		return x.values.text(v.text)
	case object:
		for _, m := range v.members {
			name, text := strict.text(m.name), x.values.text(m.text)
			if explode {
				parts = append(parts, name+"="+text)
			} else {
				parts = append(parts, name, text)
			}
		}
	default:
		for _, item := range v.items {
			parts = append(parts, x.values.text(item))
		}
	}
	return strings.Join(parts, delimiter)
}

// matrix writes a value as ;name=value. An empty one has no equals sign (RFC 6570
// section 3.2.7).
func (x *expansion) matrix(v *value, explode bool) string {
	if !explode || v.kind == primitive {
		return matrixPair(x.name, x.joined(v, false, ","))
	}
	var b strings.Builder
	for _, item := range v.items {
		b.WriteString(matrixPair(x.name, x.values.text(item)))
	}
	for _, m := range v.members {
		b.WriteString(matrixPair(strict.text(m.name), x.values.text(m.text)))
	}
	return b.String()
}

func matrixPair(name, text string) string {
	if text == "" {
		return ";" + name
	}
	return ";" + name + "=" + text
}

// checkSegment refuses a filled segment that names another place: . and .. do,
// encoded too (RFC 3986 section 5.2.4), also before the parameters that some
// servers cut off at a semicolon, and so does an empty one for most servers.
func checkSegment(p *spec.Parameter, segment string) error {
	for part := range strings.SplitSeq(segment, "/") {
		before, _, _ := strings.Cut(part, ";")
		if plain, err := url.PathUnescape(before); err == nil {
			before = plain
		}
		if part == "" || before == "." || before == ".." {
			return wrong(p, "makes %q of a part of the address, which would stand for another place", part).
				WithHint("Send the identifier of what you want; it cannot be empty, . or .. there.")
		}
	}
	return nil
}
