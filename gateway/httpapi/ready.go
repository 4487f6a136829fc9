package httpapi

import (
	"net/http"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Check is one thing that may keep a server from being used.
type Check struct {
	Name string // a few words in lower case with underscores
	// Test says what is missing, in a sentence that anyone may read, since nobody
	// is asked who they are: no path, no address, no secret. Nil when nothing is.
	// It does not wait.
	Test func() error
	// Note says that the server can be used all the same: what is missing is shown
	// and changes no status.
	Note bool
}

// checkJSON is a check as it went.
type checkJSON struct {
	Name    string `json:"name"`
	Status  string `json:"status"` // ok, missing, or note
	Problem string `json:"problem,omitempty"`
}

// readyJSON is the answer of GET /readyz.
type readyJSON struct {
	Status string      `json:"status"` // ready or not ready
	Checks []checkJSON `json:"checks"`
}

func (a *api) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz answers 200 when calls may be sent, else 503, and how each check went.
func (a *api) readyz(w http.ResponseWriter, _ *http.Request) {
	status, answer := http.StatusOK, readyJSON{Status: "ready", Checks: make([]checkJSON, 0, len(a.checks))}
	for _, c := range a.checks {
		went := checkJSON{Name: c.Name, Status: "ok"}
		if err := c.Test(); err != nil {
			went.Status, went.Problem = "note", err.Error()
			if !c.Note {
				went.Status = "missing"
				status, answer.Status = http.StatusServiceUnavailable, "not ready"
			}
		}
		answer.Checks = append(answer.Checks, went)
	}
	noStore(w)
	writeJSON(w, status, answer)
}

// maxScrapes is how many answers of GET /metrics are made at a time.
const maxScrapes = 4

// scraping answers with the metrics, a few at a time: one takes some work and may
// be asked for by anybody who is let in.
func scraping(metrics http.Handler) http.HandlerFunc {
	places := make(chan struct{}, maxScrapes)
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			metrics.ServeHTTP(w, r)
		default:
			p := &problem{
				status: http.StatusServiceUnavailable, after: overloadedAfter, Type: string(tool.Overloaded),
				Message: "the metrics are being asked for too often", Hint: "Try again later.",
			}
			p.write(w)
		}
	}
}
