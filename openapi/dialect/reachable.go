package dialect

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// refStart is how a reference stands in what a Converter writes; in a string its
// quotes would be escaped.
const refStart = `"$ref":"#/$defs/`

// References lists the keys of the definitions that a schema made by a [Converter]
// refers to itself, each once, in the order of the text.
func References(raw json.RawMessage) (keys []string) {
	seen := map[string]bool{}
	for {
		at := bytes.Index(raw, []byte(refStart))
		if at < 0 {
			return keys
		}
		raw = raw[at+len(refStart):]
		end := bytes.IndexByte(raw, '"')
		if end < 0 {
			return keys
		}
		if key := string(raw[:end]); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
}

// Reachable lists the keys of the definitions that schemas refer to, themselves and
// through others, sorted. A key that defs has not is left out.
func Reachable(defs map[string]json.RawMessage, from ...json.RawMessage) []string {
	seen := map[string]bool{}
	for len(from) > 0 {
		raw := from[len(from)-1]
		from = from[:len(from)-1]
		for _, key := range References(raw) {
			if def, ok := defs[key]; ok && !seen[key] {
				seen[key] = true
				from = append(from, def)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
