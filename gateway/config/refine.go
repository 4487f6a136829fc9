package config

import (
	"slices"

	"github.com/toolgate/toolgate/discovery"
)

// refinements add to the schema of a place, by its path, what the rules of
// this package say of its form and neither type nor note can.
var refinements = map[string]func(*jsonSchema){
	"version":                  func(s *jsonSchema) { s.Enum = []any{Version} },
	"server.listen":            func(s *jsonSchema) { s.Default = DefaultListen },
	"store.url":                func(s *jsonSchema) { s.Pattern, s.Default = storePattern, DefaultStore },
	"log.level":                func(s *jsonSchema) { s.Default = DefaultLogLevel },
	"log.format":               func(s *jsonSchema) { s.Default = DefaultLogFormat },
	"code_interpreter.workers": func(s *jsonSchema) { s.Default = DefaultWorkers },
	"code_interpreter.queue":   func(s *jsonSchema) { s.Default = DefaultQueue },
	"discovery.limit":          func(s *jsonSchema) { s.Default = discovery.DefaultLimit },
	"admit.allow.*":            nameTag,
	"admit.deny.*":             nameTag,
	"groups":                   func(s *jsonSchema) { s.Names = &jsonSchema{Pattern: toolName.String()} },
	"profiles":                 func(s *jsonSchema) { s.Names = &jsonSchema{Pattern: toolName.String()} },
	"server.callers":           func(s *jsonSchema) { s.Names = &jsonSchema{Pattern: toolName.String()} },
	"tools":                    nameTools,
	"sources":                  func(s *jsonSchema) { s.Names = &jsonSchema{Pattern: prefixName.String()} },
	"sources.*.prefix":         func(s *jsonSchema) { s.Pattern = `^$|` + prefixName.String() },
	"tools.*.output":           func(s *jsonSchema) { s.Default = "auto" },
}

// demands add what has to be written. They do not hold in a layer over other
// files, which may hold the rest.
var demands = map[string]func(*jsonSchema){
	"secrets.*":                     func(s *jsonSchema) { s.OneOf = exactlyOne("env", "file") },
	"tools.*":                       func(s *jsonSchema) { s.OneOf = exactlyOne(built(s, kindBlocks)...) },
	"hooks.before.*":                func(s *jsonSchema) { s.OneOf = exactlyOne(built(s, beforeBlocks)...) },
	"hooks.after.*":                 func(s *jsonSchema) { s.OneOf = exactlyOne(built(s, afterBlocks)...) },
	"upstreams.*.auth":              func(s *jsonSchema) { s.OneOf = exactlyOne(authKinds...) },
	"tools.*.http.auth":             func(s *jsonSchema) { s.OneOf = exactlyOne(authKinds...) },
	"tools.*.http.body":             func(s *jsonSchema) { s.OneOf = exactlyOne(bodyKinds...) },
	"tools.*.http.body.multipart.*": func(s *jsonSchema) { s.OneOf = exactlyOne(partKinds...) },
	"sources.*":                     func(s *jsonSchema) { s.OneOf = exactlyOne(built(s, sourceBlocks)...) },
	"sources.*.include.*":           func(s *jsonSchema) { s.AnyOf = exactlyOne(includeKeys...) },
	"sources.*.openapi":             func(s *jsonSchema) { s.Not = with("base_url", "upstream") },
	"sources.*.openapi.auth.*": func(s *jsonSchema) {
		s.AnyOf[1].OneOf = exactlyOne(schemeKinds...)
	},
	"policy.rules.*": func(s *jsonSchema) {
		own, preset := with("name", "action"), with("preset")
		own.Not, preset.Not = with("preset"), withAny("tags", "action", "reason", "when")
		s.AnyOf = []*jsonSchema{own, preset}
	},
	"policy.tests.*": func(s *jsonSchema) {
		call, lists := with("call", "expect"), withAny("lists", "lists_only")
		call.Not, lists.Not = withAny("lists", "lists_only"), withAny("call", "args", "expect", "rule")
		s.AnyOf = []*jsonSchema{call, lists}
	},
}

// nameTag refuses an entry of "admit" that names no tag.
func nameTag(s *jsonSchema) { s.Not = &jsonSchema{Pattern: `^` + tagPrefix + `\s*$`} }

// nameTools says which names tools may have.
func nameTools(s *jsonSchema) {
	reserved := &jsonSchema{}
	for _, name := range reservedNames {
		reserved.Enum = append(reserved.Enum, name)
	}
	s.Names = &jsonSchema{Pattern: toolName.String(), Not: reserved}
}

// placeItems lets an item of a list of named things say beside which other item
// it stands.
func placeItems(s *jsonSchema) {
	s.Properties[keyBefore] = &jsonSchema{Type: "string", Description: "Name of the item of this list before which this one stands."}
	s.Properties[keyAfter] = &jsonSchema{Type: "string", Description: "Name of the item of this list after which this one stands."}
	s.Not = with(keyBefore, keyAfter)
}

// built are those of some keys that this version reads.
func built(s *jsonSchema, keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return s.Properties[key] == nil })
}

// exactlyOne says that an object has one of the keys and no other of them.
func exactlyOne(keys ...string) []*jsonSchema {
	var out []*jsonSchema
	for _, key := range keys {
		out = append(out, with(key))
	}
	return out
}

// with is an object that has all of the keys.
func with(keys ...string) *jsonSchema { return &jsonSchema{Required: keys} }

// withAny is an object that has one of the keys or more.
func withAny(keys ...string) *jsonSchema { return &jsonSchema{AnyOf: exactlyOne(keys...)} }
