package handle

import (
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// State is where a started call is on its way.
type State string

// The states of a started call. One that waits for its turn runs already.
const (
	Running   State = "running"
	Completed State = "completed" // it went well
	Failed    State = "failed"    // it failed, or the gateway stopped while it ran
	Cancelled State = "cancelled" // it ended because it was cancelled
)

// Status is what is known of a started call at one moment. What it points to
// is shared and must not be changed.
type Status struct {
	ID       string // of the call
	Tool     string // the name as it was called, of which the first 100 characters
	State    State
	Progress *tool.Step // the latest step; nil before the first
	Started  time.Time
	Ended    time.Time    // zero while the call runs
	Result   *tool.Result // nil while the call runs
}

// statusJSON is a status as the HTTP API shows it.
type statusJSON struct {
	CallID     string       `json:"call_id"`
	Tool       string       `json:"tool"`
	State      State        `json:"state"`
	Progress   *stepJSON    `json:"progress,omitempty"`
	StartedAt  time.Time    `json:"started_at"`
	EndedAt    *time.Time   `json:"ended_at,omitempty"`
	DurationMS *float64     `json:"duration_ms,omitempty"` // from start to end
	Result     *tool.Result `json:"result,omitempty"`
}

// stepJSON is a step; a total that is not known is left out.
type stepJSON struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// MarshalJSON writes the status for the HTTP API: times in UTC as RFC 3339
// says, the duration in milliseconds, and nothing of an end before there is
// one.
func (s Status) MarshalJSON() ([]byte, error) {
	w := statusJSON{CallID: s.ID, Tool: s.Tool, State: s.State, StartedAt: s.Started.UTC(), Result: s.Result}
	if s.Progress != nil {
		w.Progress = &stepJSON{Done: s.Progress.Done, Total: s.Progress.Total, Message: s.Progress.Message}
	}
	if !s.Ended.IsZero() {
		// By the clock on the wall, which is what is kept: told again after a restart it
		// is the same.
		at, took := s.Ended.UTC(), float64(max(0, s.Ended.Round(0).Sub(s.Started.Round(0))).Microseconds())/1000
		w.EndedAt, w.DurationMS = &at, &took
	}
	return tool.EncodeJSON(w)
}
