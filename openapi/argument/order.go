package argument

import (
	"bytes"

	"github.com/toolgate/toolgate/openapi/spec"
)

// order lists the properties of a parameter that is an object, so that they are
// sent in the order in which the document has them.
func (b *Builder) order(p *spec.Parameter) []string {
	if p.Media != "" || !bytes.Contains(p.Schema, []byte(`"properties"`)) && !bytes.Contains(p.Schema, []byte(`"$ref"`)) {
		return nil
	}
	l := lister{builder: b, seen: map[string]bool{}}
	l.add(read(p.Schema))
	return l.names
}

// lister collects the names of the properties that a schema lists, with what it
// refers to and all its parts.
type lister struct {
	builder *Builder
	names   []string
	seen    map[string]bool
	steps   int // schemas that were looked at, at most maxParts
}

func (l *lister) add(n *node) {
	if l.steps++; n.kind != '{' || l.steps > maxParts {
		return
	}
	if d := l.builder.target(n); d != nil {
		l.add(d.read().node)
	}
	for _, m := range n.members {
		switch {
		case m.name == "properties" && m.value.kind == '{':
			l.note(m.value)
		case m.name == "allOf" && m.value.kind == '[':
			for _, part := range m.value.members {
				l.add(part.value)
			}
		}
	}
}

func (l *lister) note(properties *node) {
	for _, p := range properties.members {
		if !l.seen[p.name] {
			l.seen[p.name] = true
			l.names = append(l.names, p.name)
		}
	}
}
