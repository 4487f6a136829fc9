package python

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// endWith is what the real process does, too.
func endWith(fd int) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	for _, set := range [][2]int{{unix.F_SETSIG, int(unix.SIGKILL)}, {unix.F_SETOWN, os.Getpid()}, {unix.F_SETFL, flags | unix.O_ASYNC}} {
		if err == nil {
			_, err = unix.FcntlInt(uintptr(fd), set[0], set[1])
		}
	}
	if err != nil {
		panic(err)
	}
}

// TestAKilledGatewayLeavesNoProcess: not even one that runs an endless loop and reads nothing.
func TestAKilledGatewayLeavesNoProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "fake-gateway", t.TempDir()+"/mark")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		pid, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if len(pids) != 3 {
		t.Errorf("the processes were %v", pids)
	}
	for _, pid := range pids {
		eventually(t, "the process has ended", func() bool { return !alive(pid) })
	}
}
