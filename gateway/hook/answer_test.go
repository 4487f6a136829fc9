package hook_test

import (
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestWebhookAmbiguous: an answer that two readers could read in two ways is
// no answer, before a call and after it.
func TestWebhookAmbiguous(t *testing.T) {
	t.Parallel()
	for _, say := range []string{
		`{"action":"deny","action":"allow"}`,
		`{"action":"deny","ACTION":"allow"}`,
		`{"ACTION":"allow"}`,
		`{"\u0061ction":"deny","action":"allow"}`,
		`{"action":"allow","args":{}}`,
		`{"action":"allow","reason":"fine"}`,
		`{"action":"set","args":{},"reason":"fine"}`,
		`{"action":"deny","args":{}}`,
		`{"action":"replace","result":1,"args":{}}`,
		`{"action":"allow"}} x`,
		`{"action":"allow"}]`,
		`{"action":"allow"},`,
		`{"action":"allow"}` + "\x00",
		`{"action":"allow"} {}`,
		`{"action":"allow","note":1}`,
		`{"action":"allow","reason":1}`,
		`{"action":null}`,
		`{"action":["allow"]}`,
		`["allow"]`, `"allow"`, `null`,
		"\xEF\xBB\xBF" + `{"action":"allow"}`,
		"{\"action\":\"allow\",\"reason\":\"\xff\"}",
		`{"action":"set","args":{"amount":1,"user":"u","user":"v"}}`,
		`{"action":"set","args":{"amount":1},"args":{"user":"v"}}`,
		`{"action":"set","args":{"amount":1,"user":"v"},"Args":{}}`,
		`{"action":"replace","result":{"a":{"b":1,"b":2}}}`,
		`{"action":"replace","result":1,"result":2}`,
	} {
		var report diag.Report
		web := &hook.WebhookConfig{URL: "https://x"}
		set := hook.Compile(diag.NewCursor(&report, nil), &hook.Config{
			Before: []hook.BeforeConfig{{Name: "b", HTTP: web}}, After: []hook.AfterConfig{{Name: "a", HTTP: web}},
		}, nil, hook.Deps{Client: saying(say)})
		set.Bind(payTool(t))
		c := newCall(t, `{"amount":1,"user":"u"}`)
		if got := ending(set.Plan("pay").Before(t.Context(), c)); got != "denied: a check of this call is not available" {
			t.Errorf("%q before: %q", say, got)
		}
		if _, err := set.Plan("pay").After(t.Context(), c, tool.TextOutput("x"), nil); ending(err) != "denied: a check of this call's result is not available" {
			t.Errorf("%q after: %v", say, err)
		}
	}
}
