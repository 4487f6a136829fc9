package expression

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
)

func runnerEnv() *Env {
	return NewEnv(
		Var{Name: "args", Type: JSON},
		Var{Name: "secret", Type: Object(map[string]Type{"crm": String})},
		Var{Name: "env", Type: Object(map[string]Type{"HOME": String})},
	)
}

const runnerValues = `{"secret": {"crm": "s3cr3t"}, "env": {"HOME": "/root"}, "args": {"id": "a/b", "n": 12345678901234567890, "f": 1.10, "yes": true, "null": null,
	"list": ["a", 2, null, {"x": "<"}], "obj": {"b": 1.0, "a": [1e2]}, "empty": "", "user-id": 7, "none": []}}`

func parseTest(text string, env *Env) (*Template, diag.Problems) {
	var report diag.Report
	t := ParseTemplate(diag.NewCursor(&report, onOneLine), text, env)
	return t, report.Problems()
}

var templateTexts = map[string]string{
	"":                                 "",
	"plain":                            "plain",
	"a $ b $5 {x}":                     "a $ b $5 {x}",
	"$${args.id}":                      "${args.id}",
	"$$${args.id}":                     "$${args.id}",
	"$${":                              "${",
	"a$${b}${args.id}c":                "a${b}a/bc",
	"/customers/${args.id}":            "/customers/a/b",
	"${args.id}":                       "a/b",
	"${ args.id }":                     "a/b",
	"${args.n}":                        "12345678901234567890",
	"n=${args.n}":                      "n=12345678901234567890",
	"${args.f} ${args.f + 1}":          "1.10 2.1",
	"${args.yes}":                      "true",
	"${args.list}":                     `["a",2,null,{"x":"<"}]`,
	"v=${args.obj}":                    `v={"a":[1e2],"b":1.0}`,
	"${args.none}":                     "[]",
	"${args['user-id']}!":              "7!",
	"${args.x}":                        "absent",
	"${args.null}":                     "absent",
	"${args.x.y.z}":                    "absent",
	"${args.x ?? 'd'}":                 "d",
	"${args.empty}":                    "",
	"[${args.empty}]":                  "[]",
	"id ${args.x}":                     "error: args.x is absent",
	"${args.id}${args.null}":           "error: args.null is absent",
	"a ${args.x.y + 1}":                "error: args.x.y is absent, and + needs a number",
	"${args.id > 3}":                   "error: args.id is text and 3 is a number",
	`${"}"}`:                           "}",
	`${'}' + "${}"}`:                   "}${}",
	"${ {a: 1} }":                      `{"a":1}`,
	"${map([1,2], {# + 1})}":           "[2,3]",
	"${map([1,2], {# + 1})}}":          "[2,3]}",
	"${if args.yes {1} else {2}}":      "1",
	"Bearer ${secret.crm}":             "Bearer s3cr3t",
	"${env.HOME}/x":                    "/root/x",
	"żółć ${args.id} ść":               "żółć a/b ść",
	"a\n${args.id}\nb":                 "a\na/b\nb",
	"args.id or so":                    "args.id or so",
	"example.com":                      "example.com",
	"args":                             "args",
	"${let x = args.list; x[1]} items": "2 items",
}

// TestTemplateText: what templates give as text, "absent" or an error.
func TestTemplateText(t *testing.T) {
	env := runnerEnv()
	vars := env.Vars(testVars(t, env, runnerValues))
	for text, want := range templateTexts {
		template, problems := parseTest(text, env)
		if template == nil {
			t.Errorf("%q: %v", text, problems)
			continue
		}
		got, present, err := template.Text(vars)
		switch {
		case err != nil:
			got = "error: " + err.Error()
		case !present:
			got = "absent"
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestTemplateMistakes: what does not parse, with its column.
func TestTemplateMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"args.x":                 "1: args.x would be sent as it stands, because this key is a template (write ${args.x})",
		` args["a b"].c `:        `1: args["a b"].c would be sent as it stands, because this key is a template (write ${args["a b"].c})`,
		"secret.crm":             "1: secret.crm would be sent as it stands, because this key is a template (write ${secret.crm})",
		"args.items[0]":          "1: args.items[0] would be sent as it stands, because this key is a template (write ${args.items[0]})",
		"id ${args.id":           "4: ${ is never closed (write } behind the expression, or $${ for a literal ${)",
		"żó ${args.x} ${":        "14: ${ is never closed (write } behind the expression, or $${ for a literal ${)",
		"${}":                    "3: the expression is empty",
		"a ${ }":                 "5: the expression is empty",
		"żó ${arg.x}":            "6: unknown variable arg (did you mean args?)",
		"${args.a} ${secret.cr}": "20: secret has no field cr (did you mean crm?)",
		"x ${args.} y":           "9: the expression ends too early",
		"${args.x = 3}":          "10: unexpected = (write == to compare)",
		"${'a' > 1}":             `7: "a" is text and 1 is a number`,
		"${${args.x}}":           "4: unexpected {",
	} {
		template, problems := parseTest(text, runnerEnv())
		if template != nil || len(problems) == 0 {
			t.Errorf("%q parses", text)
			continue
		}
		got := fmt.Sprintf("%d: %s", problems[0].Place.Column, problems[0].Text)
		if problems[0].Hint != "" {
			got += " (" + problems[0].Hint + ")"
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
	if _, problems := parseTest("${arg.x} ${args.y} ${tool.name}", runnerEnv()); len(problems) != 2 {
		t.Errorf("want both mistakes: %v", problems)
	}
	if _, problems := parseTest(strings.Repeat("x", MaxTemplate+1), runnerEnv()); len(problems) != 1 {
		t.Error("a template that is too long parses")
	}
}

// TestTemplateValue: an exact template keeps its value as it was decoded.
func TestTemplateValue(t *testing.T) {
	env := runnerEnv()
	values := testVars(t, env, runnerValues)
	vars := env.Vars(values)
	args := values["args"].(map[string]any)
	for text, want := range map[string]any{
		"${args.n}": args["n"], "${args.list}": args["list"], "${args}": args, "${args.x}": nil,
		"${args.yes}": true, "n ${args.n}": "n 12345678901234567890", "text": "text",
	} {
		template, problems := parseTest(text, env)
		if template == nil {
			t.Fatalf("%q: %v", text, problems)
		}
		got, err := template.Value(vars)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
		if exact := strings.HasPrefix(text, "${"); template.Exact() != exact {
			t.Errorf("%q: Exact() = %v", text, !exact)
		}
		literal, isLiteral := template.Literal()
		if want := !strings.Contains(text, "${"); isLiteral != want || want && literal != text {
			t.Errorf("%q: Literal() = %q, %v", text, literal, isLiteral)
		}
		if reads := strings.Contains(text, "args"); template.Reads("args") != reads || template.Reads("secret") {
			t.Errorf("%q: Reads is wrong", text)
		}
	}
}

// TestTemplateList: a list gives one text an item.
func TestTemplateList(t *testing.T) {
	env := runnerEnv()
	vars := env.Vars(testVars(t, env, runnerValues))
	for text, want := range map[string][]string{
		"${args.list}":           {"a", "2", `{"x":"<"}`},
		"${args.id}":             {"a/b"},
		"${args.x}":              nil,
		"${args.none}":           nil,
		"${args.n}":              {"12345678901234567890"},
		"x${args.list}":          {`x["a",2,null,{"x":"<"}]`},
		"lit":                    {"lit"},
		"":                       {""},
		"${split('a b', ' ')}":   {"a", "b"},
		"${[args.n, args.null]}": {"12345678901234567890"},
	} {
		template, problems := parseTest(text, env)
		if template == nil {
			t.Fatalf("%q: %v", text, problems)
		}
		got, err := template.List(vars)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}

// TestTemplateEscaped: values are escaped, literal text is not, and an error
// of the escape comes back.
func TestTemplateEscaped(t *testing.T) {
	env := runnerEnv()
	vars := env.Vars(testVars(t, env, runnerValues))
	template, _ := parseTest("/a/b/${args.id}/${args.n}", env)
	got, present, err := template.Escaped(vars, func(value string) (string, error) { return "<" + value + ">", nil })
	if want := "/a/b/<a/b>/<12345678901234567890>"; got != want || !present || err != nil {
		t.Errorf("got %q, %v, %v", got, present, err)
	}
	refused := errors.New("refused")
	if _, _, err := template.Escaped(vars, func(string) (string, error) { return "", refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

// TestDocument: order, digits and types are kept; what is absent is left out.
func TestDocument(t *testing.T) {
	env := runnerEnv()
	vars := env.Vars(testVars(t, env, runnerValues))
	for raw, want := range map[string]string{
		`{"z": 1.0, "a": 123456789012345678901, "m": [1e2, true, null]}`: `{"z":1.0,"a":123456789012345678901,"m":[1e2,true,null]}`,
		`{"z": "${args.n}", "a": "n ${args.n}", "b": "${args.obj}"}`:     `{"z":12345678901234567890,"a":"n 12345678901234567890","b":{"a":[1e2],"b":1.0}}`,
		`{"x": "${args.x}", "y": "${args.id}", "z": "${args.null}"}`:     `{"y":"a/b"}`,
		`{"x": "${args.x}"}`: `{}`,
		`["${args.x}", "${args.id}", "${args.null}", null]`: `["a/b",null]`,
		`"${args}"`:   `{"empty":"","f":1.10,"id":"a/b","list":["a",2,null,{"x":"<"}],"n":12345678901234567890,"none":[],"null":null,"obj":{"a":[1e2],"b":1.0},"user-id":7,"yes":true}`,
		`"${args.x}"`: `null`,
		`{"${args.id}": "$${args.id}", "<&>": "<&>"}`: `{"${args.id}":"${args.id}","<&>":"<&>"}`,
		`{"a": {"b": {"c": "${args.x}"}}}`:            `{"a":{"b":{}}}`,
		`{"q": "say \"${args.id}\"\n"}`:               `{"q":"say \"a/b\"\n"}`,
		`{"a": 1, "a": 2}`:                            `{"a":1,"a":2}`,
		`{"a": "x ${args.x}"}`:                        `error: args.x is absent`,
		`{}`:                                          `{}`, `[]`: `[]`, `7`: `7`, `"t"`: `"t"`, `null`: `null`, `false`: `false`,
	} {
		var report diag.Report
		d := ParseDocument(diag.NewCursor(&report, nil), []byte(raw), env)
		if d == nil {
			t.Errorf("%s: %v", raw, report.Problems())
			continue
		}
		data, err := d.Render(vars)
		got := string(data)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", raw, got, want)
		}
		if reads := strings.Contains(strings.ReplaceAll(strings.ReplaceAll(raw, "$${", ""), `"${args.id}":`, ""), "${args"); d.Reads("args") != reads {
			t.Errorf("%s: Reads(args) = %v", raw, !reads)
		}
	}
}

// TestDocumentMistakes: each mistake stands at its own key.
func TestDocumentMistakes(t *testing.T) {
	var report diag.Report
	raw := `{"a": ["x", "${arg.x}"], "b": {"c": "args.x"}, "d": "${"}`
	d := ParseDocument(diag.NewCursor(&report, nil).Key("json"), []byte(raw), runnerEnv())
	want := `json.a.1: unknown variable arg (did you mean args?)
json.b.c: args.x would be sent as it stands, because this key is a template (write ${args.x})
json.d: ${ is never closed (write } behind the expression, or $${ for a literal ${)`
	if got := report.Problems().Error(); got != want || d != nil {
		t.Errorf("got\n%s", got)
	}
	for _, raw := range []string{"", "{", `{"a" 1}`, "[1] 2", "\xff"} {
		var report diag.Report
		if ParseDocument(diag.NewCursor(&report, nil), []byte(raw), runnerEnv()) != nil || len(report.Problems()) != 1 {
			t.Errorf("%q parses", raw)
		}
	}
}

// TestNoSecretInErrors: a failure never tells a value.
func TestNoSecretInErrors(t *testing.T) {
	env := runnerEnv()
	vars := env.Vars(testVars(t, env, runnerValues))
	for _, source := range []string{
		"secret.crm > args.n", "int(secret.crm)", "secret.crm + args.n", "args[secret.crm].x.y + 1", "secret.crm in [1]", "fromJSON(secret.crm)",
		"map([secret.crm], # + 1)", "sum([secret.crm])", "sort([secret.crm, 1])", "{(secret.crm): 1} + args.n", "repeat(secret.crm, 10000000)", "fromPairs([secret.crm])",
		"reduce([secret.crm], #acc - #, 1)", "float(secret.crm)", "max(secret.crm)", "len(int(secret.crm))", "args.yes[secret.crm]", "sortBy([1], secret.crm, secret.crm)",
	} {
		template, problems := parseTest("${"+source+"}", env)
		if template == nil {
			if strings.Contains(problems.Error(), "s3cr3t") {
				t.Errorf("%s: %v", source, problems)
			}
			continue
		}
		_, err := template.Value(vars)
		evalErr, ok := errors.AsType[*EvalError](err)
		if !ok || strings.Contains(evalErr.Text, "s3cr3t") || goType.MatchString(evalErr.Text) {
			t.Errorf("%s: %v", source, err)
		}
	}
}
