package hook_test

import (
	"testing"

	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
)

// BenchmarkHooks measures what hooks add to a call: none, one whose condition
// is false, one that rewrites arguments, which are then checked again, and one
// that rewrites the result.
func BenchmarkHooks(b *testing.B) {
	for name, cfg := range map[string]hook.Config{
		"none":   {},
		"when":   {Before: []hook.BeforeConfig{{Name: "h", When: new("args.amount > 20"), Refuse: new("No.")}}},
		"set":    {Before: []hook.BeforeConfig{{Name: "h", Set: map[string]string{"args.amount": "min(args.amount, 20)"}}}},
		"result": {After: []hook.AfterConfig{{Name: "h", Result: new("{value: result.value}")}}},
	} {
		b.Run(name, func(b *testing.B) {
			p, call := plan(b, cfg), newCall(b, `{"amount":5,"user":"u"}`)
			b.ReportAllocs()
			for b.Loop() {
				c := *call
				if err := p.Before(b.Context(), &c); err != nil {
					b.Fatal(err)
				}
				if _, err := p.After(b.Context(), &c, tool.TextOutput("done"), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
