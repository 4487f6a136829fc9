package wire

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// claims says which argument each name of one place belongs to, as the name is
// sent; "" is the document itself. Members of objects are sent under names that
// the model makes up, and servers mostly take the last value of a name: without
// this such a member would stand in for another argument, past what the operator
// hides, sets and permits of that.
type claims map[string]string

// claimsOf are the claims of the parameters of one place, whose names are sent in
// that escape: the names that they have, and those that the document lists of
// objects that are sent member by member. A name that several of these list is for
// the first that is given.
func claimsOf(op *spec.Operation, in string, names *escape) claims {
	c, listed := claims{}, map[string]int{}
	for p := range parameters(op, in) {
		if p.Media != "" || !p.Explode || p.Style == spec.StyleDeepObject {
			continue
		}
		for _, member := range p.Order {
			name := names.text(member)
			listed[name]++
			c[name] = p.Arg
		}
	}
	maps.DeleteFunc(c, func(name, _ string) bool { return listed[name] > 1 })
	for p := range parameters(op, in) {
		c[names.text(p.Name)] = p.Arg
	}
	return c
}

// take notes that an argument is sent as these pairs, and refuses what another
// has.
func (c claims) take(arg string, pairs []pair) error {
	for _, p := range pairs {
		if err := c.one(arg, p.name); err != nil {
			return err
		}
	}
	return nil
}

func (c claims) one(arg, name string) error {
	owner, taken := c[name]
	switch {
	case !taken:
		c[name] = arg
	case owner != arg:
		return clash(arg, name)
	}
	return nil
}

// clash is the error of an argument that would be sent under a name that is taken.
// Whose it is is not told: that may be an argument which the model is not to know.
func clash(arg, name string) *tool.Error {
	return tool.Errorf(tool.InvalidArgs, "%s would be sent as %s, and that is taken", quote(arg), quote(name)).
		WithHint("Leave it out of there. If this tool has an argument of its own for it, use that one.")
}

// namesOf are the names in a query that is written already. Some servers part
// pairs at semicolons too.
func namesOf(query string) []string {
	var out []string
	for text := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(text, "=")
		out = append(out, strict.text(spec.Unescaped(strings.ReplaceAll(name, "+", " "))))
	}
	return out
}

// isFixed reports whether the path of an operation gives a parameter of the query
// itself.
func isFixed(fixed []string, p *spec.Parameter) bool {
	return len(fixed) > 0 && slices.Contains(fixed, strict.text(p.Name))
}
