package host

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
)

// TestPoolsAreShared takes pools for the same and for other programs.
func TestPoolsAreShared(t *testing.T) {
	t.Parallel()
	i := newInterpreters(slog.New(slog.DiscardHandler), ThisProgram, false)
	folder := t.TempDir()
	take := func(timeout time.Duration) (python.Stats, *python.Pool, func()) {
		p, release := i.Take(&assembly.Programs{Timeout: timeout, Memory: 64 << 20, Workers: 1, Queue: 1, Runtime: folder})
		return p.(programs).pool.Stats(), p.(programs).pool, release
	}
	_, a, releaseA := take(time.Second)
	_, b, releaseB := take(time.Second)
	_, c, releaseC := take(2 * time.Second)
	if a != b || a == c {
		t.Error("the same programs have the same pool, and others another")
	}
	releaseA()
	_, d, releaseD := take(time.Second)
	if d != a {
		t.Error("a pool that somebody has is another one")
	}
	releaseB()
	releaseD()
	_, e, releaseE := take(time.Second)
	if e == a {
		t.Error("a pool that nobody has is still there")
	}
	releaseC()
	releaseE()
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	got := i.Programs()
	if d := cmp.Diff(map[string]int{"starting": 0, "idle": 0, "busy": 0, "resetting": 0}, got.Processes); d != "" {
		t.Error(d)
	}
}

// TestBrings has no interpreter, and no npm to bring one: a server tries, says so, and
// goes on.
func TestBrings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	var log lines
	i := newInterpreters(slog.New(slog.NewTextHandler(&log, nil)), ThisProgram, true)
	_, err := i.command(&assembly.Programs{})
	if e := tool.AsError(err); e.Code != tool.UpstreamUnavailable || e.RetryAfter == 0 || !strings.Contains(e.Message, "is being installed") {
		t.Errorf("at first: got %v", err)
	}
	i.tasks.Wait()
	_, err = i.command(&assembly.Programs{})
	if e := tool.AsError(err); e.Code != tool.UpstreamUnavailable || !strings.HasSuffix(e.Hint, "has to run: gateway python install.") {
		t.Errorf("then: got %v, %s", err, tool.AsError(err).Hint)
	}
	if text := log.String(); !strings.Contains(text, "installing the Python interpreter") || !strings.Contains(text, "could not be installed") {
		t.Errorf("the log has %s", text)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}
