package cmdtool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Machine is where programs run. It is the one that the gateway runs on unless
// [Deps] say otherwise.
type Machine interface {
	// Find gives the path of a program, as [exec.LookPath] does.
	Find(program string) (path string, err error)
	// Folder gives the path of a folder free of symbolic links; the error says why
	// nothing can run there.
	Folder(path string) (string, error)
	// Variable gives a variable of the machine's own environment, which processes
	// inherit.
	Variable(name string) (value string, present bool)
	// Run runs a process to its end and everything that it started. A status that is
	// not 0 is an *Exit or an *exec.ExitError; a *tool.Error says that it was not
	// started. The process ends with the context.
	Run(ctx context.Context, p *Process) error
}

// Process is one process to run.
type Process struct {
	Path           string   // of the program
	Argv           []string // with the program's name as it is configured
	Env            []string // NAME=value; never nil
	Dir            string
	Stdin          io.Reader // nil for nothing
	Stdout, Stderr io.Writer
}

// Exit is the end of a process with a status that is not 0.
type Exit struct{ Status int }

// Error says which status it was.
func (e *Exit) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

// thisMachine is the one that the gateway runs on.
type thisMachine struct {
	grace time.Duration // how long a process may clean up when its call is over
}

func (thisMachine) Find(program string) (string, error) { return exec.LookPath(program) }

func (thisMachine) Folder(path string) (string, error) { return resolve(path) }

func (thisMachine) Variable(name string) (string, bool) { return os.LookupEnv(name) }

// Run runs the process in a group of its own. The whole group is ended with the
// context, killed when there is too much output, and killed when the process has
// ended and left others behind.
func (m thisMachine) Run(ctx context.Context, p *Process) error {
	cmd := m.command(ctx, p)
	all := family{grace: m.grace}
	cmd.Cancel = func() error { return all.end(cmd.Process.Pid, context.Cause(ctx) != errFull) }
	if err := cmd.Start(); err != nil {
		return notStarted(p.Argv[0], err)
	}
	err := cmd.Wait()
	all.finish(cmd.Process.Pid)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // the program succeeded, and something it left behind kept the pipes
	}
	return err
}

// command is the process before it starts.
func (m thisMachine) command(ctx context.Context, p *Process) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Path)
	cmd.Args, cmd.Dir, cmd.Env = p.Argv, p.Dir, p.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = m.grace + waitDelay
	return cmd
}
