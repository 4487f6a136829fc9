package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

// assignment gives one argument the value of an expression. All assignments of
// a hook see the arguments as they were before it.
type assignment struct {
	path    []string // within the arguments, not empty
	program *expression.Program
}

// assignments compiles a "set" block in the order of its keys.
func (c *compiler) assignments(at diag.Cursor, set map[string]string) ([]assignment, bool) {
	var out []assignment
	ok := set == nil || len(set) > 0
	if !ok {
		at.Hintf("write args.NAME and an expression", "it names no argument")
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		path, known := argument(key)
		if !known {
			at.Key(key).Hintf("write args.NAME, or args.NAME.NAME for a member of an object", "%q does not name an argument", key)
			ok = false
			continue
		}
		if c.args != nil && !slices.Contains(c.args, path[0]) {
			at.Key(key).Hintf(diag.DidYouMean(path[0], c.args), "no tool that this hook reaches has an argument %s", path[0])
			ok = false
		}
		if other := overlapping(out, path); other != "" {
			at.Key(key).Hintf("set one of them", "it is set twice, also by %s", other)
			ok = false
		}
		program := expression.Compile(at.Key(key), set[key], c.call, expression.WantAny)
		ok = ok && program != nil
		out = append(out, assignment{path, program})
	}
	return out, ok
}

// argument reads args.a.b.
func argument(key string) (path []string, ok bool) {
	path = strings.Split(key, ".")
	if path[0] != "args" || len(path) < 2 || slices.Contains(path, "") || strings.ContainsAny(key, "[]\"'` ") {
		return nil, false
	}
	return path[1:], true
}

// overlapping finds an assignment to the same value or to one around or inside
// of it.
func overlapping(all []assignment, path []string) string {
	for _, a := range all {
		n := min(len(a.path), len(path))
		if slices.Equal(a.path[:n], path[:n]) {
			return "args." + strings.Join(a.path, ".")
		}
	}
	return ""
}

// assign gives the arguments with every assignment made.
func assign(args map[string]any, all []assignment, vars *expression.Vars) (map[string]any, error) {
	out := args
	for _, a := range all {
		value, err := a.program.Eval(vars)
		if err == nil {
			value, err = plain(value)
		}
		if err == nil {
			out, err = put(out, a.path, value)
		}
		if err != nil {
			return nil, fmt.Errorf("set args.%s: %w", strings.Join(a.path, "."), err)
		}
	}
	return out, nil
}

// put returns a copy of an object with the value at a path; nil takes it out.
// Objects on the way are made where they are absent.
func put(object map[string]any, path []string, value any) (map[string]any, error) {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	name := path[0]
	switch inner := out[name].(type) {
	case map[string]any:
		object = inner
	case nil:
		object = nil
	default:
		if len(path) > 1 {
			return nil, fmt.Errorf("%s is not an object", name)
		}
	}
	switch {
	case len(path) > 1 && value == nil && object == nil:
	case len(path) > 1:
		inner, err := put(object, path[1:], value)
		if err != nil {
			return nil, err
		}
		out[name] = inner
	case value == nil:
		delete(out, name)
	default:
		out[name] = value
	}
	return out, nil
}

var errMore = errors.New("more than one JSON value")

// plain is a value of an expression as a JSON value with its numbers as
// json.Number, which is what arguments are made of.
func plain(v any) (any, error) {
	switch v.(type) {
	case nil, bool, string, json.Number:
		return v, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("the value has no form as JSON")
	}
	return decode(data)
}

// decode reads exactly one JSON value with every digit of its numbers.
func decode(data []byte) (v any, err error) {
	return v, decodeInto(data, &v)
}

func decodeInto(data []byte, target any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(target); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errMore
	}
	return nil
}
