package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

// judge is a webhook that refuses payments of 13 and notes which calls it was asked
// about.
type judge struct {
	mu    sync.Mutex // guards asked
	asked map[string]int
}

func (j *judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		CallID string `json:"call_id"`
		Args   struct{ Amount float64 }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	j.mu.Lock()
	j.asked[q.CallID]++
	j.mu.Unlock()
	if q.Args.Amount == 13 {
		_, _ = fmt.Fprint(w, `{"action":"deny","reason":"Bad luck."}`)
		return
	}
	_, _ = fmt.Fprint(w, `{"action":"allow"}`)
}

// TestStepAsksFirst: of the calls of one step of a model all are asked about before
// the first one runs, a webhook is asked about each of them once, and what ran before
// is not asked about again.
func TestStepAsksFirst(t *testing.T) {
	t.Parallel()
	j := &judge{asked: map[string]int{}}
	hook := httptest.NewServer(j)
	t.Cleanup(hook.Close)
	h, err := open(config.Options{Files: []string{writeConfig(t, `version: 1
networks: {allow: ["127.0.0.0/8"]}
tools:
  pay: {description: Pay., parameters: {type: object, properties: {amount: {type: number}}, required: [amount]}, expr: args.amount}
policy:
  default: deny
  rules: [{name: payments, tools: [pay], action: ask, wait: 10m}]
hooks:
  before: [{name: judge, tools: [pay], http: {url: "`+hook.URL+`", timeout: 60s}}]
`)}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	raised := approveTogether(t, h.Gateway, 2)
	step := func() string {
		var calls []string
		for i, amount := range []int{5, 13, 6} {
			calls = append(calls, fmt.Sprintf(`{"id": "call_%d", "type": "function", "function": {"name": "pay", "arguments": "{\"amount\": %d}"}}`, i, amount))
		}
		req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/calls?chat=c", strings.NewReader("["+strings.Join(calls, ",")+"]"))
		res := httptest.NewRecorder()
		s.Handler().ServeHTTP(res, req)
		return res.Body.String()
	}
	if got := step(); strings.Count(got, `"status":"ok"`) != 2 || !strings.Contains(got, "Error: Bad luck") {
		t.Errorf("%s", got)
	}
	if again := step(); strings.Count(again, `"replayed":true`) != 3 || raised() != 2 {
		t.Errorf("again: %d were asked about: %s", raised(), again)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.asked) != 3 {
		t.Errorf("the webhook was asked about %d calls", len(j.asked))
	}
	for id, times := range j.asked {
		if times != 1 {
			t.Errorf("the webhook was asked %d times about %s", times, id)
		}
	}
}

// approveTogether approves what waits as soon as so many calls do, and gives how many
// were raised up to now.
func approveTogether(t *testing.T, g *gateway.Gateway, together int) (raised func() int) {
	t.Helper()
	var mu sync.Mutex
	all := map[string]bool{}
	var answers sync.WaitGroup
	stop := g.WatchApprovals(t.Context(), func(a approval.Approval) {
		mu.Lock()
		defer mu.Unlock()
		if all[a.ID] {
			return
		}
		if all[a.ID] = true; len(all) != together {
			return
		}
		for id := range all {
			answers.Go(func() {
				if _, err := g.AnswerApproval(t.Context(), id, gateway.Reply{Approve: true, By: tool.Caller{ID: "bob", Name: "Bob"}, From: "http"}); err != nil {
					t.Error(err)
				}
			})
		}
	})
	t.Cleanup(func() {
		stop()
		answers.Wait()
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(all)
	}
}
