package expression

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
)

// testEnv is an environment like that of policy rules.
func testEnv() *Env {
	return NewEnv(
		Var{Name: "tool", Type: Object(map[string]Type{"name": String, "method": String, "tags": Strings, "read_only": Bool})},
		Var{Name: "caller", Type: Object(map[string]Type{"id": String, "groups": Strings, "claims": JSON})},
		Var{Name: "count", Type: Int},
		Var{Name: "unset", Type: JSON},
		Var{Name: "args", Type: JSON, Late: true},
	)
}

// testVars decodes variables as a door does, and lists of typed variables as
// the packages that fill them do.
func testVars(t testing.TB, env *Env, text string) map[string]any {
	t.Helper()
	v, err := decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	values := v.(map[string]any)
	for name, typ := range env.vars {
		object, ok := values[name].(map[string]any)
		for field, typ := range typ.Type.fields {
			if list, isList := object[field].([]any); ok && isList && typ.kind == listKind {
				texts := make([]string, len(list))
				for i, item := range list {
					texts[i] = item.(string)
				}
				object[field] = texts
			}
		}
	}
	return values
}

func compileTest(source string, env *Env, want Want) (*Program, diag.Problems) {
	var report diag.Report
	p := Compile(diag.NewCursor(&report, nil), source, env, want)
	return p, report.Problems()
}

// TestValues runs testdata/values.txt.
func TestValues(t *testing.T) {
	data, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv()
	values := map[string]any{}
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "vars "):
			values = testVars(t, env, line[len("vars "):])
			continue
		case strings.HasPrefix(line, "args {"):
			values["args"] = testVars(t, env, `{"args":`+line[len("args "):]+`}`)["args"]
			continue
		}
		source, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("line %d: no =>", i+1)
		}
		if got := evalTest(source, env, env.Vars(values)); got != want {
			t.Errorf("line %d: %s\n got %s\nwant %s", i+1, source, got, want)
		}
	}
}

func evalTest(source string, env *Env, vars *Vars) string {
	p, problems := compileTest(source, env, WantAny)
	if p == nil {
		return "mistake: " + problems.Error()
	}
	v, err := p.Eval(vars)
	if err != nil {
		return "error: " + err.Error()
	}
	text, err := encode(v)
	if err != nil {
		return "no JSON: " + err.Error()
	}
	return string(text)
}

// TestBool: nil is false under WantBool, any other value that is no bool an
// error.
func TestBool(t *testing.T) {
	env := testEnv()
	vars := env.Vars(map[string]any{"args": map[string]any{"yes": true, "n": json.Number("1")}})
	for source, want := range map[string]string{
		"args.yes": "true", "args.none": "false", "args.n": "args.n is a number, and true or false is needed",
		"args.yes ? args.none : 1": "false", "args.none ?? args.yes": "true", "tool.read_only": "false",
		"let x = args.n; x":         "x is a number, and true or false is needed",
		"find([args.n], true)":      "find([args.n], true) is a number, and true or false is needed",
		"find([args.yes], # == #)":  "true",
		"hasPrefix(args.none, 'a')": "false",
	} {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Errorf("%s: %v", source, problems)
			continue
		}
		yes, err := p.Bool(vars)
		got := map[bool]string{true: "true", false: "false"}[yes]
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
}
