package tool_test

import (
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestRateLimitWords(t *testing.T) {
	for _, tt := range []struct {
		limit         tool.RateLimit
		people, model string
	}{
		{tool.RateLimit{Calls: 3, Per: time.Minute}, "3 calls per 1m by caller", "3 calls per 1m for this caller"},
		{tool.RateLimit{Calls: 1, Per: 90 * time.Second, By: "chat"}, "1 call per 1m30s by chat", "1 call per 1m30s for this chat"},
		{tool.RateLimit{Calls: 10, Per: 31 * 24 * time.Hour, By: "tool"}, "10 calls per 31d by tool", "10 calls per 31d for all callers of this tool"},
	} {
		if people, model := tt.limit.String(), tt.limit.Words(); people != tt.people || model != tt.model {
			t.Errorf("%q and %q, want %q and %q", people, model, tt.people, tt.model)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "1s": time.Second, "10s": 10 * time.Second, "10m": 10 * time.Minute, "1h": time.Hour,
		"20h": 20 * time.Hour, "1h0m5s": time.Hour + 5*time.Second, "1h30m": 90 * time.Minute, "1d": 24 * time.Hour, "25h": 25 * time.Hour,
	} {
		if got := tool.Span(d); got != text {
			t.Errorf("%v: %q, want %q", d, got, text)
		}
	}
}
