package config

import (
	"encoding/json"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
)

// form is how a value of the Config types is written in a file.
type form int

const (
	formText     form = iota // a string
	formBool                 // a bool
	formInt                  // an int
	formDuration             // a time.Duration
	formSize                 // a tool.Size
	formPrefix               // a netip.Prefix
	formTexts                // an expression.Texts
	formJSON                 // a json.RawMessage: any value
	formObject               // a struct: a map with known keys
	formDict                 // a Go map: a map with any keys
	formList                 // a slice
)

// shape is what may be written at one place of a file. It is read from the
// Config types, so a field that is added there is known here at once.
type shape struct {
	form    form
	fields  map[string]*shape // of an object, by key
	keys    []string          // the keys of fields, sorted
	unbuilt map[string]bool   // keys of an object that a later version reads
	strayed map[string]string // keys that belong elsewhere than in an object, and what to write
	alone   string            // the key of an object whose value may stand there without a map around it
	elem    *shape            // of a dict or list
	note    note
}

// Types with a form of their own; the others follow their kind.
var leafForms = map[reflect.Type]form{
	reflect.TypeFor[time.Duration]():    formDuration,
	reflect.TypeFor[tool.Size]():        formSize,
	reflect.TypeFor[netip.Prefix]():     formPrefix,
	reflect.TypeFor[expression.Texts](): formTexts,
	reflect.TypeFor[json.RawMessage]():  formJSON,
}

// aloneKeys are the keys of objects that may be written as the value of that key
// alone.
var aloneKeys = map[reflect.Type]string{
	reflect.TypeFor[openapi.Auth]():            "value",
	reflect.TypeFor[rehearsal.FailureConfig](): "type",
}

// tagName is the struct tag that names the key of a field.
const tagName = "koanf"

// shapeOf reads a type. The pattern is the path of the value with * for names
// and indexes; it finds what notes, unbuilt and strayed say of the place.
func shapeOf(t reflect.Type, pattern []string) *shape { return shapeIn(t, pattern, false) }

// shapeIn is shapeOf for what stands inside something else: all that is inside
// a private value is private too.
func shapeIn(t reflect.Type, pattern []string, private bool) *shape {
	s := &shape{note: notes[strings.Join(pattern, ".")]}
	s.note.private = s.note.private || private
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if f, ok := leafForms[t]; ok {
		s.form = f
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		s.object(t, pattern)
	case reflect.Map:
		s.form, s.elem = formDict, shapeIn(t.Elem(), further(pattern, "*"), s.note.private)
	case reflect.Slice:
		s.form, s.elem = formList, shapeIn(t.Elem(), further(pattern, "*"), s.note.private)
	case reflect.Bool:
		s.form = formBool
	case reflect.Int:
		s.form = formInt
	case reflect.String:
		s.form = formText
	default:
		panic("config: no form for the type " + t.String())
	}
	return s
}

func (s *shape) object(t reflect.Type, pattern []string) {
	s.form, s.fields, s.alone = formObject, map[string]*shape{}, aloneKeys[t]
	for field := range t.Fields() {
		if key := field.Tag.Get(tagName); key != "" {
			s.fields[key] = shapeIn(field.Type, further(pattern, key), s.note.private)
		}
	}
	s.keys = slices.Sorted(maps.Keys(s.fields))
	place := strings.Join(pattern, ".")
	s.unbuilt, s.strayed = unbuilt[place], strayed[place]
}

func further(pattern []string, key string) []string { return append(slices.Clip(pattern), key) }
