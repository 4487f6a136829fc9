package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

type greeting struct {
	Name  string `json:"name" jsonschema:"whom to greet"`
	Times int    `json:"times,omitempty" default:"1" minimum:"1" maximum:"3"`
}

// input is what the gateway hands to a runner for a JSON text.
func input(t testing.TB, text string) tool.Input {
	t.Helper()
	in := tool.Input{Call: &tool.Call{ID: "call_1", Tool: "t"}, Spec: &tool.Spec{Name: "t", MaxOutput: 64 << 10}}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&in.Args); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestFunc(t *testing.T) {
	greet := tool.Func("greet", "Greets.", func(_ context.Context, in greeting) (string, error) {
		return strings.Repeat("hello "+in.Name+"; ", in.Times), nil
	}, tool.Tags("read_only"))
	if greet.Err != nil {
		t.Fatal(greet.Err)
	}
	t.Log(string(greet.Spec.Parameters))
	out, err := greet.Runner.Run(t.Context(), input(t, `{"name": "Ada", "times": 2}`))
	if err != nil || out.Text() != "hello Ada; hello Ada; " {
		t.Errorf("got %q, %v", out.Text(), err)
	}
}
