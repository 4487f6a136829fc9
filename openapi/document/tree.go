package document

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// builder turns YAML nodes into the tree. What an anchor names is built once,
// and an alias shares its members: what a bomb of aliases would cost is only
// counted, never spent.
type builder struct {
	columns
	file     string
	anchored map[*yaml.Node]*anchored
	nodes    int // so far, with those that aliases stand for
}

// anchored is what an anchor names.
type anchored struct {
	node Node
	size size
	done bool // it is built, and so an alias to it is no cycle
}

// size is what a value counts for where an alias stands for it.
type size struct{ nodes, levels int }

// add counts a value that lies in this one.
func (s *size) add(child size) {
	s.nodes += child.nodes
	s.levels = max(s.levels, child.levels+1)
}

func (b *builder) fail(y *yaml.Node, format string, args ...any) error {
	line, column := b.place(y.Line, y.Column)
	return &Error{b.file, int(line), int(column), fmt.Sprintf(format, args...)}
}

// count adds nodes to those of the tree.
func (b *builder) count(y *yaml.Node, nodes int) error {
	if b.nodes += nodes; b.nodes > MaxNodes {
		return b.fail(y, "there are more than %d values, with those that aliases stand for", MaxNodes)
	}
	return nil
}

// node builds one value that lies depth levels down.
func (b *builder) node(y *yaml.Node, depth int) (Node, size, error) {
	if y.Kind == yaml.AliasNode {
		return b.alias(y, depth)
	}
	if y.Anchor == "" {
		return b.build(y, depth)
	}
	a := &anchored{}
	b.anchored[y] = a
	var err error
	a.node, a.size, err = b.build(y, depth)
	a.done = err == nil
	return a.node, a.size, err
}

func (b *builder) alias(y *yaml.Node, depth int) (Node, size, error) {
	a := b.anchored[y.Alias]
	if a == nil { // the anchor of a key, which is a scalar; its place is the alias's, so that places keep to the order of the text
		key := *y.Alias
		key.Line, key.Column = y.Line, y.Column
		return b.build(&key, depth)
	}
	if !a.done {
		return Node{}, size{}, b.fail(y, "the alias *%s stands inside the value it stands for", y.Value)
	}
	if depth+a.size.levels > MaxDepth {
		return Node{}, size{}, b.fail(y, "with this alias maps and lists lie more than %d levels deep", MaxDepth)
	}
	return a.node, a.size, b.count(y, a.size.nodes)
}

func (b *builder) build(y *yaml.Node, depth int) (Node, size, error) {
	n := Node{}
	n.Line, n.Column = b.place(y.Line, y.Column)
	s := size{nodes: 1}
	if err := b.count(y, 1); err != nil {
		return n, s, err
	}
	if y.Kind != yaml.ScalarNode && depth >= MaxDepth {
		return n, s, b.fail(y, "maps and lists lie more than %d levels deep here", MaxDepth)
	}
	var err error
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Object
		n.Members, err = b.mapping(y, depth, &s)
	case yaml.SequenceNode:
		n.Kind = Array
		n.Members, err = b.list(y, depth, &s)
	default:
		n.Kind, n.Text = scalar(y)
	}
	return n, s, err
}

func (b *builder) list(y *yaml.Node, depth int, s *size) ([]Member, error) {
	items := make([]Member, 0, len(y.Content))
	for _, item := range y.Content {
		n, child, err := b.node(item, depth+1)
		if err != nil {
			return nil, err
		}
		s.add(child)
		items = append(items, Member{Value: n})
	}
	return items, nil
}

// mapping builds a map: its own members, which are the ones that count, and then
// what merges add to them.
func (b *builder) mapping(y *yaml.Node, depth int, s *size) ([]Member, error) {
	members := make([]Member, 0, len(y.Content)/2)
	var merges []Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		name, err := b.key(y.Content[i], depth)
		if err != nil {
			return nil, err
		}
		n, child, err := b.node(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		s.add(child)
		if isMerge(y.Content[i]) && isMergeable(&n) {
			merges = append(merges, n)
			continue
		}
		members = append(members, Member{Name: name, Value: n})
	}
	members = unique(members)
	if len(merges) == 0 {
		return members, nil
	}
	return merged(members, merges), nil
}

// key is the name that a key stands for. All names are text: numbers and
// booleans are taken as they are written, and maps and lists as JSON.
func (b *builder) key(y *yaml.Node, depth int) (string, error) {
	if y.Kind == yaml.AliasNode && y.Alias.Kind == yaml.ScalarNode {
		y = y.Alias
	}
	if y.Kind == yaml.ScalarNode {
		return y.Value, nil
	}
	n, size, err := b.node(y, depth+1)
	if err != nil {
		return "", err
	}
	if size.nodes > maxKeyNodes {
		return "", b.fail(y, "a key cannot hold more than %d values", maxKeyNodes)
	}
	return string(n.AppendJSON(nil)), nil
}

// maxKeyNodes is how many values a key that is a map or a list may hold.
const maxKeyNodes = 100

// isMerge reports the key << of YAML's merge type.
func isMerge(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "<<" && y.Style&^yaml.TaggedStyle == 0 &&
		(y.Style&yaml.TaggedStyle == 0 || y.Tag == "!!merge")
}

// isMergeable reports a map or a list of maps. The key << of anything else is one
// as others are.
func isMergeable(n *Node) bool {
	if n.Kind == Object {
		return true
	}
	for i := range n.Members {
		if n.Members[i].Value.Kind != Object {
			return false
		}
	}
	return len(n.Members) > 0
}

// merged adds the members of maps whose names are not there yet, those of the
// first map first.
func merged(members []Member, merges []Node) []Member {
	there := make(map[string]bool, len(members))
	for i := range members {
		there[members[i].Name] = true
	}
	add := func(from *Node) {
		for _, m := range from.Members {
			if !there[m.Name] {
				there[m.Name] = true
				members = append(members, m)
			}
		}
	}
	for i := range merges {
		if merges[i].Kind == Object {
			add(&merges[i])
			continue
		}
		for j := range merges[i].Members {
			add(&merges[i].Members[j].Value)
		}
	}
	return members
}

const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar is what a scalar is by its tag, its quotes and, without them, its text.
func scalar(y *yaml.Node) (Kind, string) {
	tag := ""
	if y.Style&yaml.TaggedStyle != 0 || y.Tag == "!" {
		tag = y.Tag
	}
	switch tag {
	case "!", "!!str", "!!binary", "!!timestamp":
		return String, y.Value
	case "!!null", "!!bool", "!!int", "!!float":
		return plain(y.Value)
	}
	if y.Style&quoted != 0 {
		return String, y.Value
	}
	return plain(y.Value)
}

// plain is what a scalar without quotes is (YAML 1.2.2 section 10.3.2, with the
// numbers of YAML 1.1 that are no text in it).
func plain(text string) (Kind, string) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null, ""
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool, strings.ToLower(text)
	}
	if strings.IndexByte("+-.0123456789", text[0]) < 0 {
		return String, text
	}
	if digits := number(text); digits != "" {
		return Number, digits
	}
	return String, text
}
