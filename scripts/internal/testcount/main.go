// Command testcount runs "go test -json" with its arguments, shows what failed
// and counts: its last line is "N passed, N failed, N skipped". Tests and
// subtests count alike. Whatever keeps a test from telling its end (a package
// that does not build, a panic, a time limit) counts as failed.
//
// Tests that skip with a message that starts "needs TG_" are counted
// apart. With TESTCOUNT_COMPLETE=1 they and all other skipped tests fail the
// run.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	status, err := run(os.Args[1:], os.Getenv("TESTCOUNT_COMPLETE") == "1", os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
	}
	os.Exit(status)
}

// run is the command: it returns the exit status, 0 only when nothing failed.
func run(args []string, complete bool, out io.Writer) (int, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	c := newCount(out)
	readErr := c.read(events)
	waitErr := cmd.Wait()
	c.end(waitErr)
	ok := c.summary(complete)
	if !ok || readErr != nil || waitErr != nil {
		return 1, readErr
	}
	return 0, nil
}

// read counts the events of a test run, one JSON object a line.
func (c *count) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			c.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
