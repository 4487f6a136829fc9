package cmdtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestNothingIsLeftBehind runs commands that start others, and looks for those
// once the run is over. Each writes the process it leaves to the file "left";
// where a run does not end by itself, the file also says when to cancel it.
func TestNothingIsLeftBehind(t *testing.T) {
	tests := []struct {
		name, script string
		code         tool.Code // empty for a success
		text         string
	}{
		{"when cancelled", `sleep 60 & echo $! > left; wait`, tool.Cancelled, ""},
		{"deeper down", `sh -c 'sleep 60 & echo $! > left; wait' & wait`, tool.Cancelled, ""},
		{"that ignores what it is told", `sh -c 'trap "" TERM INT HUP PIPE; echo $$ > left; for i in 1 2 3 4 5 6 7 8 9; do sleep 5; done' & wait`, tool.Cancelled, ""},
		{"after a success that leaves its output open", `sleep 60 & echo $! > left; echo done`, "", "done\n"},
		{"after a success that leaves its output closed", `sleep 60 >/dev/null 2>&1 & echo $! > left; echo done`, "", "done\n"},
		{"after a failure", `sleep 60 & echo $! > left; exit 2`, tool.UpstreamError, ""},
		{"over the cap", `sleep 60 & echo $! > left; trap "" PIPE; i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); echo 0123456789012345678901234567890123456789 2>/dev/null; done`, tool.TooLarge, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			left := filepath.Join(dir, "left")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.code == tool.Cancelled {
				go func() { read(left); cancel() }()
			}
			out, err := compile(t, Config{Argv: shell(test.script)}, Deps{Dir: dir}).Run(ctx, input(t, `{}`))
			if test.code == "" && (err != nil || out.Text() != test.text) {
				t.Errorf("got %q, %v", out.Text(), err)
			} else if test.code != "" && (err == nil || tool.AsError(err).Code != test.code) {
				t.Errorf("got %v, want %s", err, test.code)
			}
			wantGone(t, read(left))
		})
	}
}

// read waits for a process id in a file, for some seconds.
func read(file string) int {
	for range 1000 {
		if text, err := os.ReadFile(file); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				return pid
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("the command never said what it leaves behind")
	}
	for end := time.Now().Add(2 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// running reports whether the process does more than wait to be collected.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestAskedToEnd is about what a program can do when its call is over.
func TestAskedToEnd(t *testing.T) {
	tests := []struct {
		name, script string
		exit         map[string]string
		cleaned      bool
	}{
		{"it cleans up and fails", `trap 'echo > cleaned; exit 3' TERM; echo $$ > left; while :; do sleep 0.02; done`, nil, true},
		{"it cleans up and succeeds", `trap 'echo > cleaned; exit 0' TERM; echo $$ > left; while :; do sleep 0.02; done`, nil, true},
		{"its status would be no failure", `trap 'echo > cleaned; exit 3' TERM; echo $$ > left; while :; do sleep 0.02; done`, map[string]string{"3": "fine", "0": "fine"}, true},
		{"it does not listen", `trap '' TERM; echo $$ > left; while :; do sleep 0.02; done`, nil, false},
		{"it writes without end", `trap 'echo > cleaned; exit 0' TERM; echo $$ > left; while :; do echo x; sleep 0.02; done`, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			go func() { read(filepath.Join(dir, "left")); cancel() }()
			r := compile(t, Config{Argv: shell(test.script), Exit: test.exit}, Deps{Dir: dir}).(*runner)
			if test.cleaned {
				r.grace = time.Minute // however slow this machine is
			}
			_, err := r.Run(ctx, input(t, `{}`))
			if err == nil || tool.AsError(err).Code != tool.Cancelled {
				t.Errorf("got %v, want %s", err, tool.Cancelled)
			}
			wantGone(t, read(filepath.Join(dir, "left")))
			if _, err := os.Stat(filepath.Join(dir, "cleaned")); test.cleaned != (err == nil) {
				t.Errorf("cleaned up: %v, want %v", err, test.cleaned)
			}
		})
	}
}

// TestSignals is about programs that are ended by others.
func TestSignals(t *testing.T) {
	for script, want := range map[string]string{
		"kill -KILL $$":                      "ended by signal 9 (killed)",
		"kill -SEGV $$":                      "ended by signal 11 (segmentation fault",
		"echo out; echo why >&2; kill -1 $$": "ended by signal 1 (hangup): why",
	} {
		r := compile(t, Config{Argv: shell(script), Exit: map[string]string{"9": "x", "137": "x", "1": "x"}}, Deps{Dir: t.TempDir()})
		_, err := r.Run(t.Context(), input(t, `{}`))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.UpstreamError || !strings.Contains(e.Message, want) {
			t.Errorf("%s: got %v, want %q", script, err, want)
		}
	}
}
