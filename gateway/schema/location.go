package schema

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// location is a place in a JSON document: keys are strings, indexes are ints.
type location []any

// locate turns the tokens of a JSON pointer into a location in v.
func locate(tokens []string, v any) location {
	at := make(location, 0, len(tokens)+1)
	for _, token := range tokens {
		if list, ok := v.([]any); ok {
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(list) {
				at, v = append(at, i), list[i]
				continue
			}
		}
		members, _ := v.(map[string]any)
		at, v = append(at, token), members[token]
	}
	return at
}

// lookup is the value at a location of v; nil where nothing stands.
func (at location) lookup(v any) any {
	for _, step := range at {
		switch step := step.(type) {
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		case string:
			members, _ := v.(map[string]any)
			v = members[step]
		}
	}
	return v
}

// with returns the location one step further in.
func (at location) with(step any) location { return append(slices.Clip(at), step) }

// String writes a.b[0]; a key that is no plain name is quoted: a["b c"]. Of a
// very long path the end is written.
func (at location) String() string {
	s := at.whole()
	for i := 1; len(s) > maxPath && i < len(at); i++ {
		s = "…" + at[i:].whole()
	}
	return s
}

func (at location) whole() string {
	var b strings.Builder
	for i, step := range at {
		switch step := step.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(step) + "]")
		case string:
			switch {
			case !plainKey(step):
				b.WriteString("[" + quote(step) + "]")
			case i > 0:
				b.WriteString("." + step)
			default:
				b.WriteString(step)
			}
		}
	}
	return b.String()
}

// keys writes each step as a text, for Mistake.Path.
func (at location) keys() []string {
	out := make([]string, len(at))
	for i, step := range at {
		switch step := step.(type) {
		case int:
			out[i] = strconv.Itoa(step)
		case string:
			out[i] = step
		}
	}
	return out
}

// compare orders locations: by key, by index, the outer one first.
func (at location) compare(other location) int {
	return slices.CompareFunc(at, other, func(a, b any) int {
		i, aIndex := a.(int)
		j, bIndex := b.(int)
		if aIndex && bIndex {
			return cmp.Compare(i, j)
		}
		ka, _ := a.(string)
		kb, _ := b.(string)
		return cmp.Compare(ka, kb)
	})
}

var plainName = regexp.MustCompile(`^[A-Za-z_$@][A-Za-z0-9_$@-]*$`)

func plainKey(key string) bool { return len(key) <= maxShown && plainName.MatchString(key) }

// pointer splits a JSON pointer (RFC 6901) into its tokens; nil for the root.
func pointer(text string) []string {
	if text == "" {
		return nil
	}
	tokens := strings.Split(text, "/")[1:]
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}
