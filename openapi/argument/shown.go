package argument

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/openapi/spec"
)

// DefaultBudget is how many bytes the schema of one operation may take of what
// models see.
const DefaultBudget = 8_000

// Limits on what models see.
const (
	maxDescription   = 1_024 // characters
	shortDescription = 300   // of a schema that is over its budget
	tinyDescription  = 120
	maxSmall         = 120 // bytes of a schema whose parts are not worth cutting
	maxShownEnum     = 300 // bytes of the values of a schema that is far over its budget
	maxShownDefault  = 300 // bytes of a default of a schema whose parts are cut
	maxShownName     = 64  // characters of a name of the document
)

// cut ends the description of what is not shown.
const cut = "(cut; any value that the API takes)"

// lossless are lengths of descriptions with which nothing else is cut.
var lossless = [...]int{maxDescription, shortDescription}

// view says how much of a schema is shown.
type view struct {
	depth int  // levels of values below an argument; less than 0 for nothing of those that have parts
	text  int  // characters of a description
	enums bool // long lists of values are cut
}

// exact reports whether the view says the same as the schema.
func (v view) exact() bool { return v.depth == unlimited && !v.enums }

// views are what is tried, until one is within the budget: prose goes before
// parts, and parts that lie deep before others.
func views() []view {
	const deepest = 8
	var all []view
	for _, length := range lossless {
		all = append(all, view{depth: unlimited, text: length})
	}
	for depth := deepest; depth >= 0; depth-- {
		all = append(all, view{depth: depth, text: shortDescription})
	}
	return append(all,
		view{depth: 0, text: tinyDescription}, view{depth: 0, text: tinyDescription, enums: true},
		view{depth: -1, text: tinyDescription, enums: true}, view{depth: -1, enums: true})
}

// Shown is what models see of the schema of an operation that was arranged: at
// most budget bytes, but always the names of all arguments and which of them are
// required, however many there are. It is valid JSON Schema and takes everything
// that [Builder.Full] takes, but for the nulls that say that a parameter is left
// out. Where something is cut the description says so.
func (b *Builder) Shown(op *spec.Operation, budget int) json.RawMessage {
	set := b.arguments(op)
	var levels map[string]int
	all := views()
	for i, v := range all {
		w := writer{view: v, builder: b, most: budget, levels: levels}
		if i == len(all)-1 {
			w.most = unlimited
		}
		if !v.exact() && levels == nil {
			levels = b.levels(&set)
			w.levels = levels
		}
		w.all(&set)
		if !w.over() {
			return w.out
		}
	}
	return nil // the last is never over
}

// all writes the schema of an operation.
func (w *writer) all(s *set) {
	w.head(s, func(n *node) { w.schema(n, 0) }, func(a *argument) {
		schema := a.worded(w.text)
		if schema != a.schema {
			w.verbatim = schema
		}
		w.schema(schema, 0)
	})
	w.definitions(func(key string) {
		known := w.builder.definition(key).read()
		for i, length := range lossless {
			if w.exact() && w.text == length {
				w.refer(known.links)
				w.out = append(w.out, known.lossless[i]()...)
				return
			}
		}
		w.schema(known.node, w.levels[key])
	})
	w.put("}")
}

// levels tells how many levels of values below the arguments each definition
// lies, at least.
func (b *Builder) levels(s *set) map[string]int {
	levels := map[string]int{}
	var queues [][]string // by level
	reach := func(links []link, from int) {
		for _, l := range links {
			at := from + l.level
			if before, ok := levels[l.key]; ok && before <= at {
				continue
			}
			levels[l.key] = at
			for len(queues) <= at {
				queues = append(queues, nil)
			}
			queues[at] = append(queues[at], l.key)
		}
	}
	for _, a := range s.list {
		reach(linksOf(a.schema), 0)
	}
	if s.extra != nil {
		reach(linksOf(s.extra), 0)
	}
	for level := 0; level < len(queues); level++ {
		for i := 0; i < len(queues[level]); i++ {
			if key := queues[level][i]; levels[key] == level {
				reach(b.definition(key).read().links, level)
			}
		}
	}
	return levels
}

// schema writes a schema that lies so many levels of values below an argument.
func (w *writer) schema(n *node, level int) {
	switch {
	case w.over():
	case n.kind != '{':
		w.out = n.append(w.out)
	case level > w.depth && worthCutting(n):
		w.cut(n)
	default:
		w.keywords(n, level)
	}
}

// worthCutting reports whether a schema refers to one, or holds schemas and is
// longer than what stands for it would be.
func worthCutting(n *node) bool {
	parts := false
	eachInside(n, func(*node, int) { parts = true })
	if !parts {
		return n.get("$ref") != nil
	}
	return n.size() > maxSmall || len(linksOf(n)) > 0
}

// cut writes what stands for a schema with parts.
func (w *writer) cut(n *node) {
	w.put("{")
	first := true
	if t := w.builder.types(n); t != nil {
		w.member(&first, "type")
		w.out = typeNode(t).append(w.out)
	}
	description := n.get("description").string()
	for chain, d := 0, w.builder.target(n); description == "" && d != nil && chain < maxChain; chain++ {
		description = d.read().get("description").string()
		d = w.builder.target(d.read().node)
	}
	w.member(&first, "description")
	w.out = appendText(w.out, w.ending(n, description, cut))
	w.put("}")
}

// typeNode is the value of "type".
func typeNode(types []string) *node {
	if len(types) == 1 {
		return text(types[0])
	}
	return texts(types)
}

// ending is a description with something at its end that is always there.
func (w *writer) ending(n *node, description, end string) string {
	if n != w.verbatim {
		description = capped(description, w.text)
	}
	return strings.TrimSpace(description + " " + end)
}

// keywords writes a schema keyword by keyword.
func (w *writer) keywords(n *node, level int) {
	w.put("{")
	first := true
	values := w.values(n)
	cutEnum := values != ""
	for _, m := range n.members {
		if cutEnum && m.name == "enum" || w.leavesOut(n, m) {
			continue
		}
		name, value := m.name, m.value
		switch {
		case name == "description" && value.kind == '"':
			w.description(&first, n, values)
			values = ""
			continue
		case name == "oneOf" && !w.exact():
			name = "anyOf" // two branches may both take a value where less is said
		}
		w.member(&first, name)
		w.keyword(m.name, value, level)
	}
	if values != "" {
		w.member(&first, "description")
		w.out = appendText(w.out, values)
	}
	w.put("}")
}

// description writes the description of n with what tells of values at its end.
func (w *writer) description(first *bool, n *node, values string) {
	if raw := n.get("description").raw; values == "" && len(raw)-2 <= w.text && asShown(raw) {
		w.member(first, "description")
		w.put(raw)
		return
	}
	description := w.ending(n, n.get("description").string(), values)
	if description == "" {
		return
	}
	w.member(first, "description")
	w.out = appendText(w.out, description)
}

// asShown reports whether a short text in quotes is surely shown as it is: most
// are.
func asShown(raw string) bool {
	return len(raw) > 2 && raw[1] != ' ' && raw[len(raw)-2] != ' ' && strings.IndexByte(raw, '\\') < 0
}

// keyword writes the value of a keyword.
func (w *writer) keyword(name string, v *node, level int) {
	holds, step := holding(name)
	switch {
	case holds == one:
		w.schema(v, level+step)
	case holds == many && v.kind == '[', holds == byName && v.kind == '{':
		w.out = append(w.out, v.kind)
		for i, m := range v.members {
			if i > 0 {
				w.put(",")
			}
			if holds == byName {
				w.out = append(appendText(w.out, m.name), ':')
			}
			w.schema(m.value, level+step)
		}
		w.out = append(w.out, v.kind+2)
	default:
		if key, ok := keyOf(v); ok && name == "$ref" {
			w.need(key)
		}
		w.out = v.append(w.out)
	}
}

// leavesOut reports whether a keyword is not written. Where something is cut, what
// would mean something stricter with less in it goes.
func (w *writer) leavesOut(n *node, m member) bool {
	switch {
	case m.name == "title":
		return w.text == 0
	case w.exact():
		return false
	}
	switch m.name {
	case "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "maxContains":
		return true
	case "oneOf":
		return n.get("anyOf") != nil
	case "default":
		return w.enums || m.value.size() > maxShownDefault
	}
	return false
}

// values tells of a list of values that is too long to show, by the first of
// them; "" where it is shown.
func (w *writer) values(n *node) string {
	const few = 60 // bytes
	enum := n.get("enum")
	if !w.enums || enum == nil || enum.kind != '[' || enum.size() <= maxShownEnum {
		return ""
	}
	var out []byte
	for _, m := range enum.members {
		if next := m.value.append(nil); len(out)+len(next) <= few {
			out = append(append(out, next...), ", "...)
			continue
		}
		break
	}
	return "One of " + string(out) + "… " + cut
}

// capped cuts a text to so many characters.
func capped(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	if most == 0 {
		return ""
	}
	at := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return strings.TrimSpace(s[:at]) + "…"
}
