package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// tags are the struct tags that say more of a field than its type does, in the order in
// which they are read. Those of single values are about the elements where the field is
// a list or a map.
var tags = []struct {
	name string
	set  func(s *jsonschema.Schema, t reflect.Type, text string) error
}{
	{"jsonschema", setDescription},
	{"enum", ofElements(setEnum)},
	{"minimum", ofElements(bound(func(s *jsonschema.Schema, n float64) { s.Minimum = &n }))},
	{"maximum", ofElements(bound(func(s *jsonschema.Schema, n float64) { s.Maximum = &n }))},
	{"minLength", ofElements(count("string", func(s *jsonschema.Schema, n int) { s.MinLength = &n }))},
	{"maxLength", ofElements(count("string", func(s *jsonschema.Schema, n int) { s.MaxLength = &n }))},
	{"pattern", ofElements(setPattern)},
	{"format", ofElements(setFormat)},
	{"minItems", count("array", func(s *jsonschema.Schema, n int) { s.MinItems = &n })},
	{"maxItems", count("array", func(s *jsonschema.Schema, n int) { s.MaxItems = &n })},
	{"example", setExample},
	{"default", setDefault},
}

type setter = func(s *jsonschema.Schema, t reflect.Type, text string) error

// ofElements sets what is said of a list or a map for its elements.
func ofElements(set setter) setter {
	return func(s *jsonschema.Schema, t reflect.Type, text string) error {
		for {
			switch {
			case t.Kind() == reflect.Pointer:
				t = t.Elem()
				continue
			case is(s, "array") && s.Items != nil:
				s, t = s.Items, t.Elem()
				continue
			case is(s, "object") && t.Kind() == reflect.Map:
				s, t = s.AdditionalProperties, t.Elem()
				continue
			}
			return set(s, t, text)
		}
	}
}

// is reports whether values of the type are what the schema is about.
func is(s *jsonschema.Schema, jsonType string) bool {
	return s.Type == jsonType || slices.Contains(s.Types, jsonType)
}

// equals are descriptions that start as other packages' tags do.
var equals = regexp.MustCompile(`^[^ \t\n]*=`)

func setDescription(s *jsonschema.Schema, _ reflect.Type, text string) error {
	switch {
	case text == "":
		return errors.New("it is the description, and empty (say what the argument is)")
	case equals.MatchString(text):
		return errors.New("it is the description and nothing else (for the rest there are tags such as enum:\"a,b\" and minimum:\"1\")")
	}
	s.Description = text
	return nil
}

func setEnum(s *jsonschema.Schema, t reflect.Type, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		value, err := valueOf(t, strings.TrimSpace(part))
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(s.Enum, func(v any) bool { return string(v.(json.RawMessage)) == string(value) }):
			return fmt.Errorf("%s stands in it twice", value)
		}
		s.Enum = append(s.Enum, value)
	}
	if is(s, "null") {
		s.Enum = append(s.Enum, json.RawMessage("null"))
	}
	return nil
}

func setExample(s *jsonschema.Schema, t reflect.Type, text string) error {
	value, err := valueOf(t, text)
	if err == nil {
		s.Examples = []any{value}
	}
	return err
}

func setDefault(s *jsonschema.Schema, t reflect.Type, text string) error {
	value, err := valueOf(t, text)
	s.Default = value
	return err
}

// bound sets a bound of numbers, which has to be a value of the field's type.
func bound(set func(*jsonschema.Schema, float64)) setter {
	return func(s *jsonschema.Schema, t reflect.Type, text string) error {
		if !is(s, "integer") && !is(s, "number") {
			return fmt.Errorf("it is for numbers, and this is of type %s", t)
		}
		value, err := valueOf(t, text)
		if err != nil {
			return err
		}
		n, err := strconv.ParseFloat(string(value), 64)
		if err != nil || is(s, "integer") && strconv.FormatFloat(n, 'f', -1, 64) != string(value) {
			return errors.New("it has more digits than a bound can have (take one of at most 15)")
		}
		set(s, n)
		if s.Minimum != nil && s.Maximum != nil && *s.Minimum > *s.Maximum {
			return errors.New("the minimum is more than the maximum, and so nothing fits")
		}
		return nil
	}
}

// count sets a bound of how long texts or lists are.
func count(jsonType string, set func(*jsonschema.Schema, int)) setter {
	return func(s *jsonschema.Schema, t reflect.Type, text string) error {
		if !is(s, jsonType) {
			return fmt.Errorf("it is for values that are a JSON %s, and this is of type %s", jsonType, t)
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errors.New("it is not a whole number from 0")
		}
		set(s, n)
		if more(s.MinLength, s.MaxLength) || more(s.MinItems, s.MaxItems) {
			return errors.New("the least is more than the most, and so nothing fits")
		}
		return nil
	}
}

// more reports whether the first of two numbers is larger, if there are both.
func more(a, b *int) bool { return a != nil && b != nil && *a > *b }

func setPattern(s *jsonschema.Schema, t reflect.Type, text string) error {
	if !is(s, "string") {
		return fmt.Errorf("it is for texts, and this is of type %s", t)
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("it is not a regular expression of Go's: %w", err)
	}
	s.Pattern = text
	return nil
}

func setFormat(s *jsonschema.Schema, t reflect.Type, text string) error {
	switch {
	case !is(s, "string"):
		return fmt.Errorf("it is for texts, and this is of type %s", t)
	case text == "":
		return errors.New("it is empty (write one of JSON Schema's, such as email or uri)")
	}
	s.Format = text
	return nil
}

// valueOf reads a value of the type out of a tag: texts as they are, all else as JSON.
func valueOf(t reflect.Type, text string) (json.RawMessage, error) {
	asText, err := EncodeJSON(text)
	if err != nil {
		return nil, err
	}
	isText := base(t).Kind() == reflect.String && base(t) != reflect.TypeFor[json.Number]()
	switch value := json.RawMessage(text); {
	case !isText && text != "null" && decodes(t, value):
		return value, nil
	case decodes(t, asText):
		return asText, nil
	}
	return nil, fmt.Errorf("%s is not a value of type %s (write texts as they are, all else as JSON)", text, t)
}

// base is the type without pointers. A pointer with a name may point to itself.
func base(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t
}

// decodes reports whether a JSON text is one of a value of the type.
func decodes(t reflect.Type, data json.RawMessage) bool {
	return json.Valid(data) && decodeStrictly(data, reflect.New(t).Interface()) == nil
}

// refuses reports whether a schema surely refuses a value that its type accepts: only the
// gateway can tell of one of which a part stands elsewhere.
func refuses(s *jsonschema.Schema, data json.RawMessage) bool {
	text, err := json.Marshal(s)
	if err != nil {
		return false
	}
	var decoded jsonschema.Schema
	if err := json.Unmarshal(text, &decoded); err != nil {
		return false
	}
	decoded.Default = nil
	resolved, err := decoded.Resolve(nil)
	if err != nil {
		return false
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return false
	}
	return resolved.Validate(value) != nil
}
