package metrics_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// busy is a gateway at one moment.
type busy struct{}

func (busy) UnderWay() int        { return 7 }
func (busy) Admitted() (int, int) { return 5, 2 }
func (busy) LogFailures() int64   { return 3 }
func (busy) Upstreams() map[string]string {
	return map[string]string{"crm": "closed", "shop": "half-open"}
}
func (busy) Backlog() (int64, bool) { return 3400, true }

// ended is a call that has ended: code is empty for one that went well.
func ended(name string, known bool, code tool.Code, decision string, took time.Duration) *tool.Notice {
	r := &tool.Result{Tool: name, Status: tool.StatusOK, Duration: took}
	if code != "" {
		r.Status, r.Error = tool.StatusError, tool.Errorf(code, "password hunter2").Because(errors.New("hunter2"))
	}
	call := &tool.Call{ID: "hunter2", Tool: name, Arguments: []byte(`{"token":"hunter2"}`), Caller: tool.Caller{ID: "hunter2", Name: "hunter2"}}
	return &tool.Notice{Call: call, Request: "hunter2", Known: known, Shown: name, Decision: decision, Rule: "hunter2", Result: r}
}

// scrape gives the lines of an answer that are ours, but for those whose values
// no test knows.
func scrape(t *testing.T, m *metrics.Metrics) (ours []string, all string) {
	t.Helper()
	res := httptest.NewRecorder()
	m.Handler().ServeHTTP(res, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if res.Code != http.StatusOK {
		t.Fatalf("%d %s", res.Code, res.Body)
	}
	for line := range strings.Lines(res.Body.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "toolgate_") && !strings.Contains(line, "timestamp") && !strings.Contains(line, "_build_info") {
			ours = append(ours, line)
		}
	}
	return ours, res.Body.String()
}

// TestMetrics holds every series that some calls and reloads make.
func TestMetrics(t *testing.T) {
	m := metrics.New(busy{}, metrics.Options{Version: "v9", Backlog: busy{}})
	for _, n := range []*tool.Notice{
		ended("pay", true, "", "allow", 2*time.Millisecond),
		ended("pay", true, "", "allow", 20*time.Second),
		ended("pay", true, tool.Denied, "deny", time.Microsecond),
		ended("made_up_hunter2", false, tool.NotFound, "", 0),
		ended("another\nhunter2", false, tool.NotFound, "", 0),
	} {
		m.Began(n)
		m.Ended(n)
	}
	m.Requested()
	m.Settled("denied")
	m.Pending(3)
	m.Told(true)
	m.Told(false)
	m.Reloaded(metrics.ReloadOK)
	m.Reloaded(metrics.ReloadUnchanged)
	m.Reloaded(metrics.ReloadFailed)
	lines, all := scrape(t, m)
	got := strings.Join(lines, "\n")
	want := strings.TrimSpace(`
toolgate_approval_webhooks_total{outcome="failed"} 1
toolgate_approval_webhooks_total{outcome="ok"} 1
toolgate_approvals_pending 3
toolgate_approvals_total{outcome="approved"} 0
toolgate_approvals_total{outcome="denied"} 1
toolgate_approvals_total{outcome="ended"} 0
toolgate_approvals_total{outcome="expired"} 0
toolgate_approvals_total{outcome="requested"} 1
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.001"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.0025"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.005"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.01"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.025"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.05"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.1"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.25"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="0.5"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="1"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="2.5"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="5"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="10"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="30"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="60"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="300"} 2
toolgate_call_duration_seconds_bucket{tool="(unknown)",le="+Inf"} 2
toolgate_call_duration_seconds_sum{tool="(unknown)"} 0
toolgate_call_duration_seconds_count{tool="(unknown)"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.001"} 1
toolgate_call_duration_seconds_bucket{tool="pay",le="0.0025"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.005"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.01"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.025"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.05"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.1"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.25"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="0.5"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="1"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="2.5"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="5"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="10"} 2
toolgate_call_duration_seconds_bucket{tool="pay",le="30"} 3
toolgate_call_duration_seconds_bucket{tool="pay",le="60"} 3
toolgate_call_duration_seconds_bucket{tool="pay",le="300"} 3
toolgate_call_duration_seconds_bucket{tool="pay",le="+Inf"} 3
toolgate_call_duration_seconds_sum{tool="pay"} 20.002001
toolgate_call_duration_seconds_count{tool="pay"} 3
toolgate_calls_running 5
toolgate_calls_total{code="denied",decision="deny",tool="pay"} 1
toolgate_calls_total{code="not_found",decision="none",tool="(unknown)"} 2
toolgate_calls_total{code="ok",decision="allow",tool="pay"} 2
toolgate_calls_under_way 7
toolgate_calls_waiting 2
toolgate_config_generation 2
toolgate_config_last_reload_successful 0
toolgate_config_reloads_total{outcome="failed"} 1
toolgate_config_reloads_total{outcome="ok"} 1
toolgate_config_reloads_total{outcome="unchanged"} 1
toolgate_discovery_searches_total{outcome="exact"} 0
toolgate_discovery_searches_total{outcome="found"} 0
toolgate_discovery_searches_total{outcome="nothing"} 0
toolgate_discovery_searches_total{outcome="refused"} 0
toolgate_discovery_spared_schema_tokens_total 0
toolgate_run_log_backlog_bytes 3400
toolgate_run_log_failures_total 3
toolgate_run_log_store_failing 1
toolgate_upstream_state{state="closed",upstream="crm"} 1
toolgate_upstream_state{state="closed",upstream="shop"} 0
toolgate_upstream_state{state="half-open",upstream="crm"} 0
toolgate_upstream_state{state="half-open",upstream="shop"} 1
toolgate_upstream_state{state="open",upstream="crm"} 0
toolgate_upstream_state{state="open",upstream="shop"} 0`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(all, "hunter2") {
		t.Error("what a caller sent, or a secret, is in the metrics")
	}
	for _, name := range []string{"go_goroutines", "process_start_time_seconds", `version="v9"`} {
		if !strings.Contains(all, name) {
			t.Errorf("no %s in the metrics", name)
		}
	}
}

// TestSearches holds what searches for tools are counted as.
func TestSearches(t *testing.T) {
	m := metrics.New(busy{}, metrics.Options{})
	search := func(status tool.Status, done *tool.Search) *tool.Notice {
		n := ended("discover_tools", true, "", "allow", time.Millisecond)
		n.Result.Status, n.Result.Output.Search = status, done
		return n
	}
	for _, n := range []*tool.Notice{
		search(tool.StatusOK, &tool.Search{Spared: 1000}),
		search(tool.StatusOK, &tool.Search{Spared: 200, Activated: []string{"hunter2"}}),
		search(tool.StatusOK, &tool.Search{Spared: 30, Exact: true}),
		search(tool.StatusNoop, &tool.Search{Spared: 4}),
		search(tool.StatusNoop, &tool.Search{Spared: -1}),
		search(tool.StatusOK, nil), // without figures
		ended("discover_tools", true, tool.InvalidArgs, "", 0),
		ended("discover_tools", true, tool.Denied, "deny", 0),
		ended("discover_tools", false, tool.NotFound, "", 0), // there is nothing to find, and no such tool
		ended("pay", true, "", "allow", 0),
	} {
		m.Ended(n)
	}
	lines, _ := scrape(t, m)
	var got []string
	for _, line := range lines {
		if strings.Contains(line, "discovery") {
			got = append(got, line)
		}
	}
	want := []string{
		`toolgate_discovery_searches_total{outcome="exact"} 1`, `toolgate_discovery_searches_total{outcome="found"} 3`,
		`toolgate_discovery_searches_total{outcome="nothing"} 2`, `toolgate_discovery_searches_total{outcome="refused"} 2`,
		`toolgate_discovery_spared_schema_tokens_total 1234`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNames holds the metrics against the conventions of Prometheus.
func TestNames(t *testing.T) {
	m := metrics.New(busy{}, metrics.Options{Backlog: busy{}})
	m.Ended(ended("pay", true, "", "allow", time.Second))
	_, all := scrape(t, m)
	problems, err := promlint.New(strings.NewReader(all)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "toolgate_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// TestManyTools holds that ever new names of tools, as reloads may bring them, do
// not make series without end.
func TestManyTools(t *testing.T) {
	m := metrics.New(busy{}, metrics.Options{})
	const extra = 10
	for i := range metrics.MaxTools + extra {
		m.Ended(ended(fmt.Sprint("tool_", i), true, "", "allow", time.Millisecond))
	}
	m.Ended(ended("tool_0", true, "", "allow", time.Millisecond))
	lines, _ := scrape(t, m)
	count := map[string]string{}
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, "} "); ok && strings.HasPrefix(name, "toolgate_calls_total") {
			count[name] = value
		}
	}
	if len(count) != metrics.MaxTools+1 {
		t.Errorf("%d series", len(count))
	}
	for name, want := range map[string]string{"(other)": fmt.Sprint(extra), "tool_0": "2"} {
		if got := count[`toolgate_calls_total{code="ok",decision="allow",tool="`+name+`"`]; got != want {
			t.Errorf("%s counted %s times, want %s", name, got, want)
		}
	}
}

// TestHammer lets calls end, and configurations be reloaded, while the metrics
// are read.
func TestHammer(t *testing.T) {
	m := metrics.New(busy{}, metrics.Options{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 300 {
				m.Ended(ended(fmt.Sprint("tool_", i%7), true, "", "allow", time.Millisecond))
				m.Reloaded(metrics.ReloadOK)
			}
		})
	}
	for range 3 {
		group.Go(func() {
			for range 20 {
				scrape(t, m)
			}
		})
	}
	group.Wait()
	lines, _ := scrape(t, m)
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "toolgate_config_generation 2401") {
		t.Error(got)
	}
}

func BenchmarkEnded(b *testing.B) {
	m := metrics.New(busy{}, metrics.Options{})
	n := ended("pay", true, "", "allow", time.Millisecond)
	b.ReportAllocs()
	for b.Loop() {
		m.Ended(n)
	}
}
