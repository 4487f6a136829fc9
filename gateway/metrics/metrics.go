// Package metrics counts what a gateway does, for Prometheus. It is the only
// import of client_golang.
//
// Labels come from the configuration and from fixed lists, never from what a
// model or a client sent: an unknown tool is counted under one name that no tool
// can have. So no argument and no secret is in a metric, and nobody outside can
// make series.
package metrics

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	namespace = "toolgate"
	// maxTools is the most tools that are counted apart. Reloads may bring ever
	// new names; those that come when there are so many are counted together.
	maxTools = 20_000
)

// Names that stand for tools; no tool can be called so.
const (
	unknownTool = "(unknown)" // no tool of this name is registered
	otherTool   = "(other)"   // one of those over maxTools
)

// Outcome is how a reload of the configuration ended.
type Outcome string

// The outcomes of a reload.
const (
	ReloadOK        Outcome = "ok"        // a new configuration is served
	ReloadFailed    Outcome = "failed"    // it has a mistake; the one before is served on
	ReloadUnchanged Outcome = "unchanged" // nothing in it was another than before
)

// Gateway is what is read of a gateway when the metrics are asked for.
type Gateway interface {
	// UnderWay is the number of calls that have entered and not been answered.
	UnderWay() int
	// Admitted is how many calls run and how many wait for their turn.
	Admitted() (running, waiting int)
	// LogFailures is how many records of calls could not be written.
	LogFailures() int64
	// Upstreams says of upstreams, by name, whether they are closed, open or half-open.
	Upstreams() map[string]string
}

// Backlog is what waits to be stored. Its methods do not wait.
type Backlog interface {
	// Backlog is how many bytes of records are written and not stored yet, and
	// whether the store failed when it was last asked to take some.
	Backlog() (bytes int64, failing bool)
}

// Options are what a [Metrics] may be given; the zero value works.
type Options struct {
	Version string  // of the program; "unknown" when empty
	Backlog Backlog // nil where records wait for nothing
	// Interpreter is nil where no programs are run.
	Interpreter Interpreter
	Logger      *slog.Logger // told of answers that failed; nothing is logged when nil
}

// Metrics counts calls and reloads; safe for concurrent use. It is an observer
// of a gateway.
type Metrics struct {
	registry *prometheus.Registry
	logger   *slog.Logger
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	tools    names
	reloads  *prometheus.CounterVec
	answers  *prometheus.CounterVec
	told     *prometheus.CounterVec
	searches searches

	pending    atomic.Int64 // calls that wait for a person
	generation atomic.Int64 // of the configuration that is served
	loaded     atomic.Int64 // when it came, in nanoseconds of Unix time
	failed     atomic.Bool  // the last reload failed
}

// New returns metrics of the gateway, which serves its first configuration.
func New(gateway Gateway, opts Options) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), logger: opts.Logger,
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "calls_total",
			Help: "Calls that have ended, by tool, code (ok or an error_type) and decision of policy (allow, deny, ask, or none where it was not asked).",
		}, []string{"tool", "code", "decision"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "call_duration_seconds", Buckets: buckets(),
			Help: "How long calls took from their coming in to their answer, by tool.",
		}, []string{"tool"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "config_reloads_total",
			Help: "Reloads of the configuration, by outcome (ok, failed, unchanged).",
		}, []string{"outcome"}),
		searches: newSearches(),
	}
	m.countApprovals()
	m.generation.Store(1)
	m.loaded.Store(time.Now().UnixNano())
	for _, o := range []Outcome{ReloadOK, ReloadFailed, ReloadUnchanged} {
		m.reloads.WithLabelValues(string(o))
	}
	m.registry.MustRegister(
		m.calls, m.took, m.reloads, m.answers, m.told, m.searches.ended, m.searches.spared,
		&live{gateway: gateway, backlog: opts.Backlog, metrics: m},
		buildInfo(opts.Version),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if opts.Interpreter != nil {
		m.registry.MustRegister(&programs{opts.Interpreter})
	}
	return m
}

// The outcomes of approvals and of telling webhooks of them.
const (
	outcomeOK     = "ok"
	outcomeFailed = "failed"
)

func (m *Metrics) countApprovals() {
	m.answers = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "approvals_total",
		Help: "What became of calls that waited for a person, as far as it was seen here, by outcome (requested, approved, denied, expired, ended).",
	}, []string{"outcome"})
	m.told = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "approval_webhooks_total",
		Help: "Requests to webhooks of approvals, by outcome (ok, failed).",
	}, []string{"outcome"})
	for _, outcome := range []string{"requested", "approved", "denied", "expired", "ended"} {
		m.answers.WithLabelValues(outcome)
	}
	for _, outcome := range []string{outcomeOK, outcomeFailed} {
		m.told.WithLabelValues(outcome)
	}
}

// Requested counts a call that waits for a person.
func (m *Metrics) Requested() { m.answers.WithLabelValues("requested").Inc() }

// Settled counts what became of one: approved, denied, expired or ended.
func (m *Metrics) Settled(outcome string) { m.answers.WithLabelValues(outcome).Inc() }

// Pending says how many calls wait for a person now.
func (m *Metrics) Pending(n int) { m.pending.Store(int64(n)) }

// Told counts a request to a webhook.
func (m *Metrics) Told(ok bool) {
	outcome := outcomeFailed
	if ok {
		outcome = outcomeOK
	}
	m.told.WithLabelValues(outcome).Inc()
}

// buckets are in seconds: a call through the gate takes well under a millisecond
// beside its tool, and a tool may take minutes.
func buckets() []float64 {
	return []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}
}

// Began counts nothing: calls under way are read from the gateway.
func (m *Metrics) Began(*tool.Notice) {}

// Ended counts a call.
func (m *Metrics) Ended(n *tool.Notice) {
	name, code, decision := unknownTool, "ok", "none"
	if n.Known {
		name = m.tools.keep(n.Call.Tool)
	}
	if n.Result.Error != nil {
		code = string(n.Result.Error.Code)
	}
	if n.Decision != "" {
		decision = n.Decision
	}
	m.calls.WithLabelValues(name, code, decision).Inc()
	m.took.WithLabelValues(name).Observe(n.Result.Duration.Seconds())
	m.searches.count(n)
}

// Reloaded counts a reload of the configuration that has ended.
func (m *Metrics) Reloaded(o Outcome) {
	m.reloads.WithLabelValues(string(o)).Inc()
	m.failed.Store(o == ReloadFailed)
	if o == ReloadOK {
		m.generation.Add(1)
	}
	if o != ReloadFailed {
		m.loaded.Store(time.Now().UnixNano())
	}
}

// Handler answers with all metrics in the format that the client asks for. It
// asks nobody who they are.
func (m *Metrics) Handler() http.Handler {
	opts := promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError} // what can be read is worth more than nothing
	if m.logger != nil {
		opts.ErrorLog = slog.NewLogLogger(m.logger.Handler(), slog.LevelWarn)
	}
	return promhttp.HandlerFor(m.registry, opts)
}
