package schema

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// editOf takes names out of the value of one keyword.
type editOf func(raw json.RawMessage, names []string) (json.RawMessage, error)

// edits are the keywords that name members of the object that the schema is
// about, or hold schemas of the same object.
func edits() map[string]editOf {
	return map[string]editOf{
		"properties": withoutMembers, "patternProperties": withoutPatterns, "required": withoutItems,
		"allOf": withoutInEach, "anyOf": withoutInEach, "oneOf": withoutInEach,
		"not": withoutInside, "if": withoutInside, "then": withoutInside, "else": withoutInside,
		"dependentRequired": withoutDependencies, "dependentSchemas": withoutDependencies, "dependencies": withoutDependencies,
		"examples": withoutInExamples, "default": withoutInExample, "propertyNames": withoutInNames,
	}
}

// Without returns an object schema without some of its properties, wherever it
// names them as members of that object, in the parts that it is combined of
// too. What stands behind a "$ref" stays. Everything else keeps its order and
// its text. What would mean something else without them is left out or taken
// more loosely: a "not" or an "if" that names one goes, and of "oneOf" remains
// "anyOf".
func Without(raw json.RawMessage, names []string) (json.RawMessage, error) {
	top, err := membersOf(raw)
	if err != nil || len(names) == 0 {
		return raw, err
	}
	known, changed := edits(), map[string]bool{}
	for i, m := range top {
		edit := known[m.name]
		if edit == nil {
			continue
		}
		if top[i].value, err = edit(m.value, names); err != nil {
			return nil, err
		}
		changed[m.name] = !sameJSON(m.value, top[i].value)
	}
	return top.loosened(changed).encode(), nil
}

// loosened takes out, or loosens, what was changed and means something else
// now.
func (o orderedObject) loosened(changed map[string]bool) orderedObject {
	both := o.index("anyOf") >= 0
	out := slices.DeleteFunc(o, func(m namedValue) bool {
		switch m.name {
		case "required":
			return string(m.value) == "[]"
		case "not":
			return changed["not"]
		case "if", "then", "else":
			return changed["if"]
		case "oneOf":
			return changed["oneOf"] && both
		}
		return false
	})
	if i := out.index("oneOf"); i >= 0 && changed["oneOf"] {
		out[i].name = "anyOf"
	}
	return out
}

// sameJSON compares two texts of the same members in the same order.
func sameJSON(a, b json.RawMessage) bool {
	x, err := json.Marshal(a) // without white space
	y, other := json.Marshal(b)
	return err == nil && other == nil && string(x) == string(y)
}

func withoutMembers(raw json.RawMessage, names []string) (json.RawMessage, error) {
	members, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(members, func(m namedValue) bool { return slices.Contains(names, m.name) }).encode(), nil
}

// withoutPatterns leaves patterns out that only one of the names fits.
func withoutPatterns(raw json.RawMessage, names []string) (json.RawMessage, error) {
	members, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(members, func(m namedValue) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.name == "^"+regexp.QuoteMeta(name)+"$" })
	}).encode(), nil
}

func withoutItems(raw json.RawMessage, names []string) (json.RawMessage, error) {
	var items []string
	if err := json.Unmarshal(raw, &items); err != nil {
		return raw, ignoreBool(raw, err)
	}
	left := slices.DeleteFunc(items, func(name string) bool { return slices.Contains(names, name) })
	return json.Marshal(append([]string{}, left...))
}

// ignoreBool lets the "required" of draft 3, true or false, pass: later drafts
// take no notice of it.
func ignoreBool(raw json.RawMessage, err error) error {
	if text := string(raw); text == "true" || text == "false" {
		return nil
	}
	return err
}

// withoutInEach edits every part.
func withoutInEach(raw json.RawMessage, names []string) (json.RawMessage, error) {
	return editItems(raw, names, withoutInside)
}

func editItems(raw json.RawMessage, names []string, edit editOf) (json.RawMessage, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, err
	}
	for i, part := range parts {
		edited, err := edit(part, names)
		if err != nil {
			return nil, err
		}
		parts[i] = edited
	}
	return json.Marshal(parts)
}

// withoutInside edits a part that is an object; true and false are schemas too.
func withoutInside(raw json.RawMessage, names []string) (json.RawMessage, error) {
	out, err := Without(raw, names)
	if errors.Is(err, errNotObject) {
		return raw, nil
	}
	return out, err
}

// withoutDependencies edits what hangs on each member: names or a schema.
func withoutDependencies(raw json.RawMessage, names []string) (json.RawMessage, error) {
	raw, err := withoutMembers(raw, names)
	if err != nil {
		return nil, err
	}
	members, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		edit := withoutInside
		if strings.HasPrefix(string(m.value), "[") {
			edit = withoutItems
		}
		if members[i].value, err = edit(m.value, names); err != nil {
			return nil, err
		}
	}
	return members.encode(), nil
}

func withoutInExamples(raw json.RawMessage, names []string) (json.RawMessage, error) {
	if !strings.HasPrefix(string(raw), "[") {
		return raw, nil
	}
	return editItems(raw, names, withoutInExample)
}

// withoutInExample edits a value of the object itself.
func withoutInExample(raw json.RawMessage, names []string) (json.RawMessage, error) {
	out, err := withoutMembers(raw, names)
	if errors.Is(err, errNotObject) {
		return raw, nil
	}
	return out, err
}

// withoutInNames edits a list of all names that members may have.
func withoutInNames(raw json.RawMessage, names []string) (json.RawMessage, error) {
	members, err := membersOf(raw)
	i := members.index("enum")
	if err != nil || i < 0 {
		return raw, nil
	}
	edited, err := withoutItems(members[i].value, names)
	if err != nil {
		return raw, nil
	}
	members[i].value = edited
	return members.encode(), nil
}

// WithDefaults returns an object schema whose top-level properties of these names
// have these defaults and need not be sent. Names that are not there are passed over.
func WithDefaults(raw json.RawMessage, values map[string]json.RawMessage) (json.RawMessage, error) {
	top, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(values))
	for i, m := range top {
		switch m.name {
		case "required":
			top[i].value, err = withoutItems(m.value, names)
		case "properties":
			top[i].value, err = defaultsIn(m.value, values)
		}
		if err != nil {
			return nil, err
		}
	}
	return top.loosened(nil).encode(), nil
}

func defaultsIn(raw json.RawMessage, values map[string]json.RawMessage) (json.RawMessage, error) {
	properties, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	for i, p := range properties {
		value, given := values[p.name]
		property, err := membersOf(p.value)
		if !given || err != nil { // true and false are schemas too
			continue
		}
		if at := property.index("default"); at >= 0 {
			property[at].value = value
		} else {
			property = append(property, namedValue{name: "default", value: value})
		}
		properties[i].value = property.encode()
	}
	return properties.encode(), nil
}

// Names reports whether the schema names a member of the object it is about,
// in any part that it is combined of and behind references. A pattern names
// what it fits and holds the name of.
func (s *Schema) Names(name string) bool {
	if s.later != nil {
		return slices.Contains(s.names, name)
	}
	named := false
	err := s.body().pool.use(func(p *program) error {
		named = namesIt(p.root, name, map[*js.Schema]bool{})
		return nil
	})
	return named || err != nil
}

func namesIt(s *js.Schema, name string, seen map[*js.Schema]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	if s.Properties[name] != nil || slices.Contains(s.Required, name) || s.DependentSchemas[name] != nil {
		return true
	}
	for re := range s.PatternProperties {
		if strings.Contains(re.String(), name) && re.MatchString(name) {
			return true
		}
	}
	for member, needs := range s.DependentRequired {
		if member == name || slices.Contains(needs, name) {
			return true
		}
	}
	for member, on := range s.Dependencies {
		if needs, _ := on.([]string); member == name || slices.Contains(needs, name) {
			return true
		}
	}
	return slices.ContainsFunc(sameValue(s), func(sub *js.Schema) bool { return namesIt(sub, name, seen) })
}
