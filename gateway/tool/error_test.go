package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestErrorReaders(t *testing.T) {
	t.Parallel()
	err := tool.Errorf(tool.UpstreamUnavailable, "the upstream did not answer").
		Because(io.ErrUnexpectedEOF).WithHint("Try again in %d seconds.", 2)
	err.Tool, err.Retryable, err.RetryAfter = "find", true, 2*time.Second

	if got, want := err.Text(), "Error: the upstream did not answer\nTry again in 2 seconds."; got != want {
		t.Errorf("model reads %q, want %q", got, want)
	}
	if got, want := err.Error(), "upstream_unavailable: the upstream did not answer: unexpected EOF"; got != want {
		t.Errorf("operator reads %q, want %q", got, want)
	}
	data, jsonErr := json.Marshal(err)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	want := `{"error_type":"upstream_unavailable","tool":"find","message":"the upstream did not answer",` +
		`"hint":"Try again in 2 seconds.","retryable":true,"fatal":false,"retry_after":2}`
	if string(data) != want {
		t.Errorf("program reads\n%s, want\n%s", data, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is not in the chain")
	}
}

func TestAsErrorHidesForeignErrors(t *testing.T) {
	t.Parallel()
	inner := tool.Errorf(tool.Denied, "no")
	if got := tool.AsError(fmt.Errorf("outer: %w", inner)); got != inner {
		t.Errorf("got %v, want the inner error", got)
	}
	foreign := tool.AsError(errors.New("password is hunter2"))
	if foreign.Code != tool.Internal || foreign.Text() == "" {
		t.Errorf("got %v", foreign)
	}
	if data, _ := json.Marshal(foreign); errors.Unwrap(foreign).Error() != "password is hunter2" || strings.Contains(string(data)+foreign.Text(), "hunter2") {
		t.Errorf("a foreign error reached the model: %s", data)
	}
}
