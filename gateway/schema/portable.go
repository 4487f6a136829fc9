package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The portable form of a schema is what every host and every provider takes, by
// the restrictions their documentation and their errors tell of: at the top an
// object with properties and nothing that combines schemas; nowhere a reference,
// a schema that is true or false, or a keyword beyond those that all know. It
// lets in all that the schema lets in, and may let in more: arguments are always
// checked against the schema as it was declared. What cannot be said with the
// keywords that are left is said to the model in the description.

// Portable returns the portable form of a schema that [Compile] takes. Keys keep
// their order, the same text gives the same text always, and one that is portable
// already is returned as it is. References are replaced by what they refer to;
// one that leads back into itself, or goes on for more than maxPortable schemas
// or maxPortableDepth levels, by no more than its type and its description, and
// one that would bring them over maxCopied bytes together by nothing.
func Portable(raw json.RawMessage) (json.RawMessage, error) {
	if isPortable(raw) {
		return raw, nil
	}
	top, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	return newPorter(raw, top).top(top).encode(), nil
}

// porter makes one schema portable.
type porter struct {
	root    *place
	anchors map[string]json.RawMessage // schemas by the name they have; nil until one is asked for
	cuts    map[string]piece           // what stands where a reference leads back into itself, by reference
	draft   int                        // 4, 6, 7, 2019 or 2020
	open    []string                   // references that are being replaced
	left    int                        // schemas that may still be written
	copies  int                        // bytes that references may still be replaced by
	depth   int
	foreign bool // inside a part with an address of its own, to which its references are relative
}

func newPorter(raw json.RawMessage, top orderedObject) *porter {
	return &porter{root: &place{raw: raw}, draft: draftOf(top), open: []string{"#"}, left: maxPortable, copies: maxCopied, cuts: map[string]piece{}}
}

// piece is a schema in its portable form.
type piece struct {
	orderedObject
	never bool // no value fits
}

// draftOf tells the draft that a schema names.
func draftOf(top orderedObject) int {
	name := top.text("$schema")
	for _, draft := range []int{2019, 7, 6, 4} {
		known := "draft-0" + strconv.Itoa(draft)
		if draft > 1000 {
			known = strconv.Itoa(draft) + "-"
		}
		if strings.Contains(name, known) {
			return draft
		}
	}
	return 2020
}

// text is the value of a member that is a text, else "".
func (o orderedObject) text(name string) string {
	var text string
	_ = json.Unmarshal(o.value(name), &text) // "" where it is none
	return text
}

// value is the text of a member; nil when there is none.
func (o orderedObject) value(name string) json.RawMessage {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

// set replaces a member, or adds it at the end.
func (o *orderedObject) set(name string, value json.RawMessage) {
	if i := o.index(name); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, namedValue{name, value})
}

func (o *orderedObject) drop(names ...string) {
	*o = slices.DeleteFunc(*o, func(m namedValue) bool { return slices.Contains(names, m.name) })
}

// encoded writes a value made of texts, numbers and lists, which always encodes.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}

// schema makes a schema portable that stands anywhere but at the top.
func (p *porter) schema(raw json.RawMessage) piece {
	part := p.part(raw)
	part.settle()
	if i := part.index("oneOf"); i >= 0 {
		if part.index("anyOf") >= 0 {
			part.drop("oneOf")
		} else {
			part.orderedObject[i].name = "anyOf"
		}
	}
	return part
}

// part is schema with the alternatives still under the name they have.
func (p *porter) part(raw json.RawMessage) piece {
	members, err := membersOf(raw)
	if err != nil { // true or false
		return piece{never: string(raw) == "false"}
	}
	if p.left--; p.left < 0 || p.depth > maxPortableDepth {
		return p.outline(members)
	}
	p.depth++
	defer func(before bool) { p.depth, p.foreign = p.depth-1, before }(p.foreign)
	if p.depth > 1 && members.index("$schema") >= 0 {
		return piece{} // perhaps of another draft
	}
	p.foreign = p.foreign || p.depth > 1 && hasAddress(members)
	return p.combine(members)
}

// hasAddress reports whether references inside are relative to something else.
func hasAddress(members orderedObject) bool {
	for _, name := range []string{"$id", "id"} {
		if address := members.text(name); address != "" && address[0] != '#' {
			return true
		}
	}
	return false
}

// outline is what is shown where a schema is cut off.
func (p *porter) outline(members orderedObject) piece {
	shown := []string{"type", "title", "description"}
	if p.draft < 2019 && members.index("$ref") >= 0 {
		shown = shown[1:] // what stands beside a reference has no meaning
	}
	return piece{orderedObject: slices.DeleteFunc(slices.Clone(members), func(m namedValue) bool { return !slices.Contains(shown, m.name) })}
}

// combine puts together what a schema says itself, what it refers to and the
// parts of "allOf".
func (p *porter) combine(members orderedObject) piece {
	target := members.text("$ref")
	if target != "" && p.draft < 2019 {
		members = slices.DeleteFunc(slices.Clone(members), func(m namedValue) bool { return !m.isAnnotation() })
	}
	out := p.keywords(members)
	if target != "" {
		out = both(out, p.reference(target))
	}
	var parts []json.RawMessage
	if json.Unmarshal(members.value("allOf"), &parts) == nil {
		for _, part := range parts {
			out = both(out, p.part(part))
		}
	}
	return out
}

// isAnnotation reports whether a keyword tells something and demands nothing. A
// draft that does not know it lets it have any value.
func (m namedValue) isAnnotation() bool {
	switch m.name {
	case "title", "description", "default":
		return true
	case "examples":
		return m.value[0] == '['
	case "deprecated", "readOnly", "writeOnly":
		return m.value[0] == 't' || m.value[0] == 'f'
	}
	return strings.HasPrefix(m.name, "x-")
}

// fitsAll reports whether every value fits.
func (o orderedObject) fitsAll() bool {
	return !slices.ContainsFunc(o, func(m namedValue) bool { return !m.isAnnotation() })
}
