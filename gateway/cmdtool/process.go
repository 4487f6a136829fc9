package cmdtool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxStderr = 8 << 10 // bytes kept from the end of standard error
	maxQuoted = 200     // bytes of an argument that a message repeats
	// waitDelay is how long pipes may stay open once the program has ended:
	// something it left behind can hold them for ever.
	waitDelay = 500 * time.Millisecond
)

// inherited are the only variables of the gateway's own environment that a
// process sees; everything else there may be a secret.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "USER"}

var errFull = errors.New("the process wrote more than max_output")

// job is one process to run.
type job struct {
	path  string
	argv  []string
	dir   string
	stdin *strings.Reader // nil for none
	most  int64           // most bytes of standard output

	masker *secret.Masker // takes secrets out of standard error; nil for none
}

// find looks the program up in PATH, or in the configuration's folder when its
// name has a slash.
func (r *runner) find() (string, error) {
	path := r.program
	if strings.ContainsRune(path, '/') && !filepath.IsAbs(path) {
		whole, err := filepath.Abs(filepath.Join(r.dir, path))
		if err != nil {
			return "", notStarted(r.program, err)
		}
		path = whole
	}
	found, err := exec.LookPath(path)
	switch {
	case err == nil:
		return found, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", unavailable(err, "the program %s is not installed where the gateway runs", r.program)
	case errors.Is(err, fs.ErrPermission):
		return "", unavailable(err, "the gateway may not run the program %s", r.program)
	}
	return "", notStarted(r.program, err)
}

// run runs the process in a group of its own and returns what it wrote. The
// whole group is killed when the context ends, when there is too much output,
// and when the process has ended and left others behind.
func run(ctx context.Context, j job) ([]byte, error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stdout := &capture{most: j.most, full: func() { stop(errFull) }}
	stderr := &tail{most: maxStderr}
	cmd := exec.CommandContext(within, j.path)
	cmd.Args, cmd.Dir, cmd.Env = j.argv, j.dir, environ()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if j.stdin != nil {
		cmd.Stdin = j.stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = waitDelay
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, tool.Ended(ctx)
		}
		return nil, notStarted(j.argv[0], err)
	}
	err := cmd.Wait()
	_ = killGroup(cmd.Process.Pid) // what the process left behind
	switch {
	case errors.Is(context.Cause(within), errFull):
		return nil, tooLarge(j.most)
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, tool.Ended(ctx)
	}
	return nil, ended(err, stderr.text(j.masker))
}

func environ() []string {
	env := make([]string, 0, len(inherited))
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// killGroup ends a process group; one that is gone already counts as done.
func killGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		return os.ErrProcessDone
	}
	return nil
}

func notStarted(program string, err error) *tool.Error {
	if errors.Is(err, syscall.E2BIG) {
		return tool.Errorf(tool.InvalidArgs, "the arguments are longer than a command line may be").Because(err).
			WithHint("Send shorter arguments.")
	}
	return unavailable(err, "the program %s could not be started where the gateway runs", program)
}

func unavailable(err error, format string, args ...any) *tool.Error {
	return tool.Errorf(tool.UpstreamUnavailable, format, args...).Because(err).
		WithHint("Nothing is wrong with the arguments; tell the user that this tool is not set up.")
}

func tooLarge(most int64) *tool.Error {
	return tool.Errorf(tool.TooLarge, "the command wrote more than the %d bytes this tool may answer and was stopped", most).
		WithHint("Ask for less.")
}

// ended words how a process that did not succeed came to its end.
func ended(err error, said string) *tool.Error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return tool.Errorf(tool.UpstreamError, "the command's output could not be read").Because(err)
	}
	text := fmt.Sprintf("the command ended with exit status %d", exit.ExitCode())
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		text = fmt.Sprintf("the command was ended by signal %d (%s)", int(status.Signal()), status.Signal())
	}
	if said != "" {
		text += ": " + said
	}
	return tool.Errorf(tool.UpstreamError, "%s", text).Because(err)
}

// capture keeps what is written to it and calls full when that is too much.
type capture struct {
	buf  bytes.Buffer
	most int64
	full func()
}

func (c *capture) Write(p []byte) (int, error) {
	if int64(c.buf.Len()+len(p)) > c.most {
		c.full()
		return 0, errFull
	}
	return c.buf.Write(p)
}

// Bytes returns what was written.
func (c *capture) Bytes() []byte { return c.buf.Bytes() }

// tail keeps the end of what is written to it.
type tail struct {
	buf  []byte
	most int
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.most; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	return len(p), nil
}

// text is what was kept, without secrets; a mark stands where its start is
// missing.
func (t *tail) text(m *secret.Masker) string {
	text, mark := string(t.buf), ""
	if t.cut {
		text, mark = m.Tail(text), "[…] "
	} else {
		text = m.Text(text)
	}
	return mark + strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
}
