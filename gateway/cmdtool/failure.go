package cmdtool

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/toolgate/toolgate/gateway/tool"
)

const maxQuoted = 200 // bytes of an argument that a message repeats

func notStarted(program string, err error) *tool.Error {
	if errors.Is(err, syscall.E2BIG) {
		return tooLong().Because(err)
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

// statusOf is the status that a process ended with by itself; exited is false
// where it was killed or could not be read. No error is a status of 0.
func statusOf(err error) (status int, exited bool) {
	if err == nil {
		return 0, true
	}
	if exit, ok := errors.AsType[*Exit](err); ok {
		return exit.Status, true
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, false
	}
	return exit.ExitCode(), exit.Exited()
}

// signalOf is the signal that ended a process.
func signalOf(err error) (syscall.Signal, bool) {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return status.Signal(), ok && status.Signaled()
}

// ended words how a process that did not succeed came to its end, with what it
// said on standard error and wrote to standard output: many a program, such as a
// test runner, explains its failures there.
func ended(err error, said, wrote string) *tool.Error {
	status, exited := statusOf(err)
	signal, signaled := signalOf(err)
	text := fmt.Sprintf("the command ended with exit status %d", status)
	switch {
	case signaled:
		text = fmt.Sprintf("the command was ended by signal %d (%s)", int(signal), signal)
	case !exited:
		return tool.Errorf(tool.UpstreamError, "the command's output could not be read").Because(err)
	}
	if said != "" {
		text += ": " + said
	}
	if wrote != "" {
		text += "\nIts output:\n" + wrote
	}
	return tool.Errorf(tool.UpstreamError, "%s", text).Because(err)
}
