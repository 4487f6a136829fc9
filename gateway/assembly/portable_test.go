package assembly_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestShownIsPortable: models are shown the portable form, in lists and in the
// errors that teach it, and arguments are held to the schema as it was declared.
func TestShownIsPortable(t *testing.T) {
	t.Parallel()
	a, problems := build(t, `
version: 1
defaults: {think_augment: true}
tools:
  find:
    description: Find.
    parameters:
      type: object
      properties: {id: {$ref: "#/$defs/id"}, name: {const: x}, n: {type: integer, exclusiveMinimum: 0}}
      oneOf: [{required: [id]}, {required: [name]}]
      $defs: {id: {type: string, not: {const: "0"}}}
    expr: "1"
policy: {default: allow}
`, assembly.Declared)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	const want = `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string","enum":["x"]},"n":{"type":"integer","minimum":1},` +
		`"toolcall_reason":{"type":"string","description":"Why you chose this tool and what you expect from it."}},"description":"Give exactly one of: id; name."}`
	journal, err := runlog.Open(t.TempDir(), runlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := gateway.New(a.Generation, journal, gateway.Options{})
	for _, s := range g.Tools(t.Context(), tool.View{}) {
		if s.Name == "find" {
			if diff := cmp.Diff(want, string(s.Parameters)); diff != "" {
				t.Error(diff)
			}
		}
	}
	for args, fault := range map[string]string{
		`{"id":"0"}`: "id", `{}`: "id", `{"id":"1","name":"x"}`: "one", `{"id":"1","n":0}`: "n",
	} {
		got := g.Call(t.Context(), tool.Call{Tool: "find", Arguments: json.RawMessage(args)})
		if got.Error == nil || got.Error.Code != tool.InvalidArgs || !strings.Contains(got.Output.Text(), fault) || string(got.Error.InputSchema) != want {
			t.Errorf("%s: %+v %s", args, got.Error, got.Output.Text())
		}
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
}
