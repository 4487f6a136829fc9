package reload

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// keyDepth is how many keys below an entry are told apart: http.path, and no
// more. Deeper ones are names of the operator's own, such as those of headers.
const keyDepth = 2

// keysOf are the keys, as the file writes them, in which two values of a
// configuration differ: at most depth keys each, sorted.
func keysOf(a, b any, depth int) []string {
	var out []string
	differ(reflect.ValueOf(a), reflect.ValueOf(b), nil, depth, func(path []string) {
		out = append(out, strings.Join(path, "."))
	})
	slices.Sort(out)
	return slices.Compact(out)
}

func differ(a, b reflect.Value, path []string, depth int, found func(path []string)) {
	a, b = reached(a), reached(b)
	switch {
	case len(path) < depth && a.IsValid() && b.IsValid() && isBlock(a.Type()):
		for i := range a.NumField() {
			if key := a.Type().Field(i).Tag.Get("koanf"); key != "" {
				differ(a.Field(i), b.Field(i), append(slices.Clip(path), key), depth, found)
			}
		}
	case !same(a, b):
		found(path)
	}
}

// reached is what a pointer leads to; the zero Value where that is nothing.
func reached(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// isBlock reports whether the type is a struct of the file's own keys.
func isBlock(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("koanf") != "" {
			return true
		}
	}
	return false
}

func same(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// entries are what a map or a list of the configuration holds, by name, in
// their order; that of a map is the one of its names.
type entries struct {
	names  []string
	byName map[string]any
}

func entriesOfMap[T any](m map[string]T) entries {
	e := entries{names: slices.Sorted(maps.Keys(m)), byName: make(map[string]any, len(m))}
	for name, v := range m {
		e.byName[name] = v
	}
	return e
}

func entriesOfList[T any](list []T, name func(*T) string) entries {
	e := entries{byName: make(map[string]any, len(list))}
	for i := range list {
		e.names = append(e.names, name(&list[i]))
		e.byName[e.names[i]] = list[i]
	}
	return e
}

// compare says which entries came, went and are others now, and whether those
// that stayed stand in another order.
func compare(before, after entries) Change {
	c := Change{Added: missing(after.names, before.byName), Removed: missing(before.names, after.byName)}
	for name, old := range before.byName {
		if now, ok := after.byName[name]; ok {
			c.note(name, keysOf(old, now, keyDepth)...)
		}
	}
	c.Reordered = !slices.Equal(
		slices.DeleteFunc(slices.Clone(before.names), func(n string) bool { return slices.Contains(c.Removed, n) }),
		slices.DeleteFunc(slices.Clone(after.names), func(n string) bool { return slices.Contains(c.Added, n) }),
	)
	return c
}

// missing are the names that are not in a map.
func missing(names []string, in map[string]any) []string {
	var out []string
	for _, n := range names {
		if _, ok := in[n]; !ok {
			out = append(out, n)
		}
	}
	return out
}
