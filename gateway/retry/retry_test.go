package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/retry"
	"github.com/toolgate/toolgate/gateway/tool"
)

// passing fails with an error that may pass, which asks for a wait.
func passing(after time.Duration) error {
	e := tool.Errorf(tool.UpstreamUnavailable, "nobody is there")
	e.Retryable, e.RetryAfter = true, after
	return e
}

// notAsked is such an error where the backend was not asked at all.
func notAsked() error {
	e := tool.Errorf(tool.UpstreamUnavailable, "nobody is asked")
	e.Retryable = true
	return e.Because(tool.ErrNotAsked)
}

func TestDo(t *testing.T) {
	final := tool.Errorf(tool.UpstreamError, "no")
	tests := []struct {
		name      string
		further   int
		limit     time.Duration // 0 for none
		failures  []error       // of the first runs; then it goes well
		runs      int
		code      tool.Code // empty when the last run went well
		least     time.Duration
		most      time.Duration
		cancelled time.Duration // when the caller gives up; 0 for never
	}{
		{name: "goes well", further: 3, runs: 1},
		{name: "none allowed", failures: []error{passing(0)}, runs: 1, code: tool.UpstreamUnavailable},
		{name: "negative", further: -1, failures: []error{passing(0)}, runs: 1, code: tool.UpstreamUnavailable},
		{name: "passes", further: 3, failures: []error{passing(0), passing(0)}, runs: 3, least: 300 * time.Millisecond, most: 900 * time.Millisecond},
		{name: "does not pass", further: 2, failures: []error{passing(0), passing(0), passing(0)}, runs: 3, code: tool.UpstreamUnavailable, least: 300 * time.Millisecond, most: 900 * time.Millisecond},
		{name: "final", further: 3, failures: []error{final}, runs: 1, code: tool.UpstreamError},
		{name: "final after one that may pass", further: 3, failures: []error{passing(0), final}, runs: 2, code: tool.UpstreamError, most: 300 * time.Millisecond},
		{name: "the backend was not asked", further: 3, failures: []error{passing(0), notAsked()}, runs: 2, code: tool.UpstreamUnavailable, most: 300 * time.Millisecond},
		{name: "no error of a tool", further: 3, failures: []error{errors.New("x")}, runs: 1, code: tool.Internal},
		{name: "waits as asked", further: 1, failures: []error{passing(3 * time.Second)}, runs: 2, least: 3 * time.Second, most: 3 * time.Second},
		{name: "a wait beyond the deadline", further: 3, limit: time.Second, failures: []error{passing(2 * time.Second)}, runs: 1, code: tool.UpstreamUnavailable},
		{name: "the deadline is nearer than the wait", further: 3, limit: 50 * time.Millisecond, failures: []error{passing(0)}, runs: 1, code: tool.UpstreamUnavailable},
		{name: "the caller gives up during a wait", further: 3, cancelled: time.Second, failures: []error{passing(2 * time.Second)}, runs: 1, code: tool.UpstreamUnavailable, least: time.Second, most: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				if tt.cancelled > 0 {
					time.AfterFunc(tt.cancelled, cancel)
				}
				runs, began := 0, time.Now()
				out, again, err := retry.Do(ctx, tt.further, func(context.Context) (tool.Output, error) {
					runs++
					if runs <= len(tt.failures) {
						return tool.Output{}, tt.failures[runs-1]
					}
					return tool.TextOutput("done"), nil
				})
				took := time.Since(began)
				if runs != tt.runs || again != tt.runs-1 {
					t.Errorf("%d runs, %d said to be further ones, want %d runs", runs, again, tt.runs)
				}
				if took < tt.least || took > tt.most {
					t.Errorf("waited %v, want from %v to %v", took, tt.least, tt.most)
				}
				if tt.code == "" && (err != nil || out.Text() != "done") {
					t.Errorf("got %q, %v", out.Text(), err)
				}
				if tt.code != "" && (err == nil || tool.AsError(err).Code != tt.code) {
					t.Errorf("got error %v, want %s", err, tt.code)
				}
			})
		})
	}
}
