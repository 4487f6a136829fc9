package tool_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func nothing(context.Context, struct{}) (string, error) { return "", nil }

// made is a tool of no arguments with options.
func made(opts ...tool.Option) *tool.Tool { return tool.Func("t", "T.", nothing, opts...) }

// TestOptions has what options make of a Spec.
func TestOptions(t *testing.T) {
	const none = `{"type":"object","properties":{},"additionalProperties":false}`
	limit := tool.RateLimit{Calls: 3, Per: time.Minute}
	tests := []struct {
		name string
		opts []tool.Option
		want tool.Spec
	}{
		{"none", nil, tool.Spec{ConcurrencySafe: true}},
		{"all", []tool.Option{
			tool.Title("Tee"), tool.Tags("read_only", "money"), tool.Tags("money", "slow"), tool.Hint("tea cup"), tool.Deferred(), tool.ByGroup(),
			tool.MaxTime(time.Second), tool.MaxOutput(9), tool.MaxResultSize(8), tool.Rate(limit), tool.Exclusive("k"), tool.Retries(2),
			tool.Record(tool.Logged{Arguments: tool.LogArgumentsNone}),
		}, tool.Spec{
			Title: "Tee", Tags: []string{"read_only", "money", "slow"}, SearchHint: "tea cup", Deferred: true, ByGroup: true,
			Timeout: time.Second, MaxOutput: 9, MaxResultSize: 8, RateLimit: &limit, Exclusive: "k", Retries: 2,
			Logged: tool.Logged{Arguments: tool.LogArgumentsNone}, ConcurrencySafe: true,
		}},
		{"destructive", []tool.Option{tool.Tags("destructive")}, tool.Spec{Tags: []string{"destructive"}}},
		{"privileged", []tool.Option{tool.Tags("privileged")}, tool.Spec{Tags: []string{"privileged"}}},
		{"one at a time", []tool.Option{tool.OneAtATime(), tool.Tags("read_only")}, tool.Spec{Tags: []string{"read_only"}}},
		{"the last counts", []tool.Option{tool.Title("a"), tool.Title("b"), {}}, tool.Spec{Title: "b", ConcurrencySafe: true}},
		{"another name", []tool.Option{tool.Name("u")}, tool.Spec{Name: "u", ConcurrencySafe: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := made(test.opts...)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			want := test.want
			if want.Name == "" {
				want.Name = "t"
			}
			want.Description, want.Parameters = "T.", json.RawMessage(none)
			if diff := cmp.Diff(want, got.Spec); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestMistakesOfTools has what is wrong with tools beside their types.
func TestMistakesOfTools(t *testing.T) {
	raw := func(parameters string) *tool.Tool {
		return tool.Raw("t", "T.", json.RawMessage(parameters), func(context.Context, tool.Input) (any, error) { return nil, nil })
	}
	tests := []struct {
		name string
		tool *tool.Tool
		want string
	}{
		{"nil function", tool.Func[struct{}, string]("t", "T.", nil), "the function is nil (give the one that runs the tool)"},
		{"nil raw function", tool.Raw("t", "T.", nil, nil), "the function is nil (give the one that runs the tool)"},
		{"parameters", raw(`{"type": `), `the parameters are not JSON (write an object schema, such as {"type": "object", "properties": {}})`},
		{"no description", tool.Func("t", "", nothing), "there is no description (say what the tool does and when to use it: it is by this that models choose)"},
		{"time", made(tool.MaxTime(0)), "MaxTime(0s) is no time to run in (give more than 0)"},
		{"output", made(tool.MaxOutput(-1)), "MaxOutput(-1) leaves no room for an answer (give more than 0)"},
		{"result", made(tool.MaxResultSize(0)), "MaxResultSize(0) leaves no room for an answer (give more than 0)"},
		{"rate", made(tool.Rate(tool.RateLimit{Calls: 0, Per: time.Second})), "Rate: calls: 0 is out of bounds (write a number from 1 to 100000)"},
		{"retries", made(tool.Retries(1)), `retries are for tools that change nothing (leave Retries out, or add Tags("read_only"))`},
		{"fewer retries", made(tool.Retries(-1)), "Retries(-1) is less than none"},
		{"of methods", made(tool.Only("A")), "Doc, Only, Except, Documented and Prefix are options of Methods (leave them out)"},
		{"all at once", made(tool.MaxTime(-1), tool.Retries(-1)), "MaxTime(-1ns) is no time to run in (give more than 0)\nRetries(-1) is less than none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.tool.Err == nil || test.tool.Runner != nil {
				t.Fatalf("it is taken for right")
			}
			if diff := cmp.Diff(test.want, test.tool.Err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestRaw: a function that takes its input as it is has every digit of it.
func TestRaw(t *testing.T) {
	subject := tool.Raw("t", "T.", json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}`),
		func(ctx context.Context, in tool.Input) (any, error) {
			call, ok := tool.CallFrom(ctx)
			return map[string]any{"n": in.Args["n"], "call": call.ID, "ok": ok && call == in.Call}, nil
		})
	for args, want := range map[string]string{
		`{"n": 12345678901234567890123}`: `{"call":"call_1","n":12345678901234567890123,"ok":true}`,
		`{}`:                             `{"call":"call_1","n":1,"ok":true}`,
	} {
		out, err := call(t, subject, args)
		if err != nil || out.Text() != want {
			t.Errorf("got %s, %v; want %s", out.Text(), err, want)
		}
	}
}
