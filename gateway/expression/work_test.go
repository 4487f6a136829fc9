package expression

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// mostTime is far above what the work of one run takes, and far below what the
// conditions of TestWork would take without a limit.
const mostTime = 10 * time.Second

const tooMuch = "the expression takes too much work on values of this size"

// heavy are conditions on large arguments: true, or the error they end with.
var heavy = map[string]string{
	"all(args.long, not any(args.long, # == 8))":                       tooMuch,
	"all(args.long, 8 in args.long or true)":                           tooMuch,
	"all(args.long, args.text contains 'b' or true)":                   tooMuch,
	"all(args.long, args.text matches 'b$' or true)":                   tooMuch,
	"all(args.long, args.long == args.same)":                           tooMuch,
	"all(args.long, args.text == args.text + '')":                      tooMuch,
	"reduce(args.long, #acc + args.text, '') == ''":                    tooMuch,
	"len(map(args.long, [args.text, #])) == 50000":                     "",
	"len(uniq(1..3000)) == 3000":                                       tooMuch,
	"len(replace(args.text, 'a', args.text)) > 0":                      tooMuch,
	"len(repeat(args.text, 100)) > 0":                                  tooMuch,
	"len(join(map(args.long, args.text))) > 0":                         tooMuch,
	"args.long == args.same":                                           "",
	"args.deep == args.deep":                                           "",
	"len(flatten(args.deep)) == 1":                                     "",
	"len(flatten(map(1..1000, args.long))) > 0":                        tooMuch,
	"let v = reduce(1..100, [#acc, #acc], 0); string(v) == ''":         tooMuch,
	"let v = reduce(1..100, {{a: #acc, b: #acc}}, 0); toJSON(v) == ''": tooMuch,
	"let v = reduce(1..100, [#acc, #acc], 0); join([v]) == ''":         tooMuch,
	"let v = reduce(1..100, [#acc, #acc], 0); v == v":                  tooMuch,
	"let v = reduce(1..100000, [#acc], 0); len(toJSON(v)) > 0":         "a value is nested more than 10000 deep",
	"args.huge > 1":                 "args.huge is a number of more than 1000 digits",
	"args.huge == args.huge":        "args.huge is a number of more than 1000 digits",
	"len(sort(args.long)) == 50000": "",
	"sum(args.long) == 350000":      "",
	"let a = args.text + args.text; let b = a + a + a; let c = b + b + b + b; let d = c + c + c + c; len(d) > 0": tooMuch,
}

// TestWork: arguments of any size cannot make a run long; the error says that
// it is about size.
func TestWork(t *testing.T) {
	long := make([]any, 50_000)
	for i := range long {
		long[i] = json.Number("7")
	}
	text := strings.Repeat("a", 1<<20)
	same, deep := append([]any{}, long...), any(nil)
	for range 9000 {
		deep = []any{deep}
	}
	env := testEnv()
	vars := env.Vars(map[string]any{"args": map[string]any{"long": long, "same": same, "text": text, "deep": deep, "huge": json.Number("1" + strings.Repeat("0", 1<<20))}})
	for source, want := range heavy {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Errorf("%s: %v", source, problems)
			continue
		}
		start := time.Now()
		yes, err := p.Bool(vars)
		if took := time.Since(start); took > mostTime {
			t.Errorf("%s takes %v", source, took)
		} else if testing.Verbose() {
			t.Log(source, took)
		}
		switch {
		case want == "" && (err != nil || !yes):
			t.Errorf("%s: got %v, %v", source, yes, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: got %v, %v, want %s", source, yes, err, want)
		}
	}
}

// TestResultWork: a result that would be endless as JSON is an error.
func TestResultWork(t *testing.T) {
	env := testEnv()
	for source, want := range map[string]string{
		"reduce(1..100, [#acc, #acc], 0)":              "error: the expression takes too much work on values of this size",
		"let a = [0, 0]; let b = [a, a]; let c = b; c": "[[0,0],[0,0]]",
		"reduce(1..100000, [#acc], 0)":                 "error: a value is nested more than 10000 deep",
	} {
		if got := evalTest(source, env, env.Vars(nil)); got != want {
			t.Errorf("%s: got %.200s, want %s", source, got, want)
		}
	}
}

// TestBraces: a template of braces is refused at once.
func TestBraces(t *testing.T) {
	start := time.Now()
	for _, text := range []string{strings.Repeat("${(}", MaxTemplate/4), "${(" + strings.Repeat("}", MaxTemplate-3), strings.Repeat("${", MaxTemplate/2)} {
		if template, _ := parseTest(text, testEnv()); template != nil {
			t.Error("the template parses")
		}
	}
	if took := time.Since(start); took > mostTime {
		t.Errorf("it takes %v", took)
	}
}
