package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestNoOracle: a caller who sends pieces of a secret, as a name, as a wrong
// argument and through a tool that echoes, reads what a caller reads who sends
// any other text.
func TestNoOracle(t *testing.T) {
	t.Parallel()
	const known, other = "hunter2", "gvmsdq3" // the house knows one
	g := house(t, &memoryLog{}, nil)
	for n := 1; n < len(known); n++ {
		for _, mark := range []string{"", "...", "…", " […]", "\n"} {
			for _, pair := range [][2]string{{known[:n], other[:n]}, {known[n:], other[n:]}} {
				for name, call := range map[string]func(text string) tool.Call{
					"unknown name":   func(text string) tool.Call { return tool.Call{Tool: "no-" + text} },
					"wrong argument": func(text string) tool.Call { return sent("pay", "amount", text) },
					"echo":           func(text string) tool.Call { return sent("read", "a", text) },
				} {
					got, want := shown(g.Call(t.Context(), call("~"+pair[0]+mark))), shown(g.Call(t.Context(), call("~"+pair[1]+mark)))
					if got = strings.ReplaceAll(got, "~"+pair[0], "~"+pair[1]); got != want || strings.Contains(got, "[secret]") {
						t.Errorf("%s of %q: %s, and not %s", name, pair[0]+mark, got, want)
					}
				}
			}
		}
	}
}

func sent(name, key, text string) tool.Call {
	data, _ := json.Marshal(map[string]string{key: text}) // no text fails
	return tool.Call{Tool: name, Arguments: data}
}

// shown is all of a result that a caller reads, but for ids and times.
func shown(r tool.Result) string { return string(r.Status) + r.Tool + r.Output.Text() }
