package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolgate/toolgate/gateway/diag"
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
	for _, name := range slices.Sorted(keysOf(s)) {
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
	hint = diag.DidYouMean(name, typeNames())
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
	if p, ok := badReference(err, doc); ok {
		return p
	}
	return problem{text: "cannot be compiled: " + strings.ReplaceAll(err.Error(), base, "")}
}

// invalid words a document that its metaschema refuses: the first problem.
func invalid(e *js.SchemaValidationError, doc any) problem {
	path, _ := tokens(e.URL)
	at := locate(path, doc)
	part := at.lookup(doc)
	problems, err := explain(e.Err, part, nil)
	if err != nil || len(problems) == 0 {
		return problem{at: at, text: "is not a valid schema"}
	}
	for i, p := range problems {
		problems[i] = schemaWords(p, p.at.lookup(part))
		problems[i].at = append(slices.Clip(at), p.at...)
	}
	sortProblems(problems)
	return problems[0]
}

// schemaWords adds what the usual slips mean.
func schemaWords(p problem, v any) problem {
	switch name, text := keywordAt(p.at), got(v); {
	case name == "type" && typeName(v) == "string":
		p.text, p.hint = typeMistake(fmt.Sprint(v))
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
	return problem{at: locate(path, doc), text: "is not a regular expression: " + e.Err.Error()}
}
