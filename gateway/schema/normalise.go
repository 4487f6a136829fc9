package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// wrapper is the property that some models put all arguments into.
const wrapper = "arguments"

// Normalise decodes arguments as sent into an object; numbers are json.Number
// with every digit. Nothing, blanks and null stand for {}. A JSON text is read
// once more as JSON. An object with "arguments" alone, which the schema does
// not know, is replaced by what is in it. Members of the names beside, which
// are none of the tool's, may stand next to it and are kept; where both say
// something, what is inside stands. Everything else that is no object, and
// everything that could only be guessed (duplicate keys, broken JSON, text
// after the end), is an *Error.
func (s *Schema) Normalise(raw json.RawMessage, beside ...string) (map[string]any, error) {
	v, p := parseArgs(raw)
	if text, ok := v.(string); ok && p == nil {
		v, p = parseArgs([]byte(text))
	}
	if p != nil {
		return nil, refusal(*p)
	}
	args, ok := asObject(v)
	if !ok {
		return nil, refusal(s.notAnObject(v))
	}
	return s.unwrap(args, beside)
}

// parseArgs decodes one JSON value; blanks are null.
func parseArgs(raw []byte) (any, *problem) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	return decode(raw, argsBounds())
}

func asObject(v any) (map[string]any, bool) {
	if v == nil {
		return map[string]any{}, true
	}
	args, ok := v.(map[string]any)
	return args, ok
}

func (s *Schema) notAnObject(v any) problem {
	return problem{text: "arguments must be a JSON object, got " + got(v) + "; " + s.advice()}
}

// advice shows how arguments of this tool look.
func (s *Schema) advice() string {
	if len(s.example) == 0 && s.closed {
		return "this tool takes none, so send {}"
	}
	names := s.example
	if len(names) == 0 {
		names = []string{"name"}
	}
	members := make([]string, len(names))
	for i, n := range names {
		members[i] = quote(n) + ": …"
	}
	return "use named arguments like {" + strings.Join(members, ", ") + "}"
}

// unwrap takes arguments out of an "arguments" that the schema does not know
// and that is alone but for what may stand beside it. What is in there and is
// neither an object nor the text of one stays, for Validate to judge.
func (s *Schema) unwrap(args map[string]any, beside []string) (map[string]any, error) {
	inner, ok := args[wrapper]
	if !ok || !alone(args, beside) || s.knows(wrapper) {
		return args, nil
	}
	if text, ok := inner.(string); ok {
		text = strings.TrimSpace(text)
		if text != "" && text != "null" && !strings.HasPrefix(text, "{") {
			return args, nil
		}
		v, p := parseArgs([]byte(text))
		if p != nil {
			return nil, refusal(*p)
		}
		inner = v
	}
	unwrapped, ok := asObject(inner)
	if !ok {
		return args, nil
	}
	for name, value := range args {
		if _, inside := unwrapped[name]; !inside && name != wrapper {
			unwrapped[name] = value
		}
	}
	return unwrapped, nil
}

// alone reports whether an object holds nothing but the wrapper and what may
// stand beside it.
func alone(args map[string]any, beside []string) bool {
	for name := range args {
		if name != wrapper && !slices.Contains(beside, name) {
			return false
		}
	}
	return true
}

// knows reports whether the schema speaks of a top-level property.
func (s *Schema) knows(name string) bool {
	if s.later != nil {
		return slices.Contains(s.names, name)
	}
	known := false
	err := s.body().pool.use(func(p *program) error {
		known = declares(p.root, name, map[*js.Schema]bool{})
		return nil
	})
	return known || err != nil
}
