package main

import (
	"bytes"
	"errors"
	"fmt"
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

// resident is the memory that a server holds, in MiB; 0 where there is no /proc.
func (s *server) resident() float64 {
	if s == nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kilobytes); n == 1 {
			return kilobytes / 1024
		}
	}
	return 0
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
