package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/toolgate/toolgate/gateway/metrics"
)

// working is a code interpreter at one moment.
type working struct{}

func (working) Programs() metrics.Programs {
	return metrics.Programs{
		Processes: map[string]int{"idle": 2, "busy": 1}, Running: 1, Waiting: 4,
		Runs: map[string]int64{"ok": 7, "timeout": 1}, Ended: map[string]int64{"timeout": 1}, Starts: 4, FailedStarts: 1,
		Waited: 1500 * time.Millisecond, Ran: 20 * time.Second,
	}
}

// TestInterpreter holds the series of the code interpreter, which are only there with
// one.
func TestInterpreter(t *testing.T) {
	lines, all := scrape(t, metrics.New(busy{}, metrics.Options{Interpreter: working{}}))
	var got []string
	for _, line := range lines {
		if strings.HasPrefix(line, "toolgate_interpreter_") {
			got = append(got, line)
		}
	}
	want := strings.TrimSpace(`
toolgate_interpreter_process_ends_total{reason="timeout"} 1
toolgate_interpreter_process_start_failures_total 1
toolgate_interpreter_process_starts_total 4
toolgate_interpreter_processes{state="busy"} 1
toolgate_interpreter_processes{state="idle"} 2
toolgate_interpreter_programs_ran_seconds_total 20
toolgate_interpreter_programs_running 1
toolgate_interpreter_programs_total{outcome="ok"} 7
toolgate_interpreter_programs_total{outcome="timeout"} 1
toolgate_interpreter_programs_waited_seconds_total 1.5
toolgate_interpreter_programs_waiting 4
`)
	if d := cmp.Diff(want, strings.Join(got, "\n")); d != "" {
		t.Error(d)
	}
	if problems, err := promlint.New(strings.NewReader(all)).Lint(); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	if lines, _ := scrape(t, metrics.New(busy{}, metrics.Options{})); strings.Contains(strings.Join(lines, "\n"), "interpreter") {
		t.Error("there are series without an interpreter")
	}
}
