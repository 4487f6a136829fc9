package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// keywords makes the members of one schema portable, each by itself.
func (p *porter) keywords(members orderedObject) piece {
	var out, chosen piece
	for _, m := range members {
		switch {
		case m.isAnnotation(), isBound(m.name), m.name == "type":
			out.set(m.name, m.value)
		case m.name == "enum" && (members.index("const") < 0 || p.draft < 6):
			out.set(m.name, m.value)
		case m.name == "const" && p.draft >= 6:
			out.set("enum", encoded([]json.RawMessage{m.value}))
		case m.name == "anyOf", m.name == "oneOf":
			chosen = both(chosen, p.alternatives(&out, m))
		default:
			p.structure(&out, members, m)
		}
	}
	out.oldBounds()
	if coding := members.text("contentEncoding"); coding != "" {
		out.set("description", encoded(encodedAs(members.text("description"), coding)))
	}
	return both(out, chosen)
}

// encodedAs is the description of a text that stands for bytes: nothing else that is
// portable says so.
func encodedAs(description, coding string) string {
	if strings.Contains(strings.ToLower(description), strings.ToLower(coding)) {
		return description
	}
	if description == "" {
		return "Encoded as " + coding + "."
	}
	return strings.TrimRight(description, ". ") + ". Encoded as " + coding + "."
}

// isBound reports whether a keyword bounds a value and holds no schema.
func isBound(name string) bool {
	switch name {
	case "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties":
		return true
	}
	return false
}

// structure makes a keyword portable that says what an object or a list holds.
// Whatever it does not know is left out.
func (p *porter) structure(out *piece, members orderedObject, m namedValue) {
	switch m.name {
	case "properties":
		out.set(m.name, p.properties(m.value))
	case "required":
		var names []string
		if json.Unmarshal(m.value, &names) == nil {
			out.set(m.name, m.value)
		}
	case "additionalProperties":
		p.additional(out, members, m.value)
	case "items":
		p.items(out, members, m.value)
	case "prefixItems":
		if p.draft >= 2020 && members.index("items") < 0 {
			out.set("items", json.RawMessage(`{}`))
		}
	}
}

// properties leaves those out that nothing fits: they are not there either way.
func (p *porter) properties(raw json.RawMessage) json.RawMessage {
	members, err := membersOf(raw)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	out := orderedObject{}
	for _, m := range members {
		if property := p.schema(m.value); !property.never {
			out = append(out, namedValue{m.name, property.encode()})
		}
	}
	return out.encode()
}

// items makes one schema of those of a list's items. A list whose first items
// have schemas of their own keeps them only where it has no others.
func (p *porter) items(out *piece, members orderedObject, raw json.RawMessage) {
	first, rest := json.RawMessage(nil), raw
	switch {
	case p.draft >= 2020:
		first = members.value("prefixItems")
	case len(raw) > 0 && raw[0] == '[':
		first, rest = raw, members.value("additionalItems")
	}
	var list []json.RawMessage
	_ = json.Unmarshal(first, &list) // none where it is no list
	if len(list) == 0 {
		if first != nil { // of a list without any only what follows counts
			out.set("items", json.RawMessage(`{}`))
			return
		}
		p.allItems(out, raw)
		return
	}
	if string(rest) != "false" {
		out.set("items", json.RawMessage(`{}`))
		return
	}
	var branches []piece
	for _, item := range list {
		if branch := p.schema(item); !branch.never {
			branches = append(branches, branch)
		}
	}
	out.set("items", anyOf(branches).encode())
}

func (p *porter) allItems(out *piece, raw json.RawMessage) {
	items := p.schema(raw)
	if items.never {
		out.set("maxItems", json.RawMessage("0"))
		return
	}
	out.set("items", items.encode())
}

// anyOf is a schema that fits what one of several fits.
func anyOf(branches []piece) orderedObject {
	var texts []json.RawMessage
	for _, b := range branches {
		if b.fitsAll() {
			return orderedObject{}
		}
		text := b.encode()
		if !slices.ContainsFunc(texts, func(t json.RawMessage) bool { return string(t) == string(text) }) {
			texts = append(texts, text)
		}
	}
	switch len(texts) {
	case 0:
		return orderedObject{}
	case 1:
		return branches[0].orderedObject
	}
	if some := words(branches); some != nil {
		return orderedObject{{"type", json.RawMessage(`"string"`)}, {"enum", encoded(some)}}
	}
	return orderedObject{{"anyOf", encoded(texts)}}
}

// words are the texts that one of several lists allows, where all there is are
// such lists: the names of kinds mostly.
func words(branches []piece) (out []string) {
	for _, b := range branches {
		var some []string
		if len(b.orderedObject) != 2 || string(b.value("type")) != `"string"` || json.Unmarshal(b.value("enum"), &some) != nil {
			return nil
		}
		for _, word := range some {
			if !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// alternatives keeps those that something fits. One alone is no choice: it is
// returned. Where one fits everything there is nothing to choose.
func (p *porter) alternatives(out *piece, m namedValue) (only piece) {
	var list, kept []json.RawMessage
	if json.Unmarshal(m.value, &list) != nil {
		return piece{}
	}
	open := false
	for _, raw := range list {
		branch := p.schema(raw)
		if branch.never {
			continue
		}
		open = open || branch.fitsAll()
		only, kept = branch, append(kept, branch.encode())
	}
	switch {
	case len(kept) == 0:
		return piece{never: true}
	case open:
		return piece{}
	case len(kept) == 1:
		return only
	}
	out.set(m.name, encoded(kept))
	return piece{}
}

// oldBounds writes the bounds of draft 4, which are exclusive by a word beside
// them, as those of today.
func (q *piece) oldBounds() {
	for bound, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		switch string(q.value(exclusive)) {
		case "true":
			limit := q.value(bound)
			q.drop(exclusive)
			if i := q.index(bound); i >= 0 {
				q.orderedObject[i] = namedValue{exclusive, limit}
			}
		case "false":
			q.drop(exclusive)
		}
	}
}

// additional keeps what is said of other properties. Patterns, which have no
// portable form, stay only where there is one and all others are refused: it then
// says what any other property has to be.
func (p *porter) additional(out *piece, members orderedObject, raw json.RawMessage) {
	patterns, _ := membersOf(members.value("patternProperties"))
	switch {
	case len(patterns) == 1 && string(raw) == "false":
		raw = patterns[0].value
	case len(patterns) > 0:
		return
	}
	if text := string(raw); text != "true" && text != "false" {
		other := p.schema(raw)
		if raw = other.encode(); other.never {
			raw = json.RawMessage("false")
		}
	}
	out.set("additionalProperties", raw)
}
