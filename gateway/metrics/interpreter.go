package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Interpreter is what is read of the code interpreter when the metrics are asked for.
type Interpreter interface {
	// Programs gives the figures of now. All but the first group are sums since the
	// start.
	Programs() Programs
}

// Programs are figures of what runs programs.
type Programs struct {
	Processes        map[string]int // by state
	Running, Waiting int            // programs

	Runs                 map[string]int64 // programs that were answered, by outcome or error_type
	Ended                map[string]int64 // processes, by why they ended
	Starts, FailedStarts int64            // of processes
	Waited, Ran          time.Duration    // of all programs together
}

// programs reads the figures of the code interpreter.
type programs struct{ of Interpreter }

// Describe describes nothing: which series there are depends on what has been run.
func (p *programs) Describe(chan<- *prometheus.Desc) {}

// Collect reads every figure.
func (p *programs) Collect(out chan<- prometheus.Metric) {
	now := p.of.Programs()
	put := func(kind prometheus.ValueType, name, help string, value float64) {
		out <- prometheus.MustNewConstMetric(describe("interpreter_"+name, help), kind, value)
	}
	putEach := func(kind prometheus.ValueType, name, help, label string, values map[string]int64) {
		desc := describe("interpreter_"+name, help, label)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			out <- prometheus.MustNewConstMetric(desc, kind, float64(values[key]), key)
		}
	}
	processes := map[string]int64{}
	for state, n := range now.Processes {
		processes[state] = int64(n)
	}
	gauge, counter := prometheus.GaugeValue, prometheus.CounterValue
	putEach(gauge, "processes", "Processes of the code interpreter, by state (starting, idle, busy, resetting).", "state", processes)
	put(gauge, "programs_running", "Programs that run.", float64(now.Running))
	put(gauge, "programs_waiting", "Programs that wait for a process.", float64(now.Waiting))
	putEach(counter, "programs_total", "Programs that were answered, by outcome (ok, error, syntax, exit, dependencies, crash) or, for those that were ended or not run, by error_type.", "outcome", now.Runs)
	put(counter, "process_starts_total", "Processes of the code interpreter that were started.", float64(now.Starts))
	put(counter, "process_start_failures_total", "Starts of processes of the code interpreter that failed.", float64(now.FailedStarts))
	putEach(counter, "process_ends_total", "Processes of the code interpreter that have ended, by reason (timeout, cancelled, worn, crash, broken, closed).", "reason", now.Ended)
	put(counter, "programs_waited_seconds_total", "How long all programs together waited for a process.", now.Waited.Seconds())
	put(counter, "programs_ran_seconds_total", "How long all programs together ran.", now.Ran.Seconds())
}
