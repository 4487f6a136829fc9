package schema

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// tokens splits the location of a compiled schema, or the address of a
// keyword, into the tokens of its JSON pointer; ok is false when it lies in
// another document.
func tokens(address string) (path []string, ok bool) {
	fragment, ok := strings.CutPrefix(address, base)
	if !ok {
		return nil, false
	}
	text, err := url.PathUnescape(strings.TrimPrefix(fragment, "#"))
	if err != nil {
		return nil, false
	}
	return pointer(text), true
}

// keyword is the value of a keyword of the compiled schema at an address, as
// the document has it; nil when there is none.
func keyword(doc any, address, name string) any {
	path, ok := tokens(address)
	if !ok {
		return nil
	}
	members, _ := locate(path, doc).lookup(doc).(map[string]any)
	return members[name]
}

// propertyOrder names the properties of s and of what it refers to or adds
// with allOf, in the order of the text.
func propertyOrder(raw []byte, s *js.Schema) []string {
	var names []string
	eachPart(s, func(part *js.Schema) {
		path, ok := tokens(part.Location)
		if !ok {
			return
		}
		for _, name := range memberOrder(descend(raw, append(path, "properties"))) {
			if part.Properties[name] != nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

// eachPart calls f for s and for every schema that always holds where s does.
func eachPart(s *js.Schema, f func(*js.Schema)) {
	seen := map[*js.Schema]bool{}
	var visit func(*js.Schema)
	visit = func(s *js.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		f(s)
		visit(s.Ref)
		for _, part := range s.AllOf {
			visit(part)
		}
	}
	visit(s)
}

// descend finds the text of the value at a pointer; nil when there is none.
func descend(raw json.RawMessage, path []string) json.RawMessage {
	for _, token := range path {
		var members map[string]json.RawMessage
		var items []json.RawMessage
		switch {
		case json.Unmarshal(raw, &members) == nil:
			raw = members[token]
		case json.Unmarshal(raw, &items) == nil:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(items) {
				return nil
			}
			raw = items[i]
		default:
			return nil
		}
	}
	return raw
}

// memberOrder lists the keys of an object in the order of its text.
func memberOrder(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var keys []string
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return keys
		}
		keys = append(keys, key)
	}
	return keys
}

// declares reports whether any part of s, its alternatives included, speaks
// of a property by name or by pattern.
func declares(s *js.Schema, name string, seen map[*js.Schema]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	if s.Properties[name] != nil || slices.Contains(s.Required, name) {
		return true
	}
	for re := range s.PatternProperties {
		if re.MatchString(name) {
			return true
		}
	}
	return slices.ContainsFunc(sameValue(s), func(sub *js.Schema) bool { return declares(sub, name, seen) })
}
