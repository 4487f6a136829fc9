package host

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestApprovalNews holds what is told of changes as they are seen: each thing once,
// also where changes were too quick to be seen apart.
func TestApprovalNews(t *testing.T) {
	t.Parallel()
	answer := &approval.Answer{By: "ann", From: FromCLI}
	change := func(id string, state approval.State, told bool) approval.Approval {
		a := approval.Approval{ID: id, State: state, Told: told, Caller: tool.Caller{Name: "bob"}, Binding: approval.Binding{Tool: "pay"}, Arguments: json.RawMessage(`{"note":"hunter22"}`), Summary: "hunter22"}
		if state == approval.Approved || state == approval.Denied || state == approval.Used {
			a.Answer = answer
		}
		return a
	}
	for _, c := range []struct {
		name    string
		changes []approval.Approval
		want    string // counts of what is not 0
		lines   int
	}{
		{"the whole way", []approval.Approval{change("1", approval.Pending, false), change("1", approval.Pending, true), change("1", approval.Approved, true), change("1", approval.Used, true)}, "approved 1, requested 1", 2},
		{"quick", []approval.Approval{change("1", approval.Pending, false), change("1", approval.Used, false)}, "approved 1, requested 1", 2},
		{"one of before", []approval.Approval{change("1", approval.Used, false)}, "", 0},
		{"taken back", []approval.Approval{change("1", approval.Approved, false), change("1", approval.Denied, false)}, "approved 1, denied 1", 2},
		{"several", []approval.Approval{change("1", approval.Pending, false), change("2", approval.Pending, false), change("3", approval.Pending, false), change("1", approval.Expired, false), change("2", approval.Ended, false)}, "ended 1, expired 1, pending 1, requested 3", 5},
	} {
		var lines bytes.Buffer
		m := metrics.New(nothing{}, metrics.Options{})
		n := &approvalNews{feed: httpapi.NewFeed(), metrics: m, logger: slog.New(slog.NewTextHandler(&lines, nil)), open: map[string]approval.State{}}
		for _, a := range c.changes {
			n.see(a)
		}
		if got := approvalCounts(m); got != c.want {
			t.Errorf("%s: counted %s, want %s", c.name, got, c.want)
		}
		if text := lines.String(); strings.Count(text, "\n") != c.lines || strings.Contains(text, "hunter22") {
			t.Errorf("%s: want %d lines:\n%s", c.name, c.lines, text)
		}
	}
}

// approvalCounts are the figures of approvals that are not 0.
func approvalCounts(m *metrics.Metrics) string {
	res := httptest.NewRecorder()
	m.Handler().ServeHTTP(res, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	var out []string
	for _, found := range regexp.MustCompile(`(?m)^toolgate_approvals_(?:total\{outcome="(\w+)"\}|(pending)) ([1-9]\d*)$`).FindAllStringSubmatch(res.Body.String(), -1) {
		out = append(out, found[1]+found[2]+" "+found[3])
	}
	// pending comes before the others in the text
	if len(out) > 1 && strings.HasPrefix(out[0], "pending") {
		out = append(out[1:len(out)-1], out[0], out[len(out)-1])
	}
	return strings.Join(out, ", ")
}

// nothing is a gateway that does nothing.
type nothing struct{}

func (nothing) UnderWay() int { return 0 }

func (nothing) Admitted() (running, waiting int) { return 0, 0 }

func (nothing) LogFailures() int64 { return 0 }

func (nothing) Upstreams() map[string]string { return nil }
