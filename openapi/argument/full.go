package argument

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Full is the schema that the arguments of an operation that was arranged are
// checked against, with every definition that it needs under "$defs". Where a
// parameter may be left out, null says that it is. It can be a megabyte.
func (b *Builder) Full(op *spec.Operation) json.RawMessage {
	set := b.arguments(op)
	w := writer{builder: b, most: unlimited}
	whole := func(n *node) {
		w.refer(linksOf(n))
		w.out = n.append(w.out)
	}
	w.head(&set, whole, func(a *argument) {
		schema := a.worded(unlimited)
		if a.nullable {
			schema = b.orNull(schema)
		}
		whole(schema)
	})
	w.dependent(&set)
	w.definitions(func(key string) {
		d := b.definition(key)
		w.refer(d.read().links)
		w.out = d.read().append(w.out)
	})
	return w.end()
}

// unlimited is more than any count of bytes, characters or levels.
const unlimited = math.MaxInt32

// writer writes the schema of an operation.
type writer struct {
	view
	builder  *Builder
	out      []byte
	most     int             // bytes after which nothing more needs to be written
	keys     []string        // definitions that are referred to, in the order of first use
	seen     map[string]bool // those of keys
	levels   map[string]int  // how many levels of values below the arguments a definition lies
	verbatim *node           // its description was shortened before
}

// over reports whether so much is written already that it is of no use.
func (w *writer) over() bool { return len(w.out) > w.most }

// refer notes that definitions are needed.
func (w *writer) refer(links []link) {
	for _, l := range links {
		w.need(l.key)
	}
}

func (w *writer) need(key string) {
	if w.seen[key] {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[key] = true
	w.keys = append(w.keys, key)
}

// put writes a literal.
func (w *writer) put(s string) { w.out = append(w.out, s...) }

// member writes the name of a member, after a comma where it is not the first.
func (w *writer) member(first *bool, name string) {
	if !*first {
		w.out = append(w.out, ',')
	}
	*first = false
	w.out = append(appendText(w.out, name), ':')
}

// head writes what stands at the top, all but the last bracket, with what writes a
// schema and what writes that of an argument.
func (w *writer) head(s *set, schema func(*node), argument func(*argument)) {
	w.put(`{"type":"object","properties":{`)
	first := true
	for i := range s.list {
		w.member(&first, s.list[i].name)
		argument(&s.list[i])
	}
	w.put("}")
	if required := s.required(); len(required) > 0 {
		w.put(`,"required":`)
		w.out = texts(required).append(w.out)
	}
	w.put(`,"additionalProperties":`)
	if s.extra == nil {
		w.put("false")
		return
	}
	schema(s.extra)
}

// maxDependent is how many names dependentRequired may list, which are as many as
// the fields of a body times those that it needs.
const maxDependent = 1000

// dependent says of a body that may be left out what it needs when it is given. Of
// many fields it says so by if and then, which grow with their number only. Of few
// it says so for each, which stays right where some are hidden.
func (w *writer) dependent(s *set) {
	if fields := s.list[s.fields:]; len(fields)*len(s.needs) > maxDependent {
		w.conditional(fields, s.needs)
		return
	}
	all := object()
	for _, a := range s.list[s.fields:] {
		others := slices.DeleteFunc(slices.Clone(s.needs), func(name string) bool { return name == a.name })
		if len(others) > 0 {
			all.members = append(all.members, member{a.name, texts(others)})
		}
	}
	if len(all.members) > 0 {
		w.put(`,"dependentRequired":`)
		w.out = all.append(w.out)
	}
}

// conditional says that where any of some arguments is given others are needed.
func (w *writer) conditional(of []argument, needs []string) {
	w.put(`,"if":{"anyOf":[`)
	for i, a := range of {
		if i > 0 {
			w.put(",")
		}
		w.put(`{"required":[`)
		w.out = appendText(w.out, a.name)
		w.put("]}")
	}
	w.put(`]},"then":{"required":`)
	w.out = texts(needs).append(w.out)
	w.put("}")
}

// definitions writes the definitions that are needed, each with definition, which
// may need more.
func (w *writer) definitions(definition func(key string)) {
	if len(w.keys) == 0 {
		return
	}
	w.put(`,"$defs":{`)
	first := true
	for i := 0; i < len(w.keys) && !w.over(); i++ {
		w.member(&first, w.keys[i])
		definition(w.keys[i])
	}
	w.put("}")
}

func (w *writer) end() json.RawMessage { return append(w.out, '}') }
