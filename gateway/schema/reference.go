package schema

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// badReference words a reference that leads nowhere, or away.
func badReference(err error, doc any) (problem, bool) {
	if e, ok := errors.AsType[*js.LoadURLError](err); ok {
		return remote(e.URL, doc), true
	}
	if e, ok := errors.AsType[*js.UnsupportedDraftError](err); ok {
		return remote(strings.TrimPrefix(e.Error(), "draft "), doc), true
	}
	target := ""
	if e, ok := errors.AsType[*js.JSONPointerNotFoundError](err); ok {
		target = e.URL
	}
	if e, ok := errors.AsType[*js.AnchorNotFoundError](err); ok {
		target = e.Reference
	}
	if e, ok := errors.AsType[*js.InvalidJsonPointerError](err); ok {
		target = e.URL
	}
	if target == "" {
		return problem{}, false
	}
	_, fragment, _ := strings.Cut(target, "#")
	return dangling(fragment, doc), true
}

// remote words a reference into another document.
func remote(target string, doc any) problem {
	at, ref := findReference(doc, func(keyword, ref string) bool {
		document, _, _ := strings.Cut(ref, "#")
		return document != "" && strings.HasSuffix(target, strings.TrimLeft(document, "./"))
	})
	if len(at) > 0 && at[len(at)-1] == "$schema" {
		return problem{
			at: at, text: "unknown draft " + quote(ref),
			hint: "leave $schema out for draft 2020-12, or name https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema or http://json-schema.org/draft-07/schema#",
		}
	}
	if ref == "" {
		ref = strings.TrimPrefix(target, base)
	}
	return problem{
		at: at, text: "refers to another document, " + quote(ref) + ", and those are never loaded",
		hint: "put the definition under $defs and refer to it as #/$defs/name",
	}
}

// dangling words a reference to something that the document does not hold.
func dangling(fragment string, doc any) problem {
	wanted, err := url.PathUnescape(fragment)
	if err != nil {
		wanted = fragment
	}
	at, ref := findReference(doc, func(_, ref string) bool {
		_, own, _ := strings.Cut(ref, "#")
		decoded, err := url.PathUnescape(own)
		return err == nil && decoded != "" && strings.HasSuffix(wanted, decoded)
	})
	if ref == "" {
		ref = "#" + wanted
	}
	return problem{at: at, text: "refers to " + quote(ref) + ", which is not there", hint: nameHint(ref, definitions(doc))}
}

// endless finds a schema that refers to itself without stepping into the
// value, so that no value could ever be checked against it.
func (b *body) endless() *problem {
	var found *js.Schema
	state := map[*js.Schema]int{}
	const under, done = 1, 2
	var visit func(sub *js.Schema)
	visit = func(sub *js.Schema) {
		if sub == nil || state[sub] == done || found != nil {
			return
		}
		if state[sub] == under {
			found = sub
			return
		}
		state[sub] = under
		for _, next := range sameValue(sub) {
			visit(next)
		}
		state[sub] = done
	}
	prog := <-b.pool.idle
	defer func() { b.pool.idle <- prog }()
	for _, sub := range reachable(prog.root) {
		visit(sub)
	}
	if found == nil {
		return nil
	}
	path, _ := tokens(found.Location)
	return &problem{at: locate(path, b.doc), text: "refers to itself without end", hint: "a schema may come back to itself only inside properties or items"}
}

// definitions lists the references to what stands in the usual places.
func definitions(doc any) []string {
	root, _ := doc.(map[string]any)
	var out []string
	for _, place := range []string{"$defs", "definitions"} {
		defs, _ := root[place].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(defs)) {
			out = append(out, "#/"+place+"/"+name)
		}
	}
	return out
}

// findReference finds the first reference of a document that f accepts, in
// the order of keys.
func findReference(doc any, f func(keyword, ref string) bool) (at location, ref string) {
	switch v := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[key].(string); ok && refers(key) && f(key, text) {
				return location{key}, text
			}
			if at, ref := findReference(v[key], f); at != nil {
				return append(location{key}, at...), ref
			}
		}
	case []any:
		for i, item := range v {
			if at, ref := findReference(item, f); at != nil {
				return append(location{i}, at...), ref
			}
		}
	}
	return nil, ""
}

func refers(key string) bool {
	switch key {
	case "$ref", "$dynamicRef", "$recursiveRef", "$schema":
		return true
	}
	return false
}

// known reports whether a key is a keyword that holds schemas by name or one.
func known(key string) bool {
	switch key {
	case "properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties",
		"$defs", "definitions", "dependentSchemas", "dependencies", "not", "if", "then", "else",
		"items", "contains", "additionalItems", "unevaluatedItems", "contentSchema",
		"const", "default", "example", "discriminator":
		return true
	}
	return strings.HasPrefix(key, "x-")
}
