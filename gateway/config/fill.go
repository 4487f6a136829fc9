package config

import (
	"fmt"
	"reflect"
)

// filler puts checked values into the fields they are for. The decoder of koanf
// can do so too and asks each field for its name anew for every value: of the
// tools, which are nearly all that stands in a file, that took longer than to
// check them.
type filler struct {
	fields map[reflect.Type]map[string]int // indexes of fields by their keys, by struct
}

func newFiller() *filler { return &filler{fields: map[reflect.Type]map[string]int{}} }

// fill sets a value, which the checker made for one of this type.
func (f *filler) fill(into reflect.Value, value any) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch v := value.(type) {
	case string:
		return f.text(into, v)
	case bool:
		if into.Kind() == reflect.Bool {
			into.SetBool(v)
			return nil
		}
	case int:
		if into.CanInt() && !into.OverflowInt(int64(v)) {
			into.SetInt(int64(v))
			return nil
		}
	case []any:
		if into.Kind() == reflect.Slice {
			return f.list(into, v)
		}
	case map[string]any:
		switch into.Kind() {
		case reflect.Struct:
			return f.object(into, v)
		case reflect.Map:
			return f.dict(into, v)
		}
	}
	return fmt.Errorf("%T is no %s", value, into.Type())
}

// text sets a string, or what is written as one.
func (f *filler) text(into reflect.Value, s string) error {
	if done, err := setText(into, s); done || err != nil {
		return err
	}
	if into.Kind() != reflect.String {
		return fmt.Errorf("a text is no %s", into.Type())
	}
	into.SetString(s)
	return nil
}

func (f *filler) list(into reflect.Value, items []any) error {
	out := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		if err := f.fill(out.Index(i), item); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	into.Set(out)
	return nil
}

func (f *filler) dict(into reflect.Value, members map[string]any) error {
	out := reflect.MakeMapWithSize(into.Type(), len(members))
	for key, member := range members {
		v := reflect.New(into.Type().Elem()).Elem()
		if err := f.fill(v, member); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		out.SetMapIndex(reflect.ValueOf(key), v)
	}
	into.Set(out)
	return nil
}

func (f *filler) object(into reflect.Value, members map[string]any) error {
	fields := f.fieldsOf(into.Type())
	for key, member := range members {
		i, ok := fields[key]
		if !ok {
			return fmt.Errorf("%s has no field for %s", into.Type(), key)
		}
		if err := f.fill(into.Field(i), member); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func (f *filler) fieldsOf(t reflect.Type) map[string]int {
	fields := f.fields[t]
	if fields == nil {
		fields = map[string]int{}
		for i := range t.NumField() {
			if key := t.Field(i).Tag.Get(tagName); key != "" {
				fields[key] = i
			}
		}
		f.fields[t] = fields
	}
	return fields
}
