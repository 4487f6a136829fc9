package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/host"
)

// TestServedMetrics makes calls of every sort at a real server and reads what it
// counts, also of an upstream that is away and comes to be tried again.
func TestServedMetrics(t *testing.T) {
	t.Parallel()
	const pause = 300 * time.Millisecond
	h := openText(t, `
version: 1
networks: {allow: [127.0.0.0/8]}
upstreams: {gone: {url: "http://127.0.0.1:1", breaker: {failures: 1, pause: 300ms}}, still: {url: "http://127.0.0.1:1", breaker: {failures: 0}}}
tools:
  one: {description: One., tags: [read_only], expr: "1"}
  away: {description: Away., tags: [read_only], http: {upstream: gone, path: /}}
  quiet: {description: Quiet., tags: [read_only], http: {upstream: still, path: /}}
  hidden: {description: Hidden., expr: "1"}
policy: {default: allow, rules: [{name: no, tools: [hidden], action: deny}]}
`, discardLogger())
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	t.Cleanup(h.Gateway.Watch(s.Metrics))
	handler := s.Handler()
	ask := func(method, path string) *httptest.ResponseRecorder {
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, httptest.NewRequest(method, "http://localhost"+path, http.NoBody))
		return res
	}
	scrape := func(want ...string) {
		t.Helper()
		res := ask(http.MethodGet, "/metrics")
		if kind := res.Header().Get("Content-Type"); res.Code != http.StatusOK || !strings.HasPrefix(kind, "text/plain") {
			t.Errorf("%d %s", res.Code, kind)
		}
		for _, line := range want {
			if !strings.Contains(res.Body.String(), "\n"+line+"\n") {
				t.Errorf("no %s in\n%s", line, res.Body)
			}
		}
		if strings.Contains(res.Body.String(), "made_up") || strings.Contains(res.Body.String(), `upstream="still"`) {
			t.Error(res.Body)
		}
	}
	scrape(`toolgate_upstream_state{state="closed",upstream="gone"} 1`, `toolgate_upstream_state{state="open",upstream="gone"} 0`, "toolgate_config_generation 1")
	for _, name := range []string{"one", "one", "made_up", "made_up_too", "hidden", "away", "quiet"} {
		ask(http.MethodPost, "/v1/tools/"+name+"/call")
	}
	scrape(
		`toolgate_calls_total{code="ok",decision="allow",tool="one"} 2`,
		`toolgate_calls_total{code="not_found",decision="none",tool="(unknown)"} 2`,
		`toolgate_calls_total{code="not_found",decision="none",tool="hidden"} 1`,
		`toolgate_calls_total{code="upstream_unavailable",decision="allow",tool="away"} 1`,
		`toolgate_call_duration_seconds_count{tool="one"} 2`,
		`toolgate_upstream_state{state="closed",upstream="gone"} 0`, `toolgate_upstream_state{state="open",upstream="gone"} 1`,
		"toolgate_calls_under_way 0", "toolgate_calls_running 0", "toolgate_calls_waiting 0", "toolgate_run_log_failures_total 0",
	)
	time.Sleep(pause)
	scrape(`toolgate_upstream_state{state="half-open",upstream="gone"} 1`, `toolgate_upstream_state{state="open",upstream="gone"} 0`)
}
