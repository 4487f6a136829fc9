//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// endlessProgram is the arguments of a call whose program never ends.
const endlessProgram = `{"code": "print('so far')\nwhile True: pass"}`

// TestKilledInterpreters kills, while a server runs programs, the processes that they run
// in, and then the server itself.
func TestKilledInterpreters(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "version: 1\nserver: {listen: '127.0.0.1:0'}\ncode_interpreter: {enabled: true, timeout: 1h, runtime: "+pythontest.Runtime(t).Folder+"}\n")
	var log lockedBuffer
	p := startCommand(t, &log, exec.CommandContext(t.Context(), build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--config", path))
	s := interpreting{t, p}
	if got := s.call(`{"code": "6 * 7"}`); !strings.Contains(got, `"json":42`) {
		t.Fatalf("at first: got %s", got)
	}

	answer := s.begin(endlessProgram)
	// One that had not begun with it yet is followed by another.
	for pid := s.busy(answer); pid != 0; pid = s.busy(answer) {
		s.kill(pid)
	}
	if got := <-answer; !strings.Contains(got, `"error_type":"upstream_error"`) || !strings.Contains(got, "crashed or was killed") || !strings.Contains(got, "so far") {
		t.Errorf("a call whose process was killed: got %s", got)
	}
	if got := s.call(`{"code": "6 * 7"}`); !strings.Contains(got, `"json":42`) {
		t.Errorf("then: got %s", got)
	}

	answer = s.begin(endlessProgram)
	if s.busy(answer) == 0 {
		t.Fatalf("an endless program answers %s", <-answer)
	}
	children := s.children()
	s.kill(p.cmd.Process.Pid)
	_ = p.cmd.Wait() // it was killed
	<-answer
	s.within("no process is left", func() bool {
		for _, pid := range children {
			if _, there := pythontest.Worked(strconv.Itoa(pid)); there {
				return false
			}
		}
		return true
	})
	if t.Failed() {
		t.Log(log.String())
	}
}

// interpreting is a server that runs programs.
type interpreting struct {
	t *testing.T
	p *process
}

// call gives what the server says, or why it says nothing.
func (s interpreting) call(arguments string) string {
	res, err := http.Post(s.p.url+"/v1/tools/code_interpreter/call", "application/json", strings.NewReader(arguments))
	if err != nil {
		return err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (s interpreting) begin(arguments string) <-chan string {
	answer := make(chan string, 1)
	go func() { answer <- s.call(arguments) }()
	return answer
}

// children are the processes of the server.
func (s interpreting) children() (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.p.cmd.Process.Pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// busy is the process that runs a program, by the 0.2 s of processor time that it has used
// since; 0 when the answer comes first.
func (s interpreting) busy(answer <-chan string) (pid int) {
	before := map[int]int64{}
	s.within("a program runs", func() bool {
		for _, pid = range s.children() {
			now, there := pythontest.Worked(strconv.Itoa(pid))
			if first, known := before[pid]; !known {
				before[pid] = now
			} else if there && now-first >= 20 {
				return true
			}
		}
		pid = 0
		return len(answer) > 0
	})
	return pid
}

func (s interpreting) kill(pid int) {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		s.t.Fatal(err)
	}
	if pid != s.p.cmd.Process.Pid {
		s.within("it is gone", func() bool { _, there := pythontest.Worked(strconv.Itoa(pid)); return !there })
	}
}

func (s interpreting) within(what string, is func() bool) {
	s.t.Helper()
	const patience = 5 * time.Minute
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited %v until %s", patience, what)
		}
	}
}
