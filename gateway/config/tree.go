package config

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// builder turns YAML nodes into the tree. Each YAML node is built once, and an
// alias is a second way to the same node: what a bomb of aliases would cost is
// only counted, never spent.
type builder struct {
	src      *source
	findings *findings
	anchored map[*yaml.Node]*node
	open     map[*yaml.Node]bool // anchored nodes that are being built: an alias to one is a cycle
	path     []string
	nodes    []node // not used yet: they are made by the hundred, since a file has many
	values   *int   // values so far, with those that aliases stand for, in this and earlier documents
	failed   bool   // a limit was passed: the tree is of no use
}

// buildTree returns the tree of a document, or nil when it passes a limit. The
// path is where the document belongs; values counts on from earlier documents.
func buildTree(src *source, f *findings, doc *yaml.Node, path []string, values *int) *node {
	b := &builder{
		src: src, findings: f, path: path, values: values,
		anchored: map[*yaml.Node]*node{}, open: map[*yaml.Node]bool{},
	}
	root := b.node(doc, len(path))
	if b.failed {
		return nil
	}
	return root
}

func (b *builder) position(y *yaml.Node) position { return b.src.position(y.Line, y.Column) }

func (b *builder) report(at position, hint, format string, args ...any) {
	b.findings.add(b.path, diag.Problem{Place: at.place(), Text: fmt.Sprintf(format, args...), Hint: hint})
}

// node builds one value that lies depth levels down.
func (b *builder) node(y *yaml.Node, depth int) *node {
	if b.findings.full() {
		b.failed = true
	}
	if depth > maxDepth || b.failed {
		return b.fail(y, "maps and lists lie more than %d levels deep here", maxDepth)
	}
	if y.Kind == yaml.AliasNode {
		return b.alias(y, depth)
	}
	if y.Anchor == "" {
		return b.build(y, depth)
	}
	b.open[y] = true
	n := b.build(y, depth)
	delete(b.open, y)
	b.anchored[y] = n
	return n
}

func (b *builder) build(y *yaml.Node, depth int) *node {
	n := b.blank()
	n.place, n.size = b.position(y), 1
	if *b.values++; *b.values > maxValues {
		return b.fail(y, "there are more than %d values", maxValues)
	}
	if n.kind = b.kindOf(y); n.kind == broken {
		return n
	}
	switch y.Kind {
	case yaml.MappingNode:
		b.mapping(n, y, depth)
	case yaml.SequenceNode:
		b.list(n, y, depth)
	default:
		n.text, n.quote = y.Value, quoteOf(y.Style)
		n.size += len(n.text) / textUnit
	}
	return n
}

// blank is a new node.
func (b *builder) blank() *node {
	const several = 128
	if len(b.nodes) == 0 {
		b.nodes = make([]node, several)
	}
	n := &b.nodes[0]
	b.nodes = b.nodes[1:]
	return n
}

// shownDepth is how many keys of a path are shown where a limit is passed: such
// paths can be long.
const shownDepth = 3

// fail reports, once, that the tree passes a limit, and stops building.
func (b *builder) fail(y *yaml.Node, format string, args ...any) *node {
	if !b.failed {
		b.failed = true
		b.path = b.path[:min(len(b.path), shownDepth)]
		b.report(b.position(y), "", format, args...)
	}
	return &node{kind: broken, place: b.position(y), size: 1}
}

// alias returns the node that an alias stands for.
func (b *builder) alias(y *yaml.Node, depth int) *node {
	if b.open[y.Alias] {
		b.report(b.position(y), "", "the alias *%s stands inside the value it stands for", y.Value)
		return &node{kind: broken, place: b.position(y), size: 1}
	}
	n := b.anchored[y.Alias]
	switch {
	case n != nil:
	case y.Alias.Kind == yaml.ScalarNode: // the anchor of a key
		n = b.build(y.Alias, depth)
	default: // the anchor stood in a value that was refused, with a report
		return &node{kind: broken, place: b.position(y), size: 1}
	}
	if *b.values += n.size; *b.values > maxValues {
		return b.fail(y, "with this alias there are more than %d values", maxValues)
	}
	if depth+n.height > maxDepth {
		return b.fail(y, "with this alias maps and lists lie more than %d levels deep", maxDepth)
	}
	return n
}

// inside builds a value that lies one level further down, at a key.
func (b *builder) inside(key string, y *yaml.Node, depth int) *node {
	level := len(b.path)
	b.path = append(b.path, key)
	n := b.node(y, depth+1)
	b.path = b.path[:level]
	return n
}

func (b *builder) list(n *node, y *yaml.Node, depth int) {
	n.items = make([]*node, 0, len(y.Content))
	for i, item := range y.Content {
		child := b.inside(strconv.Itoa(i), item, depth)
		n.items = append(n.items, child)
		n.count(child)
	}
}

// mapping builds a map: first its own keys, which are the ones that count,
// then what merges add to them.
func (b *builder) mapping(n *node, y *yaml.Node, depth int) {
	var merges []*yaml.Node
	n.members = make([]member, 0, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if isMerge(k) {
			merges = append(merges, v)
			continue
		}
		if key, ok := b.key(k); ok {
			b.member(n, member{key: key, place: b.position(k)}, v, depth)
		}
	}
	for _, v := range merges {
		b.merge(n, v, depth)
	}
}

// member builds a value and puts it in the map under a key that is not there
// yet.
func (b *builder) member(n *node, m member, v *yaml.Node, depth int) {
	if first := n.find(m.key); first != nil {
		b.findings.add(further(b.path, m.key), diag.Problem{
			Place: m.place.place(), Text: "the key is written twice, first " + first.place.seenFrom(m.place), Hint: "remove one of them",
		})
		return
	}
	m.value = b.inside(m.key, v, depth)
	n.put(m)
}

// key reads a map's key. Numbers and booleans are taken as they are written:
// in this file all keys are text.
func (b *builder) key(y *yaml.Node) (string, bool) {
	at := b.position(y)
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	switch k := b.kindOf(y); {
	case k == broken:
		return "", false
	case k == mapping, k == list, k == null:
		b.report(at, "", "a key must be text, and this one is %s", kindNames[k])
		return "", false
	case slices.Contains([]byte(y.Value), 0):
		b.report(at, "", "a key cannot hold the character U+0000")
		return "", false
	}
	return y.Value, true
}

// isMerge reports the key << of YAML's merge type.
func isMerge(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "<<" && (y.Style&^yaml.TaggedStyle == 0) &&
		(y.Style&yaml.TaggedStyle == 0 || y.Tag == "!!merge")
}

// merge adds the members of the maps that << names: those whose keys are not
// there yet, from the first map first.
func (b *builder) merge(n *node, y *yaml.Node, depth int) {
	from := b.node(y, depth)
	sources := []*node{from}
	if from.kind == list {
		sources = from.items
	}
	for _, source := range sources {
		switch source.kind {
		case mapping:
			b.mergeMap(n, source)
		case broken:
		default:
			b.report(source.place, "", "<< takes a map or a list of maps, and this is %s", describe(source))
		}
	}
}

func (b *builder) mergeMap(n, from *node) {
	for i := range from.members {
		if n.find(from.members[i].key) == nil {
			n.put(from.members[i])
		}
	}
}
