package schema

import (
	"encoding/json"
	"strings"
)

// isPortable reports whether a text is surely portable as it stands, as most
// schemas are. What it does not know it says no to.
func isPortable(raw json.RawMessage) bool {
	if !json.Valid(raw) {
		return false
	}
	r := reader{raw: raw, left: maxPortable}
	return r.portable(true)
}

// portable moves over a schema and reports whether it is portable.
func (r *reader) portable(top bool) bool {
	if r.left--; r.left < 0 || r.space() != '{' {
		r.skip()
		return false
	}
	ok, values := true, map[string]string{}
	r.members(func(name string) {
		r.space()
		start := r.at
		ok = r.portableMember(name) && (!top || standsAtTop(name)) && ok
		if name == "type" || name == "items" || name == "enum" || name == "properties" || isExclusive(name) {
			values[name] = string(r.raw[start:r.at])
		}
	})
	return ok && settled(values) && (!top || values["type"] == `"object"` && values["properties"] != "")
}

func isExclusive(name string) bool { return name == "exclusiveMinimum" || name == "exclusiveMaximum" }

// portableMember moves over the value of one keyword.
func (r *reader) portableMember(name string) bool {
	switch first := r.raw[r.at]; {
	case name == "properties" && first == '{':
		ok := true
		r.members(func(string) { ok = r.portable(false) && ok })
		return ok
	case name == "items", name == "additionalProperties" && first == '{':
		return r.portable(false)
	default:
		r.skip()
		switch name {
		case "type", "enum", "additionalProperties":
			return true
		case "required":
			return first == '['
		}
		return isBound(name) || namedValue{name, json.RawMessage{first}}.isAnnotation()
	}
}

// settled reports whether keywords that hang together are as they should be.
func settled(values map[string]string) bool {
	exclusive, types := values["exclusiveMinimum"]+values["exclusiveMaximum"], values["type"]
	switch {
	case strings.HasPrefix(exclusive, "true"), strings.HasPrefix(exclusive, "false"): // of draft 4
		return false
	case types == `"integer"`:
		return exclusive == ""
	case types == `"array"`:
		return values["items"] != ""
	case strings.HasPrefix(types, "["):
		return strings.Contains(types, ",")
	}
	return values["enum"] == "" || types != ""
}
