package metrics

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// describe makes the description of a metric that is read when it is asked for.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// figure is one number that is read when the metrics are asked for.
type figure struct {
	name, help string
	kind       prometheus.ValueType
	read       func(l *live) float64
}

// figures are all of them but for those of upstreams and of the backlog.
func figures() []figure {
	gauge, counter := prometheus.GaugeValue, prometheus.CounterValue
	return []figure{
		{"calls_under_way", "Calls that have come in and not been answered.", gauge, func(l *live) float64 { return float64(l.gateway.UnderWay()) }},
		{"calls_running", "Calls that hold one of the places to run.", gauge, func(l *live) float64 { running, _ := l.gateway.Admitted(); return float64(running) }},
		{"calls_waiting", "Calls that wait for their turn to run.", gauge, func(l *live) float64 { _, waiting := l.gateway.Admitted(); return float64(waiting) }},
		{"approvals_pending", "Calls that wait for a person, those of other servers on the same store too.", gauge, func(l *live) float64 { return float64(l.metrics.pending.Load()) }},
		{"run_log_failures_total", "Records of calls that could not be written.", counter, func(l *live) float64 { return float64(l.gateway.LogFailures()) }},
		{"config_generation", "Number of the configuration that is served: 1 at the start, one more after each that took its place.", gauge, func(l *live) float64 { return float64(l.metrics.generation.Load()) }},
		{"config_last_reload_successful", "Whether the configuration that was found last is the one that is served.", gauge, func(l *live) float64 { return truth(!l.metrics.failed.Load()) }},
		{"config_last_reload_success_timestamp_seconds", "When a configuration was last read that has no mistake.", gauge, func(l *live) float64 {
			return float64(l.metrics.loaded.Load()) / float64(time.Second)
		}},
	}
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// upstreamStates are the states that an upstream may be in.
func upstreamStates() []string { return []string{"closed", "open", "half-open"} }

// live reads what is not counted here when the metrics are asked for.
type live struct {
	gateway Gateway
	backlog Backlog
	metrics *Metrics
}

// Describe describes nothing: which series there are depends on the
// configuration that is served.
func (l *live) Describe(chan<- *prometheus.Desc) {}

// Collect reads every figure.
func (l *live) Collect(out chan<- prometheus.Metric) {
	for _, f := range figures() {
		out <- prometheus.MustNewConstMetric(describe(f.name, f.help), f.kind, f.read(l))
	}
	state := describe("upstream_state", "1 for the state that an upstream is in: closed (asked), open (not asked, because it keeps failing) or half-open (being tried).", "upstream", "state")
	for name, now := range l.gateway.Upstreams() {
		for _, s := range upstreamStates() {
			out <- prometheus.MustNewConstMetric(state, prometheus.GaugeValue, truth(s == now), name, s)
		}
	}
	if l.backlog == nil {
		return
	}
	bytes, failing := l.backlog.Backlog()
	out <- prometheus.MustNewConstMetric(describe("run_log_backlog_bytes", "Bytes of records of calls that are written to journals and not in the store yet."), prometheus.GaugeValue, float64(bytes))
	out <- prometheus.MustNewConstMetric(describe("run_log_store_failing", "Whether the store failed when it was last asked to take records of calls."), prometheus.GaugeValue, truth(failing))
}

// buildInfo says which program this is.
func buildInfo(version string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the version of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": cmp.Or(version, "unknown"), "go": runtime.Version()},
	})
	info.Set(1)
	return info
}

// names are the names of tools that have series of their own.
type names struct {
	known sync.Map // of string
	count atomic.Int64
}

// keep gives the name to count a tool under.
func (n *names) keep(name string) string {
	if _, ok := n.known.Load(name); ok {
		return name
	}
	if n.count.Load() >= maxTools {
		return otherTool
	}
	if _, there := n.known.LoadOrStore(name, struct{}{}); !there {
		n.count.Add(1)
	}
	return name
}
