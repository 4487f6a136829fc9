package exprtool

import (
	"context"
	"encoding/base64"
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
		Blocks:     backend(tooltest.BlocksJSON, Deps{Output: tool.OutputContent, Args: []string{"text"}}),
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

func TestContent(t *testing.T) {
	image := tool.Content{Type: tool.ContentImage, Data: []byte{0, 1}, MIMEType: "image/png"}
	tests := []struct {
		name, source, args string
		want               []tool.Content // nil for an error
	}{
		{"a list", `[{"type": "text", "text": args.a}, {"type": "image", "data": "AAE=", "mimeType": "image/png"}]`, `{"a": "x"}`, []tool.Content{{Type: tool.ContentText, Text: "x"}, image}},
		{"an object", `{"content": [{"type": "image", "data": args.a, "mimeType": "image/png"}], "more": 1}`, `{"a": "AAE="}`, []tool.Content{image}},
		{"blocks that were sent", "args.a", `{"a": [{"type": "resource_link", "uri": "u:x", "name": "n", "title": "t"}]}`, []tool.Content{{Type: tool.ContentResourceLink, URI: "u:x", Name: "n", Title: "t"}}},
		{"blocks in text", "args.a", `{"a": "[{\"type\": \"text\", \"text\": \"x\"}]"}`, []tool.Content{{Type: tool.ContentText, Text: "x"}}},
		{"a mapped list", `map(args.a, ({"type": "text", "text": #}))`, `{"a": ["x", "y"]}`, []tool.Content{{Type: tool.ContentText, Text: "x"}, {Type: tool.ContentText, Text: "y"}}},
		{"an embedded resource", `[{"type": "resource", "resource": {"uri": "u:x", "blob": args.a}}]`, `{"a": "AAE="}`, []tool.Content{{Type: tool.ContentResource, URI: "u:x", Data: []byte{0, 1}}}},
		{"exactly the cap", `[{"type": "image", "data": args.a, "mimeType": "i"}]`, `{"a": "` + base64.StdEncoding.EncodeToString(make([]byte, tooltest.MaxOutput-1)) + `"}`, []tool.Content{{Type: tool.ContentImage, Data: make([]byte, tooltest.MaxOutput-1), MIMEType: "i"}}},
		{"no list", `[]`, `{}`, []tool.Content{}},
		{"an object without blocks", `{"a": 1}`, `{}`, nil},
		{"an unknown type of block", `[{"type": "video"}]`, `{}`, nil},
		{"data that is not base64", `[{"type": "image", "data": "%", "mimeType": "image/png"}]`, `{}`, nil},
		{"text that is not JSON", "args.a", `{"a": "x"}`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := compile(t, test.source, Deps{Output: tool.OutputContent, Args: []string{"a"}}).Run(t.Context(), input(t, test.args))
			if test.want == nil {
				if err == nil || tool.AsError(err).Code != tool.UpstreamError {
					t.Errorf("got %v, want %s", err, tool.UpstreamError)
				}
				return
			}
			if diff := cmp.Diff(test.want, out.Content); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

// TestCapCountsEverything has answers of one byte too many, each in another
// place.
func TestCapCountsEverything(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(make([]byte, tooltest.MaxOutput))
	text := strings.Repeat("x", tooltest.MaxOutput)
	for name, block := range map[string]string{
		"an image":         `{"type": "image", "data": "` + data + `", "mimeType": "i"}`,
		"a resource":       `{"type": "resource", "resource": {"uri": "u", "blob": "` + data + `"}}`,
		"a resource's URI": `{"type": "resource", "resource": {"uri": "` + text + `", "text": "x"}}`,
		"a link":           `{"type": "resource_link", "uri": "u", "name": "` + text + `"}`,
		"two blocks":       `{"type": "text", "text": "` + text + `"}, {"type": "text", "text": "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := compile(t, "args.a", Deps{Output: tool.OutputContent, Args: []string{"a"}})
			_, err := r.Run(t.Context(), input(t, `{"a": [`+block+`]}`))
			if err == nil || tool.AsError(err).Code != tool.TooLarge {
				t.Errorf("got %v, want %s", err, tool.TooLarge)
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
