package expression_test

import (
	"encoding/json"
	"fmt"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

// A condition is compiled once and run for every call; before the arguments
// are known it can be asked what is certain already.
func ExampleCompile() {
	env := expression.NewEnv(
		expression.Var{Name: "tool", Type: expression.Object(map[string]expression.Type{"name": expression.String})},
		expression.Var{Name: "args", Type: expression.Closed([]string{"amount"}), Late: true},
	)
	var report diag.Report
	at := diag.NewCursor(&report, nil).Key("when")
	p := expression.Compile(at, `tool.name == "pay" && args.amount > 100`, env, expression.WantBool)

	pay, list := map[string]any{"name": "pay"}, map[string]any{"name": "list"}
	fmt.Println(p.Early(env.Vars(map[string]any{"tool": list})), p.Early(env.Vars(map[string]any{"tool": pay})))
	fmt.Println(p.Bool(env.Vars(map[string]any{"tool": pay, "args": map[string]any{"amount": json.Number("250")}})))
	fmt.Println(p.Bool(env.Vars(map[string]any{"tool": pay, "args": map[string]any{"amount": "250"}})))

	expression.Compile(at, "args.amout > 100", env, expression.WantBool)
	fmt.Println(report.Problems())
	// Output:
	// no unknown
	// true <nil>
	// false args.amount is text and 100 is a number
	// when: args has no field amout (did you mean amount?)
}

// A document keeps the types of its values and leaves out what is absent.
func ExampleDocument() {
	env := expression.NewEnv(expression.Var{Name: "args", Type: expression.JSON})
	var report diag.Report
	raw := json.RawMessage(`{"id": "${args.id}", "note": "for ${args.id}", "limit": "${args.limit}"}`)
	d := expression.ParseDocument(diag.NewCursor(&report, nil), raw, env)
	data, err := d.Render(env.Vars(map[string]any{"args": map[string]any{"id": json.Number("12345678901234567890")}}))
	fmt.Println(string(data), err)
	// Output: {"id":12345678901234567890,"note":"for 12345678901234567890"} <nil>
}
