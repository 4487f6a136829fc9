package schema

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// longest is far above what any of these may take, and far below what each
// takes without its guard.
const longest = 30 * time.Second

// deadline fails the test when f runs longer than longest.
func deadline(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > longest {
		t.Errorf("took %v, want at most %v", took, longest)
	}
}

// binary is a schema whose check costs twice as much with every level.
const binary = `{"$defs":{"n":{"anyOf":[
	{"type":"object","properties":{"l":{"$ref":"#/$defs/n"},"a":{}},"required":["a"]},
	{"type":"object","properties":{"l":{"$ref":"#/$defs/n"},"b":{}},"required":["b"]}]}},
	"properties":{"root":{"$ref":"#/$defs/n"}}}`

func nested(levels int) string {
	return `{"root":` + strings.Repeat(`{"l":`, levels) + `{}` + strings.Repeat(`}`, levels) + `}`
}

func TestExponentialUnion(t *testing.T) {
	s := mustCompile(t, binary)
	args, err := s.Normalise(json.RawMessage(nested(60)))
	if err != nil {
		t.Fatal(err)
	}
	deadline(t, func() {
		bad, ok := errors.AsType[*Error](s.Validate(args))
		if !ok || !strings.Contains(bad.Error(), "too long to check") {
			t.Errorf("got %v, want an error about the time it takes", bad)
		}
		if diff := cmp.Diff(args, s.Cast(args)); diff != "" {
			t.Errorf("a cast that was given up changed something:\n%s", diff)
		}
	})
	if err := s.Validate(map[string]any{"root": map[string]any{"a": true}}); err != nil {
		t.Errorf("the next check fails: %v", err)
	}
}

// TestFaultsAreCounted: a union that fails on every level keeps little.
func TestFaultsAreCounted(t *testing.T) {
	const most = 4 * maxFaults // what is thrown away meanwhile, too
	s := mustCompile(t, binary)
	for _, levels := range []int{16, 40, 60} {
		args, err := s.Normalise(json.RawMessage(nested(levels)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = s.Validate(args)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "too long to check") {
			t.Errorf("%d levels: %v", levels, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%d levels: %d MB were allocated, want at most %d", levels, took>>20, most>>20)
		}
	}
}

// TestLongLists: as many items as arguments may hold are checked, and one wrong
// item among them is named.
func TestLongLists(t *testing.T) {
	s := mustCompile(t, `{"properties":{"l":{"items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/i"}]}}},"$defs":{"i":{"type":"integer","minimum":0}}}`)
	items := make([]any, maxArgsValues-10)
	for i := range items {
		items[i] = json.Number("7")
	}
	if found := unhurried(s, items); found != nil {
		t.Error(found)
	}
	items[5] = json.Number("-1")
	if found := unhurried(s, items); found == nil || !strings.Contains(found.Error(), "/l/5") {
		t.Errorf("got %v, want an error about item 5", found)
	}
}

// unhurried checks a list without a limit of time, which a slow machine needs.
func unhurried(s *Schema, items []any) (found error) {
	err := s.body().pool.use(func(p *program) error {
		p.budget.until = time.Now().Add(longest)
		found = p.root.Validate(map[string]any{"l": items})
		return nil
	})
	return errors.Join(err, found)
}

func TestBacktrackingPatterns(t *testing.T) {
	s := mustCompile(t, `{"properties":{"l":{"items":{"pattern":"^(?=(a+)+$)b"}}}}`)
	bomb := strings.Repeat("a", 60) + "c"
	items := make([]any, 1000)
	for i := range items {
		items[i] = bomb
	}
	deadline(t, func() {
		if err := s.Validate(map[string]any{"l": items}); err == nil {
			t.Error("texts whose match was given up are valid")
		}
	})
}

func TestNumbersThatPanic(t *testing.T) {
	s := mustCompile(t, `{"properties":{"n":{"minimum":1,"multipleOf":0.1,"type":"integer"}}}`)
	for _, n := range []json.Number{"1e1000001", "1e999999", "-1e-999999", "abc", "", "0x1", json.Number(strings.Repeat("9", 5000))} {
		args := map[string]any{"n": n}
		deadline(t, func() {
			if _, ok := errors.AsType[*Error](s.Validate(args)); !ok {
				t.Errorf("%.20s: no *Error", n)
			}
			if diff := cmp.Diff(args, s.Cast(args)); diff != "" {
				t.Errorf("%.20s: cast changed it:\n%s", n, diff)
			}
		})
	}
}

func TestForeignValuesAreNoArgumentError(t *testing.T) {
	err := mustCompile(t, `{"properties":{"n":{"type":"integer"}}}`).Validate(map[string]any{"n": struct{}{}})
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		t.Errorf("got %v, want an error that is not an *Error", err)
	}
}

func TestGoNumbersAreValid(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"integer"},"b":{"type":"number"}}}`)
	if err := s.Validate(map[string]any{"a": int64(5), "b": 1.5}); err != nil {
		t.Error(err)
	}
	if err := s.Validate(nil); err != nil {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	s := mustCompile(t, `{}`)
	for name, test := range map[string]struct{ raw, want string }{
		"size":    {`{"a":"` + strings.Repeat("x", maxArgsSize) + `"}`, "are too large"},
		"depth":   {`{"a":` + strings.Repeat("[", maxArgsDepth) + strings.Repeat("]", maxArgsDepth) + `}`, "nested too deep"},
		"deep":    {strings.Repeat("[", 100_000), "nested too deep"},
		"values":  {`{"a":[` + strings.Repeat("0,", maxArgsValues) + `0]}`, "too many values"},
		"digits":  {`{"a":` + strings.Repeat("1", maxNumberDigits+1) + `}`, "a number of 1001 digits"},
		"utf8":    {"{\"a\":\"\xff\"}", "not UTF-8"},
		"surplus": {`{"a":"\ud800x"}`, "surrogate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Normalise(json.RawMessage(test.raw))
			if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 300 {
				t.Errorf("got %.400v, want an *Error with %q", err, test.want)
			}
		})
	}
}

func TestSchemaLimits(t *testing.T) {
	deepSchema := strings.Repeat(`{"not":`, maxSchemaDepth) + "{}" + strings.Repeat("}", maxSchemaDepth)
	for name, test := range map[string]struct{ raw, want string }{
		"size":    {`{"title":"` + strings.Repeat("x", maxSchemaSize) + `"}`, "are too large"},
		"depth":   {deepSchema, "nested too deep"},
		"values":  {`{"enum":[` + strings.Repeat("0,", maxSchemaValues) + `0]}`, "too many values"},
		"pattern": {`{"properties":{"a":{"pattern":"` + strings.Repeat("x", maxPatternSize+1) + `"}}}`, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(json.RawMessage(test.raw))
			if _, ok := errors.AsType[*Mistake](err); !ok || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 300 {
				t.Errorf("got %.400v, want a *Mistake with %q", err, test.want)
			}
		})
	}
}

// TestLargestSchema compiles about as many subschemas as the limit allows: the
// compiler's own work is quadratic in their number.
func TestLargestSchema(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{"a":{}`)
	for i := range maxSchemaValues/2 - 10 {
		b.WriteString(`,"p` + strings.Repeat("x", i%7) + json.Number(asJSON(t, i)).String() + `":{"type":"string"}`)
	}
	b.WriteString(`}}`)
	deadline(t, func() { mustCompile(t, b.String()) })
}

// TestManyProblems: what is not told costs no words.
func TestManyProblems(t *testing.T) {
	values, branches := make([]string, 1000), make([]string, 50)
	for i := range values {
		values[i] = `"value-` + json.Number(asJSON(t, i)).String() + `"`
	}
	for i := range branches {
		branches[i] = `{"type":"object","required":["a` + json.Number(asJSON(t, i)).String() + `"]}`
	}
	s := mustCompile(t, `{"properties":{
		"long":{"enum":[`+strings.Join(values, ",")+`]},
		"enums":{"items":{"enum":[`+strings.Join(values, ",")+`]}},
		"names":{"additionalProperties":false,"properties":{"a":{}}},
		"wide":{"items":{"anyOf":[`+strings.Join(branches, ",")+`]}}}}`)
	enums, wide, names := make([]any, 5000), make([]any, 20_000), map[string]any{}
	for i := range enums {
		enums[i] = "valu"
		names["b"+asJSON(t, i)] = true
	}
	for i := range wide {
		wide[i] = map[string]any{}
	}
	for name, args := range map[string]map[string]any{
		"long":  {"long": strings.Repeat("x", maxArgsSize-100)},
		"enums": {"enums": enums},
		"names": {"names": names},
		"wide":  {"wide": wide},
	} {
		t.Run(name, func(t *testing.T) {
			deadline(t, func() {
				out := told(t, s.Validate(args))
				if text := strings.Join(out, ""); len(out) > maxProblems+1 || len(text) > 50_000 {
					t.Errorf("%d problems in %d bytes", len(out), len(text))
				}
			})
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	s := mustCompile(t, binary)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			args, err := s.Normalise(json.RawMessage(nested(3)))
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Validate(s.Cast(s.Defaults(args))); err == nil {
				t.Error("invalid arguments are valid")
			}
		})
	}
	wg.Wait()
}

func TestProperties(t *testing.T) {
	for _, test := range []struct {
		schema string
		names  []string
		closed bool
	}{
		{`{}`, nil, false},
		{`{"properties":{"z":{},"a":{},"m":{}}}`, []string{"z", "a", "m"}, false},
		{`{"properties":{"a":{}},"additionalProperties":false}`, []string{"a"}, true},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, []string{"a"}, true},
		{`{"properties":{"a":{}},"additionalProperties":{"not":{}}}`, []string{"a"}, false},
		{`{"properties":{"a":{}},"additionalProperties":false,"patternProperties":{"^x":{}}}`, []string{"a"}, false},
		{`{"$ref":"#/$defs/x~1y","$defs":{"x/y":{"properties":{"b":{},"a":{}},"additionalProperties":false}}}`, []string{"b", "a"}, true},
		{`{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/m"},{"properties":{"c":{},"a":{}}}],"$defs":{"m":{"properties":{"b":{}}}}}`, []string{"a", "b", "c"}, false},
	} {
		names, closed := mustCompile(t, test.schema).Properties()
		if diff := cmp.Diff(test.names, names); diff != "" || closed != test.closed {
			t.Errorf("%s: closed is %v, want %v; names (-want +got)\n%s", test.schema, closed, test.closed, diff)
		}
	}
}
