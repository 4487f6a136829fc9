package expression

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
)

// seeds are the expressions of the truth tables.
func seeds(f *testing.F) []string {
	f.Helper()
	var sources []string
	for _, file := range []string{"testdata/values.txt", "testdata/mistakes.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if source, _, ok := strings.Cut(line, " => "); ok {
				sources = append(sources, source)
			}
		}
	}
	return sources
}

// FuzzExpression compiles and runs anything: nothing panics, no message names
// a Go type, every failure is an EvalError, every result has a JSON form, and
// Early agrees with the outcome.
func FuzzExpression(f *testing.F) {
	arguments := `{"n": 5, "s": "x", "l": [1, "a", null, 2.5], "o": {"k": [12345678901234567890]}, "b": true, "null": null}`
	for _, source := range seeds(f) {
		f.Add(source, arguments)
	}
	f.Fuzz(func(t *testing.T, source, arguments string) {
		args, err := decode(arguments)
		if err != nil {
			return
		}
		env := testEnv()
		vars := env.Vars(map[string]any{"args": args, "tool": map[string]any{"name": "pay", "tags": []string{"a"}}, "count": 3})
		fuzzOne(t, env, vars, source)
	})
}

func fuzzOne(t *testing.T, env *Env, vars *Vars, source string) {
	t.Helper()
	if p, problems := compileTest(source, env, WantAny); p != nil {
		v, err := p.Eval(vars)
		checkError(t, source, err)
		if _, jsonErr := encode(v); err == nil && jsonErr != nil {
			t.Errorf("%q gives %#v: %v", source, v, jsonErr)
		}
	} else {
		checkProblems(t, source, problems)
	}
	p, problems := compileTest(source, env, WantBool)
	if p == nil {
		checkProblems(t, source, problems)
		return
	}
	yes, err := p.Bool(vars)
	checkError(t, source, err)
	if truth := p.Early(vars); err == nil && (truth == Yes && !yes || truth == No && yes) {
		t.Errorf("%q: Early says %v, and it is %v", source, truth, yes)
	}
}

func checkError(t *testing.T, source string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if known, ok := errors.AsType[*EvalError](err); !ok || known.Text == "" {
		t.Errorf("%q: %v is no EvalError", source, err)
	}
}

func checkProblems(t *testing.T, source string, problems diag.Problems) {
	t.Helper()
	if len(problems) == 0 {
		t.Errorf("%q does not compile, and no problem says why", source)
	}
	for _, problem := range problems {
		if problem.Text == "the expression does not fit together" {
			t.Errorf("%q: expr-lang refuses what was made of it", source)
		}
	}
}

// FuzzTemplate parses anything as a template and renders it. A text without
// ${ comes back as it is, and so does one whose every ${ is escaped.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"", "a", "${args.x}", "$${", "a ${args.s} b", "${", "${}", "${'}'}", "${{a: 1}}", "$$${args.n}", "args.x", "żó ${arg}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := testEnv()
		vars := env.Vars(map[string]any{"args": map[string]any{"s": "x", "n": json.Number("5")}})
		if template, problems := parseTest(text, env); template != nil {
			_, _, err := template.Text(vars)
			checkError(t, text, err)
			_, err = template.List(vars)
			checkError(t, text, err)
		} else {
			checkProblems(t, text, problems)
		}
		if len(text) > MaxTemplate/2 || isBarePath(text, env) {
			return
		}
		template, problems := parseTest(strings.ReplaceAll(text, "${", "$${"), env)
		if template == nil {
			t.Fatalf("%q escaped: %v", text, problems)
		}
		if literal, ok := template.Literal(); !ok || literal != text {
			t.Errorf("%q comes back as %q", text, literal)
		}
	})
}

// FuzzDocument parses anything as a document; one without ${ comes back with
// the same meaning and the same digits.
func FuzzDocument(f *testing.F) {
	for _, raw := range []string{"{}", `{"a": [1.0, "x", null, {"b": "${args.s}"}]}`, `"${args}"`, "[", `{"a": "args.x"}`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		env := testEnv()
		var report diag.Report
		d := ParseDocument(diag.NewCursor(&report, nil), raw, env)
		if d == nil {
			checkProblems(t, string(raw), report.Problems())
			return
		}
		got, err := d.Render(env.Vars(map[string]any{"args": map[string]any{"s": "x"}}))
		checkError(t, string(raw), err)
		if err != nil || bytes.Contains(raw, []byte("$")) || bytes.Contains(raw, []byte(`\u`)) || !utf8.Valid(raw) {
			return
		}
		if want := compact(t, raw); !bytes.Equal(compact(t, got), want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// compact decodes and encodes texts anew, so that two spellings of one text
// are the same.
func compact(t *testing.T, raw []byte) []byte {
	t.Helper()
	v, err := decode(string(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	data, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
