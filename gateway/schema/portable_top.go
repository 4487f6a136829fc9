package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// top makes the schema of all arguments portable.
func (p *porter) top(members orderedObject) orderedObject {
	whole := p.part(members.encode())
	whole.settle()
	said := p.conditions(members)
	for _, name := range []string{"anyOf", "oneOf"} {
		said = append(said, whole.fold(name)...)
	}
	out := slices.DeleteFunc(whole.orderedObject, func(m namedValue) bool { return !standsAtTop(m.name) })
	if i := out.index("type"); i >= 0 {
		out[i].value = json.RawMessage(`"object"`)
	} else {
		out = slices.Insert(out, 0, namedValue{"type", json.RawMessage(`"object"`)})
	}
	if out.index("properties") < 0 {
		out = slices.Insert(out, out.index("type")+1, namedValue{"properties", json.RawMessage(`{}`)})
	}
	if len(said) > 0 {
		text := strings.Join(slices.DeleteFunc(append([]string{out.text("description")}, said...), func(s string) bool { return s == "" }), " ")
		out.set("description", encoded(text))
	}
	return out
}

func standsAtTop(name string) bool {
	switch name {
	case "type", "title", "description", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "examples":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

// conditions says what the top asks for with keywords that have no portable form.
func (p *porter) conditions(members orderedObject) (said []string) {
	if p.draft < 2019 && members.index("$ref") >= 0 {
		return nil
	}
	for _, m := range members {
		switch m.name {
		case "not":
			if names := requiredOnly(m.value); len(names) > 0 {
				said = append(said, "Do not give "+joined(names, "and")+together(names)+".")
			} else {
				said = append(said, quoted("The arguments must not fit", m.value))
			}
		case "if":
			said = append(said, conditional(members))
		case "dependentRequired", "dependentSchemas", "dependencies":
			said = append(said, dependent(m.value)...)
		}
	}
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

func together(names []string) string {
	if len(names) > 1 {
		return " together"
	}
	return ""
}

// conditional words if, then and else.
func conditional(members orderedObject) string {
	said := quoted("Where the arguments fit", members.value("if"))
	for _, part := range []struct{ keyword, words string }{{"then", "they must also fit"}, {"else", "else they must fit"}} {
		raw := members.value(part.keyword)
		if raw == nil {
			continue
		}
		more := quoted(part.words, raw)
		if said == "" || more == "" {
			return ""
		}
		said = strings.TrimSuffix(said, ".") + ", " + more
	}
	if members.index("then") < 0 && members.index("else") < 0 {
		return ""
	}
	return said
}

// dependent words what each argument asks for beside it.
func dependent(raw json.RawMessage) (said []string) {
	members, _ := membersOf(raw)
	for _, m := range members {
		var names []string
		if json.Unmarshal(m.value, &names) != nil {
			names = requiredOnly(m.value)
		}
		if len(names) > 0 {
			said = append(said, "With "+m.name+", also give "+joined(names, "and")+".")
		} else if m.value[0] == '{' {
			said = append(said, quoted("With "+m.name+", the arguments must fit", m.value))
		}
	}
	return said
}

// requiredOnly are the names that a schema requires, where that is all it does.
func requiredOnly(raw json.RawMessage) (names []string) {
	members, _ := membersOf(raw)
	for _, m := range members {
		switch m.name {
		case "required":
			if json.Unmarshal(m.value, &names) != nil {
				return nil
			}
		case "type":
			if string(m.value) != `"object"` {
				return nil
			}
		default:
			if !m.isAnnotation() {
				return nil
			}
		}
	}
	return names
}

// quoted shows a schema in a sentence, unless it is long or refers to what is not
// shown.
func quoted(words string, raw json.RawMessage) string {
	text := string(encoded(raw))
	if len(text) > maxPortableText || strings.Contains(text, `"$`) {
		return ""
	}
	return words + " " + text + "."
}

// joined joins names as "a, b and c".
func joined(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// fold takes alternatives of all arguments apart: into sentences, and into the
// properties that they speak of.
func (q *piece) fold(keyword string) (said []string) {
	var list []json.RawMessage
	if json.Unmarshal(q.value(keyword), &list) != nil {
		return nil
	}
	q.drop(keyword)
	branches, choices := make([]orderedObject, len(list)), make([]string, 0, len(list))
	for i, raw := range list {
		branches[i], _ = membersOf(raw)
		if names := requiredOnly(raw); len(names) > 0 {
			choices = append(choices, joined(names, "and"))
		}
	}
	how := map[string]string{"anyOf": "at least", "oneOf": "exactly"}[keyword]
	if len(choices) == len(list) {
		q.require(branches)
		return []string{fmt.Sprintf("Give %s one of: %s.", how, strings.Join(choices, "; "))}
	}
	text := quoted(fmt.Sprintf("The arguments fit %s one of these schemas:", how), encoded(list))
	q.adopt(branches)
	q.require(branches)
	if text == "" {
		return nil
	}
	return []string{text}
}

// require requires what every alternative does.
func (q *piece) require(branches []orderedObject) {
	var everywhere []string
	for i, b := range branches {
		var names []string
		_ = json.Unmarshal(b.value("required"), &names) // none without
		if i == 0 {
			everywhere = names
		}
		everywhere = slices.DeleteFunc(everywhere, func(name string) bool { return !slices.Contains(names, name) })
	}
	if len(everywhere) == 0 {
		return
	}
	if own := q.value("required"); own != nil {
		q.set("required", union(own, encoded(everywhere)))
		return
	}
	q.set("required", encoded(everywhere))
}

// adopt shows the properties of the alternatives, unless no others may be sent.
func (q *piece) adopt(branches []orderedObject) {
	if string(q.value("additionalProperties")) == "false" {
		return
	}
	own, _ := membersOf(q.value("properties"))
	properties := make([]orderedObject, len(branches))
	for i, b := range branches {
		properties[i], _ = membersOf(b.value("properties"))
	}
	for _, some := range properties {
		for _, m := range some {
			if own.index(m.name) < 0 {
				own = append(own, namedValue{m.name, inAny(branches, properties, m.name).encode()})
			}
		}
	}
	if len(own) > 0 {
		q.set("properties", own.encode())
	}
}

// inAny is what a property may be in one or the other alternative. Where one lets
// it be anything, only what it is called and about remains.
func inAny(branches, properties []orderedObject, name string) orderedObject {
	var variants []piece
	free := false
	for i, b := range branches {
		if raw := properties[i].value(name); raw != nil {
			own, _ := membersOf(raw)
			variants = append(variants, piece{orderedObject: own})
		} else if string(b.value("additionalProperties")) != "false" {
			free = true
		}
	}
	if !free {
		return anyOf(variants)
	}
	return slices.DeleteFunc(variants[0].orderedObject, func(m namedValue) bool { return m.name != "title" && m.name != "description" })
}
