package argument_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// random makes operations, and arguments that are often valid.
type random struct {
	*rand.Rand
	definitions map[string]any
}

func newRandom(seed uint64) *random {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 7)), definitions: map[string]any{}}
	for i := range 4 {
		r.definitions[fmt.Sprint("d", i)] = r.object(4) // which never is itself again without a step into the value
	}
	return r
}

func (r *random) one(all ...string) string { return all[r.IntN(len(all))] }

func (r *random) inputs() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for key, v := range r.definitions {
		out[key] = encode(v)
	}
	return out
}

func encode(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// operation has parameters and a body of any kind.
func (r *random) operation() *spec.Operation {
	op := &spec.Operation{}
	for i := range r.IntN(4) {
		op.Parameters = append(op.Parameters, spec.Parameter{
			Name: r.one("id", "id[]", "$q", fmt.Sprint("p", i)), In: r.one(spec.InPath, spec.InQuery, spec.InHeader),
			Required: r.IntN(2) == 0, Schema: encode(r.schema(2)), Description: r.prose(), Deprecated: r.IntN(9) == 0,
		})
	}
	if r.IntN(4) > 0 {
		op.Body = &spec.Body{
			Kind: r.one(spec.BodyJSON, spec.BodyJSON, spec.BodyForm, spec.BodyText, spec.BodyBinary), Media: "a/b",
			Required: r.IntN(2) == 0, Schema: encode(r.schema(4)),
		}
	}
	return op
}

func (r *random) prose() string {
	return strings.Repeat(r.one("Says “so”. ", "", "", "x\n"), 1<<r.IntN(8))
}

// schema is a schema of at most so many levels.
func (r *random) schema(depth int) any {
	if depth == 0 || r.IntN(4) == 0 {
		return r.leaf()
	}
	s := map[string]any{}
	switch r.IntN(10) {
	case 0:
		s["$ref"] = fmt.Sprint("#/$defs/d", r.IntN(4))
	case 1:
		s["type"], s["items"] = "array", r.schema(depth-1)
		if r.IntN(3) == 0 {
			s["contains"], s["maxContains"] = r.schema(depth-1), 1
		}
	case 2:
		s[r.one("anyOf", "oneOf", "oneOf")] = []any{r.schema(depth - 1), r.schema(depth - 1)}
	case 3:
		s["allOf"] = []any{r.object(depth - 1), r.object(depth - 1)}
		if r.IntN(2) == 0 {
			s["unevaluatedProperties"] = false
		}
	case 4:
		s = r.object(depth)
		s["not"] = map[string]any{"properties": map[string]any{"a": r.schema(depth - 1)}, "required": []string{"a"}}
	case 5:
		s = r.object(depth)
		s["if"], s["then"], s["else"] = r.schema(depth-1), r.schema(depth-1), r.schema(depth-1)
	default:
		s = r.object(depth)
	}
	if r.IntN(3) == 0 {
		s["description"] = r.prose()
	}
	if r.IntN(9) == 0 {
		s["oneOf"], s["anyOf"] = []any{r.schema(depth - 1), r.schema(depth - 1)}, []any{true, r.schema(depth - 1)}
	}
	return s
}

func (r *random) object(depth int) map[string]any {
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		if r.IntN(2) == 0 {
			properties[name] = r.schema(max(0, depth-1))
		}
	}
	s := map[string]any{"type": "object", "properties": properties}
	if r.IntN(2) == 0 {
		s["required"] = []string{r.one("a", "b")}
	}
	switch r.IntN(5) {
	case 0:
		s["additionalProperties"] = r.schema(max(0, depth-1))
	case 1:
		s["additionalProperties"] = false
	case 2:
		s["patternProperties"] = map[string]any{"^b": r.schema(max(0, depth-1))}
	}
	return s
}

func (r *random) leaf() any {
	switch r.IntN(9) {
	case 0:
		return true
	case 1:
		return map[string]any{"description": r.prose()}
	case 2:
		var words []any
		for i := range 1 + r.IntN(80) {
			words = append(words, fmt.Sprint("word ", i))
		}
		return map[string]any{"type": "string", "enum": words, "description": r.prose()}
	case 3:
		return map[string]any{"type": []string{r.one("string", "integer"), "null"}}
	case 4:
		return map[string]any{"const": r.IntN(3), "title": "T"}
	case 5:
		return map[string]any{"enum": []any{1, "a", nil}, "default": strings.Repeat("d", 1<<r.IntN(10))}
	}
	return map[string]any{"type": r.one("string", "integer", "boolean", "object", "array"), "description": r.prose()}
}

// value is often valid under a schema.
func (r *random) value(schema any, depth int) any {
	s, _ := schema.(map[string]any)
	if r.IntN(20) == 0 || depth == 0 {
		return r.scalar(r.one("string", "integer", "null", "object", "array"))
	}
	if v, ok := s["const"]; ok {
		return number(v)
	}
	if list, ok := s["enum"].([]any); ok {
		return number(list[r.IntN(len(list))])
	}
	if key, ok := s["$ref"].(string); ok {
		return r.value(r.definitions[strings.TrimPrefix(key, "#/$defs/")], depth-1)
	}
	if all, ok := s["allOf"].([]any); ok {
		out := map[string]any{}
		for _, part := range all {
			if object, ok := r.value(part, depth-1).(map[string]any); ok {
				maps.Copy(out, object)
			}
		}
		return out
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if all, ok := s[union].([]any); ok && s["type"] == nil {
			return r.value(all[r.IntN(len(all))], depth-1)
		}
	}
	return r.typed(s, depth)
}

func (r *random) typed(s map[string]any, depth int) any {
	t, _ := s["type"].(string)
	if all, ok := s["type"].([]any); ok {
		t, _ = all[r.IntN(len(all))].(string)
	}
	switch t {
	case "":
		return r.scalar(r.one("string", "integer", "null"))
	case "array":
		out := []any{}
		for range r.IntN(3) {
			out = append(out, r.value(s["items"], depth-1))
		}
		return out
	case "object":
		return r.members(s, depth)
	}
	return r.scalar(t)
}

func (r *random) members(s map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || r.IntN(2) == 0 {
			out[name] = r.value(properties[name], depth-1)
		}
	}
	for _, name := range required {
		if name, ok := name.(string); ok && out[name] == nil && properties[name] == nil {
			out[name] = r.value(s["additionalProperties"], depth-1)
		}
	}
	return out
}

func (r *random) scalar(t string) any {
	switch t {
	case "string":
		return r.one("a", "word 1", "")
	case "integer":
		return json.Number(strconv.Itoa(r.IntN(3)))
	case "boolean":
		return r.IntN(2) == 0
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	}
	return nil
}

// number writes numbers as arguments have them.
func number(v any) any {
	if n, ok := v.(float64); ok {
		return json.Number(strconv.Itoa(int(n)))
	}
	return v
}
