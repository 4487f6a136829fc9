package tool

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is a field of a struct as encoding/json sees it.
type field struct {
	reflect.StructField
	name   string // in JSON
	tagged bool   // the name is from the tag
	omits  bool   // omitempty or omitzero
	quoted bool   // the option string, which has numbers sent as texts
	path   string // the name in Go, behind those of the embedded structs that it came out of
	depth  int    // how many these are
	number int    // of all fields that were found
}

// optional reports whether the field may be left out of arguments.
func (f *field) optional() bool {
	_, ok := f.Tag.Lookup("default")
	return ok || f.omits || f.Type.Kind() == reflect.Pointer
}

// fieldsOf are the fields that encoding/json decodes into, those of embedded structs
// included, in the order in which they are written; and what is wrong with them.
func fieldsOf(t reflect.Type) (fields []field, faults []string) {
	c := &collector{inside: map[reflect.Type]bool{}}
	c.collect(t, 0, "")
	faults = c.faults
	for i := range c.found {
		f := &c.found[i]
		better, equal := c.rivals(f)
		switch {
		case better:
		case equal == nil:
			fields = append(fields, *f)
		case equal.number < f.number:
			faults = append(faults, fmt.Sprintf("the fields %s and %s are both %q in JSON, and so neither is (rename one with a json tag)", equal.path, f.path, f.name))
		}
	}
	return fields, faults
}

// collector finds the fields of a struct and of those that are embedded in it.
type collector struct {
	inside map[reflect.Type]bool
	found  []field
	faults []string
}

func (c *collector) collect(t reflect.Type, depth int, within string) {
	if c.inside[t] {
		return // it embeds itself, and its own fields hide these
	}
	c.inside[t] = true
	defer delete(c.inside, t)
	for i := range t.NumField() {
		f, ok := read(t.Field(i))
		if !ok {
			continue
		}
		f.depth, f.path = depth, within+f.Name
		if inner := embedded(f); inner != nil {
			if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
				c.faults = append(c.faults, fmt.Sprintf("the embedded pointer %s cannot be set, since its type is not exported (embed the struct itself)", f.path))
			}
			c.collect(inner, depth+1, f.path+".")
			continue
		}
		if !f.IsExported() {
			continue
		}
		if strings.ContainsFunc(f.name, notInName) {
			c.faults = append(c.faults, fmt.Sprintf("encoding/json does not take %q, the name in the json tag of %s (use letters, digits and underscores)", f.name, f.path))
		}
		if f.quoted {
			c.faults = append(c.faults, fmt.Sprintf("the option string of the json tag of %s is not supported (leave it out: numbers keep every digit)", f.path))
		}
		f.number = len(c.found)
		c.found = append(c.found, f)
	}
}

// notInName reports whether encoding/json ignores a name with the character in it.
func notInName(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c)
}

// read reads a field's json tag; it reports false for one that is left out.
func read(f reflect.StructField) (field, bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return field{}, false
	}
	name, options, _ := strings.Cut(tag, ",")
	out := field{StructField: f, name: name, tagged: name != ""}
	if name == "" {
		out.name = f.Name
	}
	list := strings.Split(options, ",")
	out.omits = slices.Contains(list, "omitempty") || slices.Contains(list, "omitzero")
	out.quoted = slices.Contains(list, "string")
	return out, true
}

// embedded is the struct whose fields stand in place of the field; nil where it is a
// field like any other.
func embedded(f field) reflect.Type {
	if !f.Anonymous || f.tagged {
		return nil
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || decodesItself(t) && f.IsExported() {
		return nil
	}
	return t
}

// rivals says whether encoding/json prefers another field of the name to f, and names the
// first that it takes for as good; nil for none.
func (c *collector) rivals(f *field) (better bool, equal *field) {
	for i := range c.found {
		o := &c.found[i]
		if o.name != f.name || o.number == f.number {
			continue
		}
		switch {
		case o.depth < f.depth, o.depth == f.depth && o.tagged && !f.tagged:
			return true, nil
		case o.depth == f.depth && o.tagged == f.tagged && equal == nil:
			equal = o
		}
	}
	return false, equal
}
