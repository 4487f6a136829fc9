package httptool

import (
	"encoding/json"
	"regexp"
	"strings"
)

// plainPath is an expression that is nothing but a path of names through the
// body.
var plainPath = regexp.MustCompile(`^\s*body(\??\.[A-Za-z_]\w*|\["[^"\\]*"\])*\s*$`)

// step is one name of such a path.
var step = regexp.MustCompile(`\.([A-Za-z_]\w*)|\["([^"\\]*)"\]`)

// bodyPath is the path of names that an expression is; nil where it is more
// than that. The body itself is the empty path.
func bodyPath(source string) []string {
	if !plainPath.MatchString(source) {
		return nil
	}
	names := []string{}
	for _, m := range step.FindAllStringSubmatch(strings.TrimSpace(source), -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

// rawItems are the items of the list at the path, as they were sent: with the
// order of their keys, which an expression does not keep.
func rawItems(a *answer, path []string) (items []json.RawMessage, ok bool) {
	if path == nil || !a.json {
		return nil, false
	}
	at := json.RawMessage(a.body)
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(at, &object) != nil {
			return nil, false
		}
		if at, ok = object[name]; !ok {
			return nil, false
		}
	}
	err := json.Unmarshal(at, &items)
	return items, err == nil
}
