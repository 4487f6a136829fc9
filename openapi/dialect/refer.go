package dialect

import (
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// reference is what the reference of a schema refers to; it reports false for a
// schema without one.
func (c *Converter) reference(x context, n *document.Node) (found, bool) {
	if ref := n.Get("$ref"); ref != nil && ref.Kind == document.String {
		return c.resolve(x, ref.Text), true
	}
	if c.version < V31 {
		return found{}, false
	}
	if ref := textOf(n.Get("$recursiveRef")); ref == "#" {
		return found{target: x.root, name: "root"}, true
	}
	ref := textOf(n.Get("$dynamicRef"))
	if !strings.HasPrefix(ref, "#") {
		return found{}, false
	}
	if textOf(x.root.node.Get("$dynamicAnchor")) == ref[1:] {
		return found{target: x.root, name: ref[1:]}, true
	}
	f := c.resolve(x, ref)
	return f, f.code == "" // what only a validator could find stands for everything
}

// refer writes the reference of a schema as a member of the object under way;
// nothing where it leads nowhere.
func (c *Converter) refer(x context, n *document.Node) {
	f, ok := c.reference(x, n)
	switch {
	case !ok:
		c.loose++
		return
	case f.code != "":
		c.loose++
		c.report(x.file, n.Get("$ref"), f.code, f.text)
		return
	}
	c.known[f.node] = f.target
	d := definition{node: f.node, owner: f.node}
	if c.onRing(allEdges, x.owner, f.node) {
		if x.union && c.onRing(unionEdges, x.owner, f.node) || !x.union && c.onRing(plainEdges, x.owner, f.node) {
			c.loose++ // all of itself, or one of itself: nothing new
			return
		}
		d.bare = !x.union
	}
	key := c.define(context{file: f.file, root: f.target, scope: f.scope, owner: d.owner, bare: d.bare}, f.name, d)
	c.name("$ref")
	c.raw(`"#/$defs/` + key + `"`)
}

// refers reports whether a keyword is the one that says what a schema refers to,
// of those that it has.
func refers(n *document.Node, name string) bool {
	for _, first := range []string{"$ref", "$recursiveRef", "$dynamicRef"} {
		if textOf(n.Get(first)) != "" {
			return first == name
		}
	}
	return false
}
