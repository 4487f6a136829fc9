package cmdtool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// waitDelay is how long pipes may stay open once the program has ended, or once
// its grace is over: something it left behind can hold them for ever.
const waitDelay = 300 * time.Millisecond

var errFull = errors.New("the process wrote more than max_output")

// job is one process to run.
type job struct {
	path  string
	argv  []string
	env   []string // never nil
	dir   string
	stdin *strings.Reader // nil for none
	most  int64           // most bytes of standard output, steps not counted
	exit  map[int]string  // the statuses that are no failure beside 0
	steps bool            // lines of standard output may be steps

	machine Machine
	masker  *secret.Masker // takes secrets out of standard error and steps; nil for none
}

// find looks the program up in PATH, or in the configuration's folder when its
// name has a slash.
func (r *runner) find(on Machine) (string, error) {
	path := r.program
	if strings.ContainsRune(path, '/') && !filepath.IsAbs(path) {
		whole, err := filepath.Abs(filepath.Join(r.dir, path))
		if err != nil {
			return "", notStarted(r.program, err)
		}
		path = whole
	}
	found, err := on.Find(path)
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

// run runs the process and returns what it wrote and its exit status, unless that
// is a failure.
func run(ctx context.Context, j job) (stdout []byte, status int, err error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &capture{most: j.most, full: func() { stop(errFull) }}
	most := maxSaid + j.masker.Reach()
	said := &tail{most: most}
	writer, flush := j.writer(ctx, out)
	err = j.machine.Run(within, j.process(writer, said))
	flush()
	status, exited := statusOf(err)
	switch _, listed := j.exit[status]; {
	case context.Cause(within) == errFull:
		return nil, 0, tooLarge(j.most)
	case err == nil:
		return out.Bytes(), 0, nil
	case ctx.Err() != nil:
		return nil, 0, tool.Ended(ctx)
	case exited && listed:
		return out.Bytes(), status, nil
	}
	if unstarted, ok := errors.AsType[*tool.Error](err); ok {
		return nil, 0, unstarted
	}
	return nil, 0, ended(err, said.text(j.masker), out.end(most).text(j.masker))
}

// process is what the machine is given.
func (j job) process(out, said io.Writer) *Process {
	p := &Process{Path: j.path, Argv: j.argv, Env: j.env, Dir: j.dir, Stdout: out, Stderr: said}
	if j.stdin != nil {
		p.Stdin = j.stdin
	}
	return p
}

// writer is what standard output goes to. Flush is called once when the process
// has ended.
func (j job) writer(ctx context.Context, out *capture) (w io.Writer, flush func()) {
	if !j.steps {
		return out, func() {}
	}
	steps := &reporter{masker: j.masker, report: func(s tool.Step) { tool.Progress(ctx, s) }}
	s := &splitter{out: out, step: steps.step}
	return s, func() {
		_ = s.close() // fails when out is full, which out has told
		steps.close()
	}
}
