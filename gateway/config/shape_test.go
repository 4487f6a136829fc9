package config

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func itoa(i int) string { return strconv.Itoa(i) }

// lookup follows a pattern through a shape.
func (s *shape) lookup(pattern string) *shape {
	if pattern == "" {
		return s
	}
	for key := range strings.SplitSeq(pattern, ".") {
		if s == nil {
			return nil
		}
		if s.elem != nil && key == "*" {
			s = s.elem
		} else {
			s = s.fields[key]
		}
	}
	return s
}

// TestTablesFitTypes finds notes, strayed and unbuilt keys that the types have left
// behind: renamed, removed or, for an unbuilt key, built meanwhile.
func TestTablesFitTypes(t *testing.T) {
	root := shapeOf(reflect.TypeFor[Config](), nil)
	for pattern := range notes {
		if root.lookup(pattern) == nil {
			t.Errorf("the note on %s is about nothing", pattern)
		}
	}
	for pattern, keys := range strayed {
		s := root.lookup(pattern)
		if s == nil || s.form != formObject {
			t.Errorf("strayed keys of %q: there is no such map", pattern)
			continue
		}
		for key := range keys {
			if s.fields[key] != nil || s.unbuilt[key] {
				t.Errorf("%s.%s is strayed and belongs there", pattern, key)
			}
		}
	}
	for pattern, keys := range unbuilt {
		s := root.lookup(pattern)
		if s == nil || s.form != formObject {
			t.Errorf("unbuilt keys of %q: there is no such map", pattern)
			continue
		}
		for key := range keys {
			if s.fields[key] != nil {
				t.Errorf("%s.%s is unbuilt and has a field", pattern, key)
			}
		}
	}
}

// TestEveryFieldHasAForm walks the types and says which keys are read: a field
// that is added to a Config type shows here.
func TestEveryFieldHasAForm(t *testing.T) {
	var keys []string
	var walk func(s *shape, at string)
	walk = func(s *shape, at string) {
		if s.elem != nil {
			walk(s.elem, at+".*")
			return
		}
		if s.form != formObject {
			keys = append(keys, strings.TrimPrefix(at, "."))
		}
		for _, key := range s.keys {
			walk(s.fields[key], at+"."+key)
		}
	}
	walk(shapeOf(reflect.TypeFor[Config](), nil), "")
	data := strings.Join(keys, "\n")
	for _, key := range []string{"tools.*.http.body.json", "tools.*.command.stdin", "policy.rules.*.tools.*", "secrets.*.env", "networks.allow.*"} {
		if !strings.Contains("\n"+data+"\n", "\n"+key+"\n") {
			t.Errorf("%s is not read; read are:\n%s", key, data)
		}
	}
}
