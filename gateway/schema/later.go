package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Later makes a Schema whose text is made and compiled when a call first needs it:
// for tools of which there are thousands, made from one document. Until then it
// tells what is known of its top: the names of all properties in the order of the
// text, which of them are required, and whether there can be others; the text must
// say the same, with "additionalProperties" either way. Text is called at most once
// for each Schema that comes of this one, and must give an object schema of draft
// 2020-12, of at most 16 MiB. One that does not compile makes [Schema.Validate] fail
// with an error that says why, which is no *Error, and nothing is cast.
// [Schema.Defaults] fills nothing in.
func Later(names, required []string, closed bool, text func() json.RawMessage) *Schema {
	s := &Schema{later: text, body: sync.OnceValue(func() *body { return late(text()) })}
	s.outline = outline{names: slices.Clone(names), required: slices.Clone(required), closed: closed, others: true}
	s.example = s.few()
	return s
}

// Filling is a schema of [Later] of which [Schema.Defaults] fills these values in
// for properties that are absent. The values are not checked by themselves, and not
// to be changed.
func (s *Schema) Filling(values map[string]any) *Schema {
	out := *s
	out.fills = values
	return &out
}

// Hiding is a schema of [Later] without some of its properties, as [Without] makes
// it; nil of any other.
func (s *Schema) Hiding(names []string) *Schema {
	if s.later == nil {
		return nil
	}
	hidden := func(name string) bool { return slices.Contains(names, name) }
	text := s.later
	out := Later(
		slices.DeleteFunc(slices.Clone(s.names), hidden), slices.DeleteFunc(slices.Clone(s.required), hidden), s.closed,
		func() json.RawMessage {
			whole := text()
			if left, err := Without(whole, names); err == nil {
				return left
			}
			return whole // which does not compile either
		})
	return out.Filling(s.fills)
}

// filled is args with what Filling says.
func (s *Schema) filled(args map[string]any) map[string]any {
	out := members(args)
	for name, value := range s.fills {
		if _, sent := args[name]; sent {
			continue
		}
		if len(out) == len(args) {
			out = maps.Clone(out)
		}
		out[name] = clone(value)
	}
	return out
}

// late compiles a text that should compile.
func late(raw json.RawMessage) *body {
	doc, p := decode(raw, laterBounds())
	if p == nil {
		p = objectRule(doc)
	}
	if p != nil {
		return broken(p.mistake())
	}
	b := &body{doc: doc, pool: newPool(doc, nil), quick: newQuick(doc)}
	if isPlain(doc) {
		return b // compiled when quick does not know
	}
	prog, err := build(doc, nil)
	if err != nil {
		return broken(mistakeOf(err, doc).mistake())
	}
	b.pool.idle <- prog
	if p := b.endless(); p != nil {
		return broken(p.mistake())
	}
	return b
}

// broken is what nothing can be checked with.
func broken(why error) *body {
	return &body{pool: &pool{broken: fmt.Errorf("schema: the tool's own schema does not compile: %w", why)}}
}

func laterBounds() bounds {
	return bounds{noun: "the contents", size: maxLaterSize, depth: maxLaterDepth, values: maxLaterValues}
}
