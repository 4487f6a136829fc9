package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// Source is a document with the files that it refers to.
type Source interface {
	Main() *document.File
	// Find gives what a reference that stands in a file refers to. One step is
	// taken: what is found may be a reference again.
	Find(from *document.File, ref string) (*document.File, *document.Node, error)
}

// maxSteps is how many references may lead from one to the next.
const maxSteps = 50

// spot is a value with the file that it stands in.
type spot struct {
	file *document.File
	node *document.Node
}

func (s spot) get(name string) spot { return spot{s.file, s.node.Get(name)} }

// items are the items of a list; none of what is no list.
func (s spot) items() []spot {
	if s.node == nil || s.node.Kind != document.Array {
		return nil
	}
	all := make([]spot, len(s.node.Members))
	for i := range s.node.Members {
		all[i] = spot{s.file, &s.node.Members[i].Value}
	}
	return all
}

// members are the members of an object in their order, but for its extensions.
func (s spot) members() []named {
	return slices.DeleteFunc(s.entries(), func(n named) bool { return strings.HasPrefix(n.name, "x-") })
}

// entries are the members of a map whose names are the author's own, so that x- is
// no extension there: of security schemes, properties and server variables.
func (s spot) entries() []named {
	if s.node == nil || s.node.Kind != document.Object {
		return nil
	}
	all := make([]named, len(s.node.Members))
	for i := range s.node.Members {
		m := &s.node.Members[i]
		all[i] = named{m.Name, spot{s.file, &m.Value}}
	}
	return all
}

// named is a member of an object.
type named struct {
	name string
	spot
}

func (s spot) isObject() bool { return s.node != nil && s.node.Kind == document.Object }

// text is the member that is a text, trimmed; "" where there is none. It is a copy:
// what is read of a document outlives its text.
func (s spot) text(name string) string {
	return strings.Clone(strings.TrimSpace(s.node.String(name)))
}

// exact is text without trimming, for names.
func (s spot) exact(name string) string { return strings.Clone(s.node.String(name)) }

// words is the text of a member, or of a number or flag where a text was meant.
func (s spot) words(name string) string {
	n := s.node.Get(name)
	if n == nil || n.Kind == document.Object || n.Kind == document.Array || n.Kind == document.Null {
		return ""
	}
	return strings.Clone(n.Text)
}

// texts are the texts of a list.
func (s spot) texts(name string) []string {
	var all []string
	for _, item := range s.get(name).items() {
		if item.node.Kind == document.String {
			all = append(all, strings.Clone(item.node.Text))
		}
	}
	return all
}

// place is where the value stands, for people.
func (s spot) place() string {
	switch {
	case s.file == nil:
		return ""
	case s.node == nil || s.node.Line == 0:
		return s.file.Name
	}
	return fmt.Sprintf("%s:%d:%d", s.file.Name, s.node.Line, s.node.Column)
}

// resolve follows the references from a value to one that is none.
func (r *reader) resolve(s spot) (spot, error) {
	for range maxSteps {
		ref := s.node.Get("$ref")
		if ref == nil || ref.Kind != document.String {
			return s, nil
		}
		file, node, err := r.source.Find(s.file, ref.Text)
		if err != nil {
			return spot{}, err
		}
		s = spot{file, node}
	}
	return spot{}, fmt.Errorf("the references from here lead on without end")
}
