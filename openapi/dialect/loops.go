package dialect

import "github.com/toolgate/toolgate/openapi/document"

// A schema may come back to itself without stepping into the value: a base with a
// oneOf of its variants, each of which is allOf the base and more. No validator
// could check that, so such a ring is opened where it means nothing: a variant is
// allOf the base without the unions that lead back, its bare form.
//
// Which references lie on a ring is told by the strongly connected components of
// three graphs, whose nodes are schemas and whose edges are references to schemas
// of the same value: all of them, those outside unions, those inside.

// Graphs of references.
const (
	allEdges = iota
	plainEdges
	unionEdges
)

// edge is a reference of a schema to one of the same value.
type edge struct {
	to    *document.Node
	union bool // it stands in a oneOf or anyOf
}

// onRing reports whether an edge of one of the graphs lies on a ring.
func (c *Converter) onRing(graph int, from, to *document.Node) bool {
	if from == nil {
		return false
	}
	g := c.rings[graph]
	next := func(n *document.Node) []*document.Node { return c.next(graph, n) }
	return g.of(from, next) == g.of(to, next)
}

// next lists where the edges of a graph lead.
func (c *Converter) next(graph int, n *document.Node) (to []*document.Node) {
	for _, e := range c.edges(n) {
		if graph == allEdges || e.union == (graph == unionEdges) {
			to = append(to, e.to)
		}
	}
	return to
}

// edges lists the references of a schema that is known.
func (c *Converter) edges(n *document.Node) []edge {
	if list, ok := c.edgesOf[n]; ok {
		return list
	}
	t := c.known[n]
	w := edges{c: c}
	w.walk(context{file: t.file, root: t, scope: t.within()}, n)
	c.edgesOf[n] = w.list
	return w.list
}

// edges collects the references of one schema.
type edges struct {
	c    *Converter
	list []edge
}

func (w *edges) walk(x context, n *document.Node) {
	if n.Kind != document.Object {
		return
	}
	if f, ok := w.c.reference(x, n); ok && f.code == "" {
		w.c.known[f.node] = f.target
		w.list = append(w.list, edge{to: f.node, union: x.union})
	}
	if w.c.version < V31 && n.Get("$ref") != nil {
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		switch m.Name {
		case "not", "if", "then", "else":
			w.enter(x, &m.Value)
		case "allOf", "dependentSchemas", "dependencies":
			w.enterAll(x, &m.Value)
		case "oneOf", "anyOf":
			w.enterAll(x.either(0), &m.Value)
		}
	}
}

func (w *edges) enterAll(x context, n *document.Node) {
	for i := range n.Members {
		w.enter(x, &n.Members[i].Value)
	}
}

func (w *edges) enter(x context, n *document.Node) {
	x.scope = target{file: x.file, node: n, scope: x.scope}.within()
	w.walk(x, n)
}

// leadsBack reports whether something under a union of the owner lies on a ring.
func (c *Converter) leadsBack(x context, list *document.Node) bool {
	if x.owner == nil {
		return false
	}
	w := edges{c: c}
	w.enterAll(x, list)
	for _, e := range w.list {
		if c.onRing(allEdges, x.owner, e.to) {
			return true
		}
	}
	return false
}

// components are the strongly connected components of a graph, found as far as
// they were asked for (Tarjan's algorithm, without recursion: chains of references
// may be long).
type components struct {
	index, low map[*document.Node]int
	id         map[*document.Node]int
	stack      []*document.Node
}

func newComponents() *components {
	return &components{index: map[*document.Node]int{}, low: map[*document.Node]int{}, id: map[*document.Node]int{}}
}

// visit is a node under way and the edges still to go.
type visit struct {
	node *document.Node
	next []*document.Node
}

// of is the number of the component that a node is in.
func (g *components) of(n *document.Node, next func(*document.Node) []*document.Node) int {
	if id, ok := g.id[n]; ok {
		return id
	}
	path := []visit{g.enter(n, next)}
	for len(path) > 0 {
		top := &path[len(path)-1]
		if len(top.next) > 0 {
			to := top.next[0]
			top.next = top.next[1:]
			if _, seen := g.index[to]; !seen {
				path = append(path, g.enter(to, next))
			} else if _, done := g.id[to]; !done {
				g.low[top.node] = min(g.low[top.node], g.index[to])
			}
			continue
		}
		g.leave(top.node)
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].node
			g.low[up] = min(g.low[up], g.low[top.node])
		}
	}
	return g.id[n]
}

func (g *components) enter(n *document.Node, next func(*document.Node) []*document.Node) visit {
	g.index[n] = len(g.index)
	g.low[n] = g.index[n]
	g.stack = append(g.stack, n)
	return visit{node: n, next: next(n)}
}

// leave closes the component of which n was met first, if it was.
func (g *components) leave(n *document.Node) {
	if g.low[n] != g.index[n] {
		return
	}
	for {
		last := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		g.id[last] = g.index[n]
		if last == n {
			return
		}
	}
}
