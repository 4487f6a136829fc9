package dialect

import "github.com/toolgate/toolgate/openapi/document"

// maxUnions is how deep lists and unions may lie in each other around bytes.
const maxUnions = 4

// Binary reports whether the values of a schema are bytes, or lists of such, which
// are base64 in JSON and are sent as they are elsewhere. A value of the format byte
// is not: its base64 is what the API takes. An alternative that is null does not
// matter.
func (c *Converter) Binary(in *document.File, n *document.Node) bool {
	return n != nil && c.isBinary(target{file: in, node: n}, maxUnions)
}

func (c *Converter) isBinary(t target, most int) bool {
	if most == 0 {
		return false
	}
	for _, part := range c.whole(t) {
		if part.node.Kind != document.Object {
			continue
		}
		if s := c.read(part.node); s.binary {
			return true
		}
		inside := func(n *document.Node) bool {
			return c.isBinary(target{file: part.file, node: n, scope: part.within()}, most-1)
		}
		if items := part.node.Get("items"); items != nil && inside(items) {
			return true
		}
		for _, name := range []string{"anyOf", "oneOf"} {
			if list := part.node.Get(name); list != nil && list.Kind == document.Array && someAndNull(list, inside) {
				return true
			}
		}
	}
	return false
}

// someAndNull reports whether all branches are of a kind, but for those of null.
func someAndNull(list *document.Node, is func(*document.Node) bool) bool {
	some := false
	for i := range list.Members {
		branch := &list.Members[i].Value
		if textOf(branch.Get("type")) == "null" {
			continue
		}
		if !is(branch) {
			return false
		}
		some = true
	}
	return some
}
