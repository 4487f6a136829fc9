package exprtool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

func TestConformance(t *testing.T) {
	text := Deps{Args: []string{"text"}, Closed: true}
	tooltest.Run(t, tooltest.Subject{
		Echo:       backend("args.text", text),
		Flood:      backend(`map(1..20000, "flood")`, text),
		Broken:     backend(`1 / (len(args.text) - 1)`, text),
		BrokenCode: tool.InvalidArgs,
	})
}

func backend(source string, deps Deps) tooltest.Backend {
	return func(t *testing.T) tool.Runner { return compile(t, source, deps) }
}

func compile(t *testing.T, source string, deps Deps) tool.Runner {
	t.Helper()
	var report diag.Report
	r := New(diag.NewCursor(&report, nil).Key("expr"), source, deps)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

func input(t *testing.T, args string) tool.Input {
	t.Helper()
	in := tooltest.Input("")
	in.Args = nil
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if err := d.Decode(&in.Args); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestRun(t *testing.T) {
	tests := []struct {
		name, source, args string
		mode               tool.OutputMode
		text, structured   string
	}{
		{"a sum", "sum(args.items)", `{"items": [1, 2, 3]}`, tool.OutputAuto, "6", "6"},
		{"text", `"Dear " + args.name`, `{"name": "Ada"}`, tool.OutputAuto, "Dear Ada", ""},
		{"text is not quoted as JSON text either", `args.name`, `{"name": "Ada"}`, tool.OutputText, "Ada", ""},
		{"text that is JSON", `args.name`, `{"name": "{\"n\": 1.50}"}`, tool.OutputJSON, `{"n": 1.50}`, `{"n": 1.50}`},
		{"every digit of a number", "args.n", `{"n": 12345678901234567890123}`, tool.OutputAuto, "12345678901234567890123", "12345678901234567890123"},
		{"an object", `{"double": args.n * 2}`, `{"n": 4}`, tool.OutputAuto, `{"double":8}`, `{"double":8}`},
		{"an object as text only", `{"double": args.n * 2}`, `{"n": 4}`, tool.OutputText, `{"double":8}`, ""},
		{"a number as text only", "args.n", `{"n": 4}`, tool.OutputText, "4", ""},
		{"text that looks like a number", "args.name", `{"name": "3"}`, tool.OutputAuto, "3", ""},
		{"a list", "map(args.items, # + 1)", `{"items": [1, 2]}`, tool.OutputAuto, "[2,3]", "[2,3]"},
		{"nothing", "args.items", `{}`, tool.OutputAuto, "", ""},
		{"nothing as JSON", "args.items", `{}`, tool.OutputJSON, "null", "null"},
		{"a truth", "args.n > 3", `{"n": 4}`, tool.OutputAuto, "true", "true"},
		{"content blocks", `[{"type": "text", "text": args.name}]`, `{"name": "Ada"}`, tool.OutputContent, "Ada", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, test.source, Deps{Output: test.mode, Args: []string{"items", "n", "name"}})
			out, err := r.Run(t.Context(), input(t, test.args))
			if err != nil {
				t.Fatal(err)
			}
			got := []string{out.Text(), string(out.Structured)}
			if diff := cmp.Diff([]string{test.text, test.structured}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRunFails(t *testing.T) {
	tests := []struct {
		name, source, args string
		mode               tool.OutputMode
		code               tool.Code
	}{
		{"text compared with a number", "args.n > 3", `{"n": "four"}`, tool.OutputAuto, tool.InvalidArgs},
		{"a call of what is not there", "args.items[3].x + 1", `{"items": "none"}`, tool.OutputAuto, tool.InvalidArgs},
		{"text that is not JSON", "args.n", `{"n": "Ada"}`, tool.OutputJSON, tool.UpstreamError},
		{"not a list of blocks", "args.n", `{"n": 1}`, tool.OutputContent, tool.UpstreamError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, test.source, Deps{Output: test.mode, Args: []string{"items", "n"}})
			_, err := r.Run(t.Context(), input(t, test.args))
			if err == nil || tool.AsError(err).Code != test.code {
				t.Errorf("got %v, want %s", err, test.code)
			}
		})
	}
}

func TestRunAfterItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(tool.Errorf(tool.Interrupted, "the gateway is stopping"))
	_, err := compile(t, "1", Deps{Closed: true}).Run(ctx, input(t, `{}`))
	if tool.AsError(err).Code != tool.Interrupted {
		t.Errorf("got %v", err)
	}
}

func TestNewReports(t *testing.T) {
	tests := []struct {
		name, source string
		deps         Deps
		problems     bool
	}{
		{"a name the schema has", "args.id", Deps{Args: []string{"id"}}, false},
		{"a name the schema lacks", "args.idd", Deps{Args: []string{"id"}}, true},
		{"no property at all", "args.id", Deps{Closed: true}, true},
		{"any property", "args.id", Deps{}, false},
		{"no secrets", "secret.crm", Deps{}, true},
		{"not an expression", "sum(", Deps{}, true},
		{"a template", "${args.id}", Deps{}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var report diag.Report
			r := New(diag.NewCursor(&report, nil).Key("expr"), test.source, test.deps)
			problems := report.Problems()
			if (len(problems) > 0) != test.problems || (r == nil) != test.problems {
				t.Fatalf("got runner %v, problems %v", r, problems)
			}
			for _, p := range problems {
				if p.Key != "expr" {
					t.Errorf("%v is not at the key", p)
				}
			}
		})
	}
}
