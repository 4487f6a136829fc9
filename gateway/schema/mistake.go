package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// typeNames are the types of JSON Schema.
func typeNames() []string {
	return []string{"array", "boolean", "integer", "null", "number", "object", "string"}
}

// objectRule says why a document cannot be the schema of arguments, which are
// an object always.
func objectRule(doc any) *problem {
	s, ok := doc.(map[string]any)
	if !ok {
		return &problem{text: "must be a schema, an object such as {type: object, properties: {…}}, got " + got(doc)}
	}
	t, typed := s["type"]
	if list, ok := t.([]any); ok && len(list) == 1 {
		t = list[0]
	}
	switch {
	case typed && t == "object":
		return nil
	case typed:
		return topType(t)
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if sub, ok := s[name].(map[string]any); ok && !known(name) && sub["type"] != nil {
			return &problem{at: location{name}, text: "is no keyword of JSON Schema", hint: "properties stand under properties: {type: object, properties: {" + name + ": {…}}}"}
		}
	}
	return nil
}

// topType words a "type" at the root that is not object.
func topType(t any) *problem {
	p := problem{at: location{"type"}, text: `must be "object" at the top, since arguments are named, got ` + compact(t)}
	if name, ok := t.(string); ok && !slices.Contains(typeNames(), name) {
		p.text, p.hint = typeMistake(name)
	}
	return &p
}

func typeMistake(name string) (text, hint string) {
	hint = meant(name, typeNames())
	if other := foreignType(name); hint == "" && other != "" {
		hint = "did you mean " + other + "?"
	}
	if hint == "" {
		hint = "known: " + strings.Join(typeNames(), ", ")
	}
	return "unknown type " + quote(name), hint
}

// foreignType translates the names of other languages.
func foreignType(name string) string {
	return map[string]string{
		"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
		"decimal": "number", "bool": "boolean", "list": "array", "dict": "object", "map": "object", "none": "null",
	}[strings.ToLower(name)]
}

// mistakeOf words what the compiler says of a document.
func mistakeOf(err error, doc any) problem {
	if e, ok := errors.AsType[*js.SchemaValidationError](err); ok {
		return invalid(e, doc)
	}
	if e, ok := errors.AsType[*js.InvalidRegexError](err); ok {
		return badPattern(e, doc)
	}
	if e, ok := errors.AsType[*js.DuplicateAnchorError](err); ok {
		return twice("anchor "+quote(e.Anchor), e.Ptr1, e.Ptr2, doc)
	}
	if e, ok := errors.AsType[*js.DuplicateIDError](err); ok {
		return twice("id "+quote(strings.TrimPrefix(e.ID, strings.TrimSuffix(base, "arguments"))), e.Ptr1, e.Ptr2, doc)
	}
	if p, ok := badReference(err, doc); ok {
		return p
	}
	return problem{text: "cannot be compiled: " + strings.ReplaceAll(err.Error(), base, "")}
}

// twice words a name that two subschemas have; the validator meets them in any
// order.
func twice(what, a, b string, doc any) problem {
	first, second := min(a, b), max(a, b)
	return problem{at: locate(pointer(second), doc), text: what + " also stands at #" + first, hint: "give each its own"}
}

// invalid words a document that its metaschema refuses: the first problem.
func invalid(e *js.SchemaValidationError, doc any) problem {
	path, _ := tokens(e.URL)
	at := locate(path, doc)
	part := at.lookup(doc)
	problems, err := worder{value: part}.explain(e.Err)
	if err != nil || len(problems) == 0 {
		return problem{at: at, text: "is not a valid schema"}
	}
	for i, p := range problems {
		p = schemaWords(p, p.at.lookup(part))
		p.at = append(slices.Clip(at), p.at...)
		problems[i] = p
	}
	sortProblems(problems)
	return problems[0]
}

// schemaWords adds what the usual slips mean.
func schemaWords(p problem, v any) problem {
	p = p.worded()
	switch name, text := keywordAt(p.at), got(v); {
	case name == "type" && typeName(v) == "string":
		p.text, p.hint = typeMistake(fmt.Sprint(v))
	case name == "type" && typeName(v) == "array":
		return typeListMistake(p, v)
	case name == "pattern" && typeName(v) == "string":
		p.text = patternText(fmt.Sprint(v))
	case slices.Equal(p.types, []string{"boolean", "object"}) && name != "items":
		p.text = "must be a schema such as {type: string}, got " + text
	case name == "required" && typeName(v) == "string":
		p.text, p.hint = "must be a list of names, got "+text, "write required: ["+fmt.Sprint(v)+"]"
	case name == "required" && typeName(v) == "boolean":
		p.text, p.hint = "must be a list of names, got "+text, "list the required names in required of the object around this property"
	case name == "items" && typeName(v) == "array":
		p.hint = "draft 2020-12 writes a list of item schemas as prefixItems; an older draft must be named in $schema"
	case (name == "exclusiveMinimum" || name == "exclusiveMaximum") && typeName(v) == "boolean":
		p.hint = "write the limit itself, or name draft 4 in $schema"
	case name == "enum" && typeName(v) != "array":
		p.text, p.hint = "must be a list of values, got "+text, ""
	}
	return p
}

// typeListMistake finds the unknown name in a list of types.
func typeListMistake(p problem, v any) problem {
	list, _ := v.([]any)
	for i, t := range list {
		name, ok := t.(string)
		if !ok {
			return problem{at: p.at.with(i), text: "must be the name of a type, got " + got(t)}
		}
		if !slices.Contains(typeNames(), name) {
			text, hint := typeMistake(name)
			return problem{at: p.at.with(i), text: text, hint: hint}
		}
	}
	return p
}

// patternText says what is wrong with a regular expression.
func patternText(pattern string) string {
	if _, err := (&budget{}).compilePattern(pattern); err != nil {
		return "is not a regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	return "is not a regular expression"
}

// findKey finds the first object under patternProperties that has a key: the
// only names that a metaschema judges.
func findKey(v any, key string, at location) location {
	obj, ok := v.(map[string]any)
	if list, isList := v.([]any); isList {
		for i, item := range list {
			if found := findKey(item, key, at.with(i)); found != nil {
				return found
			}
		}
	}
	if !ok {
		return nil
	}
	if named, _ := obj["patternProperties"].(map[string]any); named != nil {
		if _, ok := named[key]; ok {
			return at.with("patternProperties")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if found := findKey(obj[name], key, at.with(name)); found != nil {
			return found
		}
	}
	return nil
}

// keywordAt is the keyword at the end of a location of a schema; "" where a
// name of a property or an index stands, or an item of "type" does not.
func keywordAt(at location) string {
	named, last := false, ""
	for _, step := range at {
		key, ok := step.(string)
		switch {
		case !ok:
			if last != "type" {
				last = ""
			}
		case named:
			named, last = false, ""
		default:
			named, last = holdsNames(key), key
		}
	}
	return last
}

// holdsNames reports whether the members of a keyword are named by the author.
func holdsNames(name string) bool {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired", "dependencies":
		return true
	}
	return false
}

func badPattern(e *js.InvalidRegexError, doc any) problem {
	path, _ := tokens(e.URL)
	if len(path) > 0 && path[len(path)-1] == "patternProperties" {
		path = append(path, e.Regex)
	}
	return problem{at: locate(path, doc), text: patternText(e.Regex)}
}
