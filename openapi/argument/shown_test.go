package argument_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
)

// deep is an operation whose schema can be cut in every way.
func deep() (*spec.Operation, string) {
	prose := strings.Repeat("Long. ", 100)
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprint("word ", i))
	}
	sort := spec.Parameter{Name: "sort[]", In: spec.InQuery, Description: prose, Schema: json.RawMessage(`{"description":"x","enum":` + string(encode(words)) + `}`)}
	op := &spec.Operation{
		Parameters: append(parameters("path id"), sort),
		Body:       jsonBody(`{"properties":{"pet":{"$ref":"#/$defs/pet"},"name":{"type":"string"}},"required":["pet"]}`),
	}
	return op, `{"pet":{"type":"object","description":"A pet.","properties":{"owner":{"$ref":"#/$defs/owner"},"tags":{"type":"array","items":{"type":"object","properties":{"t":{"type":"string"}}}}}},
		"owner":{"allOf":[{"$ref":"#/$defs/person"}],"description":"` + prose + `"},
		"person":{"type":"object","properties":{"home":{"oneOf":[{"type":"object","properties":{"street":{"type":"string"}}},{"type":"string"}]},"pet":{"$ref":"#/$defs/pet"}},"not":{"required":["x"]}}}`
}

// TestShown cuts one operation more and more.
func TestShown(t *testing.T) {
	t.Parallel()
	op, definitions := deep()
	b := argument.New(inputs(t, definitions))
	b.Arrange(op)
	for _, tt := range []struct {
		budget    int
		has, lost []string
	}{
		{100_000, []string{`"oneOf"`, `"not"`, strings.Repeat("Long. ", 99) + "Long.", "Sent as query parameter `sort[]`."}, []string{"null", "cut;"}},
		{2_400, []string{`"oneOf"`, `"not"`, "Long.…\\nSent as query parameter `sort[]`."}, []string{strings.Repeat("Long. ", 60), "cut;"}},
		{1_860, []string{`"anyOf":[{"type":"object","properties":{"street":`, `"person":`}, []string{`"oneOf"`, `"not"`, "cut;"}},
		{1_800, []string{`Long.… (cut; any value that the API takes)"},"tags":{"type":"array","items":{"type":"object",`, `"word 59"`}, []string{`"person"`, "#/$defs/owner"}},
		{1_340, []string{`"word 59"`, `"tags":`}, []string{strings.Repeat("Long. ", 30)}},
		{900, []string{`One of \"word 0\"`, `"tags":`}, []string{`"word 9"`}},
		{600, []string{`Sent as query`, `"pet":{"type":"object","description":"A pet. (cut; any value that the API takes)"}`}, []string{"$ref"}},
		{0, []string{`"sort":{"description":"One of \"word 0\"`, `"pet":{"type":"object","description":"(cut; any value that the API takes)"}`}, []string{"$ref", "A pet", "Long"}},
	} {
		got := b.Shown(op, tt.budget)
		compiles(t, got)
		if tt.budget > 0 && len(got) > tt.budget {
			t.Errorf("%d bytes of %d", len(got), tt.budget)
		}
		for _, s := range append(tt.has, `"required":["id","pet"]`, `"id":`, `"sort":`, `"name":`) {
			if !strings.Contains(string(got), s) {
				t.Errorf("in %d bytes there is no %s:\n%s", tt.budget, s, got)
			}
		}
		for _, s := range tt.lost {
			if strings.Contains(string(got), s) {
				t.Errorf("in %d bytes there is still %s:\n%s", tt.budget, s, got)
			}
		}
	}
}

// TestShownTakesWhatFullTakes holds both against random arguments of random
// operations, for budgets that cut everything between nothing and all.
func TestShownTakesWhatFullTakes(t *testing.T) {
	t.Parallel()
	tried, taken := 0, 0
	for seed := range uint64(60) {
		r := newRandom(seed)
		b := argument.New(r.inputs())
		op := r.operation()
		b.Arrange(op)
		full := b.Full(op)
		whole := later(b, op)
		var shown []*schema.Schema
		for _, budget := range []int{0, len(full) / 8, len(full) / 4, len(full) / 2, len(full) * 3 / 4, len(full) - 60, 1 << 20} {
			shown = append(shown, compiles(t, b.Shown(op, budget)))
		}
		for range 40 {
			args := r.arguments(full)
			tried++
			if err := whole.Validate(args); err != nil {
				if strings.Contains(err.Error(), "does not compile") {
					t.Fatal(err)
				}
				continue
			}
			taken++
			for i, s := range shown {
				if err := s.Validate(args); err != nil {
					t.Fatalf("seed %d, view %d refuses %v: %v\nfull: %s", seed, i, args, err, full)
				}
			}
		}
	}
	if taken*4 < tried {
		t.Errorf("only %d of %d were valid", taken, tried)
	}
}

// TestCutsNeverRefuse cuts schemas in which less says more: what they take when
// whole they take in every view.
func TestCutsNeverRefuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ schema, value string }{
		"not":                    {`{"not":{"properties":{"a":{"properties":{"b":{"const":1}},"required":["b"]}},"required":["a"]}}`, `{"a":{"b":2}}`},
		"if":                     {`{"if":{"properties":{"a":{"properties":{"b":{"const":1}}}},"required":["a"]},"then":false}`, `{"a":{"b":2}}`},
		"else":                   {`{"if":{"not":{"properties":{"a":{"properties":{"b":{"const":1}}}}}},"else":false}`, `{"a":{"b":2}}`},
		"oneOf":                  {`{"oneOf":[{"properties":{"a":{"properties":{"b":{"const":1}}}}},{"properties":{"a":{"properties":{"b":{"const":2}}}}}]}`, `{"a":{"b":1}}`},
		"oneOf and anyOf":        {`{"anyOf":[true,false],"oneOf":[{"properties":{"a":{"properties":{"b":{"const":1}}}}},{"properties":{"a":{"properties":{"b":{"const":2}}}}}]}`, `{"a":{"b":1}}`},
		"oneOf of words":         {`{"oneOf":[{"enum":["x","y"]},{"properties":{"a":{"properties":{"b":{"const":1}}}},"enum":["z",{}]}]}`, `"x"`},
		"contains":               {`{"contains":{"properties":{"b":{"properties":{"c":{"const":1}}}},"required":["b"]},"maxContains":1}`, `[{"b":{"c":1}},{"b":{"c":2}}]`},
		"unevaluated properties": {`{"if":true,"then":{"properties":{"a":{"properties":{"b":{"const":1}}}}},"unevaluatedProperties":false}`, `{"a":{"b":1}}`},
		"unevaluated, anyOf":     {`{"anyOf":[true],"oneOf":[{"properties":{"a":{"properties":{"b":{"const":1}}}}}],"unevaluatedProperties":false}`, `{"a":{}}`},
		"unevaluated items":      {`{"if":true,"then":{"prefixItems":[{"properties":{"b":{"const":1}}}]},"unevaluatedItems":false}`, `[{"b":1}]`},
		"additional properties":  {`{"properties":{"a":{"properties":{"b":{"const":1}}}},"additionalProperties":false}`, `{"a":{"b":1}}`},
		"dependent schemas":      {`{"dependentSchemas":{"a":{"properties":{"a":{"properties":{"b":{"const":1}}}}}}}`, `{"a":{"b":1}}`},
		"null":                   {`{"oneOf":[{"type":"null"},{"type":"object","properties":{"a":{"properties":{"b":{"const":1}}}}}]}`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long := fmt.Sprintf(`{"description":%q,"const":`, strings.Repeat("x", 200))
			op := &spec.Operation{Body: jsonBody(`{"properties":{"v":` + strings.ReplaceAll(tt.schema, `{"const":`, long) + `}}`)}
			b := argument.New(nil)
			b.Arrange(op)
			args, err := schema.Decode([]byte(`{"v":` + tt.value + `}`))
			if err != nil {
				t.Fatal(err)
			}
			full := b.Full(op)
			if err := compiles(t, full).Validate(args.(map[string]any)); err != nil {
				t.Fatal(err)
			}
			for budget := 0; budget < len(full); budget += 10 {
				shown := b.Shown(op, budget)
				if err := compiles(t, shown).Validate(args.(map[string]any)); err != nil {
					t.Fatalf("%v under\n%s", err, shown)
				}
			}
		})
	}
}

// arguments are often valid, without the nulls that leave a parameter out.
func (r *random) arguments(full json.RawMessage) map[string]any {
	var s map[string]any
	_ = json.Unmarshal(full, &s) // it was compiled
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		object, _ := p.(map[string]any)
		if any, ok := object["anyOf"].([]any); ok && len(object) == 1 {
			properties[name] = any[0]
		}
	}
	definitions, _ := s["$defs"].(map[string]any)
	maps.Copy(r.definitions, definitions)
	args, _ := r.members(s, 8).(map[string]any)
	maps.DeleteFunc(args, func(_ string, v any) bool { return v == nil })
	return args
}

// later is the schema that calls are checked against.
func later(b *argument.Builder, op *spec.Operation) *schema.Schema {
	o := b.Outline(op)
	return schema.Later(o.Names, o.Required, o.Closed, func() json.RawMessage { return b.Full(op) })
}

// TestDescriptionsAreCapped cuts at a character, whatever the budget.
func TestDescriptionsAreCapped(t *testing.T) {
	t.Parallel()
	op := &spec.Operation{Parameters: []spec.Parameter{{Name: "q", In: spec.InQuery, Description: " \n" + strings.Repeat("ü", 2_000), Schema: json.RawMessage(`{}`)}}}
	b := argument.New(nil)
	b.Arrange(op)
	var s struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(b.Shown(op, 1<<20), &s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Repeat("ü", 1_023)+"…", s.Properties["q"].Description); diff != "" {
		t.Error(diff)
	}
}

// TestConcurrentUse makes the schemas of operations that share definitions at
// once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	op, definitions := deep()
	argument.New(inputs(t, definitions)).Arrange(op)
	b := argument.New(inputs(t, definitions))
	want := map[int]string{}
	for _, budget := range []int{0, 1_000, 2_000, 100_000} {
		want[budget] = string(argument.New(inputs(t, definitions)).Shown(op, budget))
	}
	var all sync.WaitGroup
	for budget, text := range want {
		for range 4 {
			all.Go(func() {
				if got := string(b.Shown(op, budget)); got != text {
					t.Errorf("%d: %s", budget, got)
				}
				b.Full(op)
				b.Outline(op)
			})
		}
	}
	all.Wait()
}

// BenchmarkShown makes what models see of 1,000 operations of one document: half
// of them within the budget and half far over it.
func BenchmarkShown(b *testing.B) {
	definitions := map[string]json.RawMessage{}
	for i := range 300 {
		definitions[fmt.Sprint("d", i)] = json.RawMessage(fmt.Sprintf(
			`{"type":"object","description":"Number %d.","properties":{"next":{"$ref":"#/$defs/d%d"},"other":{"type":"array","items":{"$ref":"#/$defs/d%d"}},"text":{"type":"string","description":%q}}}`,
			i, min(i+1, 299), min(i+7, 299), strings.Repeat("Words. ", 20)))
	}
	operations := make([]*spec.Operation, 1_000)
	for i := range operations {
		operations[i] = &spec.Operation{
			Parameters: parameters("path id", "query page", "query per_page"),
			Body:       jsonBody(fmt.Sprintf(`{"properties":{"thing":{"$ref":"#/$defs/d%d"}}}`, 299-(i%2)*250)),
		}
	}
	size := 0
	for b.Loop() {
		builder := argument.New(definitions)
		for _, op := range operations {
			builder.Arrange(op)
			size += len(builder.Shown(op, argument.DefaultBudget))
		}
	}
	b.ReportMetric(float64(size)/float64(b.N*len(operations)), "bytes/schema")
}
