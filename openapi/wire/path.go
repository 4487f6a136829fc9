package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// address is the path and the query of a call. A path of the document may have a
// query, which goes before the parameters, and a fragment, which is nothing that
// is sent.
func address(op *spec.Operation, args map[string]any) (path, query string, err error) {
	pieces, err := spec.TakeApart(op.Path)
	if err != nil {
		return "", "", incomplete(op, err)
	}
	t := template{op: op, args: args}
	for p := range parameters(op, spec.InPath) {
		t.parameters, t.names = append(t.parameters, p), append(t.names, p.Name)
	}
	if path, err = t.path(pieces.Path); err != nil {
		return "", "", err
	}
	fixed, err := t.query(pieces.Query)
	if err != nil {
		return "", "", err
	}
	query, err = queryOf(op, args, fixed)
	return path, query, err
}

// incomplete is the error of an address that cannot be made, whatever is sent.
func incomplete(op *spec.Operation, err error) *tool.Error {
	return tool.Errorf(tool.Internal, "the address of this tool is not complete").Because(fmt.Errorf("%s: %w", op.Path, err))
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// template fills the placeholders of a path.
type template struct {
	op         *spec.Operation
	args       map[string]any
	parameters []*spec.Parameter // those of the path
	names      []string          // theirs
}

// path fills the segments one by one, as it is they that a value may not leave.
func (t *template) path(pieces []spec.Piece) (string, error) {
	s := segments{}
	for _, piece := range pieces {
		if !piece.Hole {
			for i, text := range strings.Split(piece.Text, "/") {
				if i > 0 {
					if err := s.end(); err != nil {
						return "", err
					}
					s.done.WriteByte('/')
				}
				s.segment += literalPath.text(text)
			}
			continue
		}
		p, value, err := t.fill(piece)
		if err != nil {
			return "", err
		}
		if s.used == nil {
			s.used = p
		}
		s.segment += value
	}
	err := s.end()
	return "/" + strings.TrimPrefix(s.done.String(), "/"), err
}

// segments puts a path together.
type segments struct {
	done    strings.Builder
	segment string          // the one that is being filled
	used    *spec.Parameter // the first that fills it; nil for none
}

func (s *segments) end() error {
	if s.used != nil {
		if err := checkSegment(s.used, s.segment); err != nil {
			return err
		}
	}
	s.done.WriteString(s.segment)
	s.segment, s.used = "", nil
	return nil
}

// query fills what a path has behind a question mark.
func (t *template) query(pieces []spec.Piece) (string, error) {
	var b strings.Builder
	for _, piece := range pieces {
		if !piece.Hole {
			b.WriteString(literalQuery.text(piece.Text))
			continue
		}
		_, value, err := t.fill(piece)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// fill is the value in place of a placeholder, and its parameter. An expansion of a
// query or a fragment has none, and is left out.
func (t *template) fill(piece spec.Piece) (*spec.Parameter, string, error) {
	i := piece.Parameter(t.names)
	switch {
	case i >= 0:
		p := styled(t.parameters[i], piece)
		value, err := expand(p, t.args[p.Arg])
		return p, value, err
	case piece.IsExpansion():
		return nil, "", nil
	}
	return nil, "", incomplete(t.op, errors.New("no parameter fills {"+piece.Text+"}"))
}

// styled is a parameter in the style that the mark of its placeholder is of (RFC
// 6570 sections 3.2.5 and 3.2.7), where the document names no other.
func styled(p *spec.Parameter, piece spec.Piece) *spec.Parameter {
	if p.Style != spec.StyleSimple || piece.Text == p.Name {
		return p
	}
	other := *p
	switch piece.Text[0] {
	case '.':
		other.Style = spec.StyleLabel
	case ';':
		other.Style = spec.StyleMatrix
	}
	return &other
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

// checkSegment refuses a filled segment that is . or .., which clients and servers
// resolve however it is written (RFC 3986 sections 5.2.4 and 6.2.2.3), with parameters
// behind it too. An empty one names another place for most servers. What a value has
// of slashes stays within its segment, encoded.
func checkSegment(p *spec.Parameter, segment string) error {
	name, _, _ := strings.Cut(spec.Unescaped(segment), ";")
	if segment != "" && name != "." && name != ".." {
		return nil
	}
	return wrong(p, "makes %q of a part of the address, which would stand for another place", segment).
		WithHint("Send the identifier of what you want; it cannot be empty, . or .. there.")
}
