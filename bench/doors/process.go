package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of processor time in /proc (USER_HZ), on every Linux.
const tick = 10 * time.Millisecond

// processor is the time that the server has had of the processors; 0 where there
// is no /proc.
func (s *server) processor() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(after))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// memory prints what the servers hold of memory after all calls.
func (all servers) memory(w io.Writer) error {
	for _, name := range []string{"mcp-go", "go-sdk", "gateway"} {
		s := all[name]
		if s == nil {
			continue
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				_, _ = fmt.Fprintf(w, "%s: %s resident after all calls\n", name, strings.TrimSpace(rest))
			}
		}
	}
	return nil
}

// profile calls the gateway and fetches the CPU profile it made meanwhile.
func profile(s *server, opts *options) error {
	var errs []error
	tell := func() { errs = append(errs, s.cmd.Process.Signal(syscall.SIGUSR1)) }
	tell()
	found, err := measure(sides(servers{"gateway": s}, opts), opts)
	if err != nil {
		return err
	}
	tell()
	report(os.Stdout, found, opts)
	made := filepath.Join(s.cmd.Dir, profileName)
	for end := time.Now().Add(stopTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(made)
		if err == nil {
			return errors.Join(append(errs, os.WriteFile(opts.profile, text, 0o600))...)
		}
	}
	return errors.New("the gateway made no profile")
}
