package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// inferParameters is the schema of what encoding/json decodes into a struct type, with
// what its tags say. The error has all that is wrong with the type.
func inferParameters(in reflect.Type) (json.RawMessage, error) {
	given := in
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	if in.Kind() != reflect.Struct || decodesItself(in) {
		return nil, fmt.Errorf("the arguments are of type %s, and have to be a struct with a field for each (struct{} for none)", given)
	}
	w := &walker{open: map[reflect.Type]bool{}, refs: map[reflect.Type]string{}, defs: map[string]*jsonschema.Schema{}}
	name := in.String()
	if in.Name() == "" {
		name = "struct"
	}
	s := *w.of(in, name)
	if s.Ref != "" { // a copy, for arguments that are added are none of the values inside
		s = *w.defs[strings.TrimPrefix(s.Ref, defs)]
	}
	if len(w.defs) > 0 {
		s.Defs = w.defs
	}
	if err := errors.Join(w.faults...); err != nil {
		return nil, err
	}
	data, err := json.Marshal(s)
	return unescapeHTML(data), err
}

// walker infers the schema of one type and of those it is made of. They are written out
// where they stand; one that holds itself is written once, under "$defs", and referred
// to.
type walker struct {
	open   map[reflect.Type]bool   // types that the walk is inside of
	refs   map[reflect.Type]string // references to types that hold themselves
	defs   map[string]*jsonschema.Schema
	faults []error
}

// fault notes what is wrong at a place, which is a type and the fields that lead from it.
func (w *walker) fault(at, format string, args ...any) *jsonschema.Schema {
	w.faults = append(w.faults, fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...)))
	return &jsonschema.Schema{}
}

// of is the schema of a type.
func (w *walker) of(t reflect.Type, at string) *jsonschema.Schema {
	if s := known(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Name() != "" {
			return w.fault(at, "the type %s is a pointer with a name (use the type that it points to)", t)
		}
		return w.of(t.Elem(), at)
	case reflect.Struct:
		return w.once(t, at, w.properties)
	case reflect.Slice, reflect.Array:
		return w.once(t, at, w.list)
	case reflect.Map:
		return w.once(t, at, w.dictionary)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return w.fault(at, "nothing can be decoded into the interface %s (use a type that it is implemented by, or any)", t)
		}
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return w.fault(at, "the type %s has no form in JSON (leave the field out with the tag `json:\"-\"`)", t)
	}
	return s
}

// orNull lets null stand for a field that is left out, as models send it. No item of a
// list and no value of a map may be null: functions do not expect it.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" {
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	return s
}

func (w *walker) list(t reflect.Type, at string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "array", Items: w.of(t.Elem(), at+"[]")}
	if t.Kind() == reflect.Array {
		s.MinItems, s.MaxItems = new(t.Len()), new(t.Len())
	}
	return s
}

func (w *walker) dictionary(t reflect.Type, at string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", AdditionalProperties: w.of(t.Elem(), at+"[]")}
	key := t.Key()
	switch {
	case key.Kind() == reflect.String, implements[encoding.TextUnmarshaler](key):
	case key.Kind() >= reflect.Int && key.Kind() <= reflect.Int64:
		s.PropertyNames = &jsonschema.Schema{Pattern: "^-?[0-9]+$"}
	case key.Kind() >= reflect.Uint && key.Kind() <= reflect.Uintptr:
		s.PropertyNames = &jsonschema.Schema{Pattern: "^[0-9]+$"}
	default:
		return w.fault(at, "a map with keys of type %s has no form in JSON (use strings or integers)", key)
	}
	return s
}

// once is the schema that make gives of a type which may hold itself, or a reference to it.
func (w *walker) once(t reflect.Type, at string, make func(reflect.Type, string) *jsonschema.Schema) *jsonschema.Schema {
	if w.open[t] || w.refs[t] != "" {
		return &jsonschema.Schema{Ref: w.refer(t)}
	}
	if t.Name() != "" {
		w.open[t] = true
		defer delete(w.open, t)
	}
	s := make(t, at)
	ref := w.refs[t]
	if ref == "" {
		return s
	}
	w.defs[strings.TrimPrefix(ref, defs)] = s
	return &jsonschema.Schema{Ref: ref}
}

// defs is where the schemas of types that hold themselves stand.
const defs = "#/$defs/"

// refer is the reference to a type that holds itself.
func (w *walker) refer(t reflect.Type) string {
	if w.refs[t] == "" {
		w.refs[t] = defs + w.unused(plainName(t))
	}
	return w.refs[t]
}

// unused is a name under "$defs" that no other type has.
func (w *walker) unused(name string) string {
	taken := func(name string) bool {
		for _, ref := range w.refs {
			if ref == defs+name {
				return true
			}
		}
		return false
	}
	unused := name
	for n := 2; taken(unused); n++ {
		unused = name + strconv.Itoa(n)
	}
	return unused
}

// plainName is the name of a type in ASCII and without the types that it is made with,
// whose names have those of packages in them.
func plainName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return strings.Map(func(c rune) rune {
		if c >= utf8.RuneSelf {
			return '_'
		}
		return c
	}, name)
}

func (w *walker) properties(t reflect.Type, at string) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}, // false
	}
	fields, faults := fieldsOf(t)
	for _, f := range faults {
		w.fault(at, "%s", f)
	}
	for i := range fields {
		f := &fields[i]
		s.Properties[f.name] = w.property(f, at+"."+f.Name)
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if !f.optional() {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

// property is the schema of a field with what its tags say.
func (w *walker) property(f *field, at string) *jsonschema.Schema {
	s := w.of(f.Type, at)
	switch {
	case f.Type.Kind() == reflect.Pointer:
		s = orNull(s)
	case reflect.ValueOf(*s).IsZero():
		s.Description = "Any JSON value." // of some clients a property has to be an object
	}
	before := len(w.faults)
	for _, tag := range tags {
		value, ok := f.Tag.Lookup(tag.name)
		if !ok {
			continue
		}
		if err := tag.set(s, f.Type, value); err != nil {
			w.fault(at, "tag %s:%q: %w", tag.name, value, err)
		}
	}
	if len(w.faults) == before {
		w.compare(f, s, at)
	}
	return s
}

// compare looks whether the field's own tags accept its default and its example.
func (w *walker) compare(f *field, s *jsonschema.Schema, at string) {
	for _, name := range []string{"default", "example"} {
		text, ok := f.Tag.Lookup(name)
		if !ok {
			continue
		}
		if value, err := valueOf(f.Type, text); err == nil && refuses(s, value) {
			w.fault(at, "tag %s:%q: the other tags refuse it (change it, or them)", name, text)
		}
	}
}

// unescapeHTML takes back what encoding/json does to < > and &: a model is no web page.
func unescapeHTML(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			out = append(out, data[i])
			continue
		}
		rest := data[i:]
		at := slices.IndexFunc(htmlEscapes, func(e htmlEscape) bool { return bytes.HasPrefix(rest, e.written) })
		if at >= 0 {
			out, i = append(out, htmlEscapes[at].char), i+len(htmlEscapes[at].written)-1
			continue
		}
		out, i = append(out, data[i], data[i+1]), i+1
	}
	return out
}

type htmlEscape struct {
	written []byte
	char    byte
}

var htmlEscapes = []htmlEscape{{[]byte(`\u003c`), '<'}, {[]byte(`\u003e`), '>'}, {[]byte(`\u0026`), '&'}}
