package python

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// long is a time that no test comes to the end of.
const long = 5 * time.Minute

// born gives the command line of a fake for each name, in their order, and then of ones
// that start well.
func born(t testing.TB, names ...string) func() ([]string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	return func() ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		name := "good"
		if len(names) > 0 {
			name, names = names[0], names[1:]
		}
		return []string{self, "fake-worker", name}, nil
	}
}

// open is a pool that is closed, and has left nothing, when the test ends.
func open(t testing.TB, c Config) *Pool {
	t.Helper()
	if c.Command == nil {
		c.Command = born(t)
	}
	if c.Timeout == 0 {
		c.Timeout = long
	}
	if c.StartTimeout == 0 {
		c.StartTimeout = long
	}
	if c.reset == 0 {
		c.reset = long
	}
	if c.check == 0 {
		c.check = long
	}
	if c.Wait == 0 {
		c.Wait = long
	}
	p := Open(c)
	t.Cleanup(func() {
		p.Close()
		s := p.Stats()
		if s.Starting+s.Idle+s.Busy+s.Resetting+s.Running+s.Waiting != 0 {
			t.Errorf("left: %+v", s)
		}
		var ends int64
		for _, n := range s.Deaths {
			ends += n
		}
		if ends != s.Starts {
			t.Errorf("%d processes had said hello and %d have ended", s.Starts, ends)
		}
	})
	return p
}

// eventually waits for something that happens in the background.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(long); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to this: " + what)
		}
	}
}

// whole waits until all processes are idle.
func whole(t testing.TB, p *Pool) {
	t.Helper()
	eventually(t, "all processes are idle", func() bool { return p.Stats().Idle == p.config.Workers+1 })
}

func program(lines ...string) Request {
	return Request{Job: wire.Job{Code: strings.Join(lines, "\n")}}
}

func codeOf(err error) tool.Code {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e.Code
	}
	if err != nil {
		return tool.Code(err.Error())
	}
	return ""
}

// works runs a program that has to work.
func works(t *testing.T, p *Pool) {
	t.Helper()
	r, err := p.Run(t.Context(), program("print next"))
	if err != nil || string(r.Stdout) != "next\n" || r.Reply.Outcome != wire.OK {
		t.Fatalf("the next program: %+v, %v", r, err)
	}
}

func TestRun(t *testing.T) {
	p := open(t, Config{Limits: wire.Limits{Value: 100, Artifacts: 5, Bytes: 1000}})
	r, err := p.Run(t.Context(), Request{Job: wire.Job{
		Code: "print hello\nerr oh\nfiles\nenvironment", Argv: []string{"a"}, Files: []wire.File{{Name: "f", Size: 2, Data: []byte("xy")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ran <= 0 || r.Waited < 0 {
		t.Errorf("it ran for %v after %v", r.Ran, r.Waited)
	}
	r.Ran, r.Waited = 0, 0
	want := Result{Reply: wire.Reply{Outcome: wire.OK}, Stdout: []byte("hello\nf=xy\n0\n"), Stderr: []byte("oh\n"), Begun: true}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	if r, err = p.Run(t.Context(), program("raise ValueError")); err != nil || r.Reply.Outcome != wire.Raised || r.Reply.Failure.Type != "ValueError" || r.Stdout != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = p.Run(t.Context(), program("artifact hi")); err != nil || len(r.Reply.Artifacts) != 1 || string(r.Reply.Artifacts[0].Data) != "hi" {
		t.Errorf("%+v, %v", r, err)
	}
	if v := p.Stats().Hello.Version; v != "3.12.0" {
		t.Errorf("the interpreter is %q", v)
	}
}

func TestLimitsOfAJob(t *testing.T) {
	p := open(t, Config{Limits: wire.Limits{Value: 100, Artifacts: 5, Bytes: 1000}})
	r := program("job")
	r.Job.Limits = wire.Limits{Value: 10, Artifacts: 500}
	got, err := p.Run(t.Context(), r)
	if want := `"limits":{"value":10,"artifacts":5,"bytes":1000}`; err != nil || !strings.Contains(string(got.Stdout), want) {
		t.Errorf("%s, %v; want %s", got.Stdout, err, want)
	}
}

func TestAJobThatCannotBeSent(t *testing.T) {
	p := open(t, Config{})
	r := program("ok")
	r.Job.Files = []wire.File{{Name: "/etc/passwd"}}
	if _, err := p.Run(t.Context(), r); codeOf(err) != tool.InvalidArgs || err.(*tool.Error).Message != `the program cannot be given to the interpreter: "/etc/passwd" is no name of a file` {
		t.Error(err)
	}
	works(t, p)
}

// bad are programs that processes do not survive, or should not.
var bad = []struct {
	name    string
	program string
	code    tool.Code // of the error; none is a reply
	stdout  string
	death   Death  // that follows; none is that the process goes on
	says    string // to be found in what the operator reads of the error
	limited bool   // it ends at the time limit
}{
	{"exits", "print a\nexit 0", tool.UpstreamError, "a\n", DeathCrash, "exit status 0", false},
	{"exits with a status", "print a\nlog out of luck\nexit 3", tool.UpstreamError, "a\n", DeathCrash, `exit status 3: it said "out of luck\n"`, false},
	{"panics", "print a\npanic at the disco", tool.UpstreamError, "a\n", DeathCrash, "at the disco", false},
	{"is killed", "print a\nsignal 9", tool.UpstreamError, "a\n", DeathCrash, "signal: killed", false},
	{"is terminated", "signal 15", tool.UpstreamError, "", DeathCrash, "signal: terminated", false},
	{"is aborted", "signal 6", tool.UpstreamError, "", DeathCrash, "", false},
	{"segfaults", "signal 11", tool.UpstreamError, "", DeathCrash, "", false},
	{"is stopped", "print a\nsignal 19", tool.Timeout, "a\n", DeathTimeout, "", true},
	{"hangs", "print a\nhang", tool.Timeout, "a\n", DeathTimeout, "", true},
	{"spins", "print a\nspin", tool.Timeout, "a\n", DeathTimeout, "", true},
	{"ignores signals", "ignore\nprint a\nhang", tool.Timeout, "a\n", DeathTimeout, "", true},
	{"says text", "print a\nraw Traceback (most recent call last)", tool.UpstreamError, "a\n", DeathBroken, "frame of kind 1667326565", false},
	{"floods", "print a\nflood", tool.UpstreamError, "a\n", DeathBroken, "frame of kind", false},
	{"promises 4 GiB", "long 4294967295", tool.UpstreamError, "", DeathBroken, "message too large", false},
	{"has an empty frame", "long 0", tool.UpstreamError, "", DeathBroken, "has no header", false},
	{"has a header beyond its frame", "long 5", tool.UpstreamError, "", DeathBroken, "frame has a header of 2 bytes in 1", false},
	{"cuts a frame off and ends", "print a\ncut\nexit 0", tool.UpstreamError, "a\n", DeathCrash, "", false},
	{"cuts a frame off and hangs", "print a\ncut\nhang", tool.Timeout, "a\n", DeathTimeout, "", true},
	{"kind 0", "kind 0", tool.UpstreamError, "", DeathBroken, "frame of kind 0", false},
	{"kind 77", "kind 77", tool.UpstreamError, "", DeathBroken, "frame of kind 77", false},
	{"no JSON", "frame {", tool.UpstreamError, "", DeathBroken, "header: unexpected EOF", false},
	{"an unknown key", `frame {"outcome":"ok","secret":1}`, tool.UpstreamError, "", DeathBroken, "unknown field", false},
	{"an unknown outcome", `frame {"outcome":"fine"}`, tool.UpstreamError, "", DeathBroken, `the outcome "fine"`, false},
	{"a name that leads out", `frame {"outcome":"ok","artifacts":[{"name":"../x","size":0}]}`, tool.UpstreamError, "", DeathBroken, "is no name of a file", false},
	{"a size that lies", `frame {"outcome":"ok","artifacts":[{"name":"x","size":10}]}`, tool.UpstreamError, "", DeathBroken, "its header says 10", false},
	{"a negative size", `frame {"outcome":"ok","artifacts":[{"name":"x","size":-10}]}`, tool.UpstreamError, "", DeathBroken, "-10 bytes", false},
	{"one file twice", `frame {"outcome":"ok","artifacts":[{"name":"x","size":0},{"name":"x","size":0}]}`, tool.UpstreamError, "", DeathBroken, "twice", false},
	{"negative time", `frame {"outcome":"ok","ran":-1}`, tool.UpstreamError, "", DeathBroken, "ran for", false},
	{"more files than may be", "artifact " + strings.Repeat("x", 2000), tool.UpstreamError, "", DeathBroken, "message too large", false},
	{"hello again", "print a\nhello", tool.UpstreamError, "a\n", DeathBroken, "wire.Hello out of turn", false},
	{"ready without a reply", "print a\nready", tool.UpstreamError, "a\n", DeathBroken, "wire.Ready out of turn", false},
	{"bye without a reply", "print a\nbye done", tool.UpstreamError, "a\n", DeathWorn, "done", false},
	{"the job for a reply", "asjob", tool.UpstreamError, "", DeathBroken, "wire.Job out of turn", false},
	{"closes what it says", "print a\nclose 1\nhang", tool.UpstreamError, "a\n", DeathCrash, "", false},
	{"closes what it hears", "print a\nclose 0", "", "a\n", DeathCrash, "", false},
	{"closes everything", "print a\nclose 0\nclose 1\nclose 2\nhang", tool.UpstreamError, "a\n", DeathCrash, "", false},
	{"cuts the area off", "print a\ntruncate", "", "a\n", "", "", false},
	{"fills the area", "fill 5000", "", strings.Repeat("x", 4096), "", "", false},
	{"lies in the area and replies", "print a\ncounters 18446744073709551615", "", "a\n" + strings.Repeat("\x00", 4094), "", "", false},
	{"lies in the area and hangs", "print a\ncounters 9223372036854775808\nhang", tool.Timeout, "a\n" + strings.Repeat("\x00", 4094), DeathTimeout, "", true},
	{"lies in the area and ends", "print a\ncounters 5000\nexit 1", tool.UpstreamError, "a\n" + strings.Repeat("\x00", 4094), DeathCrash, "", false},
	{"floods its log", "stderr 3000000\nexit 1", tool.UpstreamError, "", DeathCrash, "eeethe end", false},
	{"replies twice", "ok\nok", "", "", DeathBroken, "", false},
	{"replies and exits", "print a\nok\nexit 1", "", "a\n", DeathCrash, "", false},
	{"replies and is killed", "print a\nok\nsignal 9", "", "a\n", DeathCrash, "", false},
	{"replies and hangs", "print a\nok\nhang", "", "a\n", DeathBroken, "", false},
	{"replies and spins", "print a\nok\nspin", "", "a\n", DeathBroken, "", false},
	{"replies and is silent", "print a\nok\nsilent", "", "a\n", DeathBroken, "", false},
	{"replies and talks", "print a\nok\nraw and another thing", "", "a\n", DeathBroken, "", false},
	{"replies and says bye", "print a\nok\nbye now", "", "a\n", DeathWorn, "", false},
	{"replies and says hello", "print a\nok\nhello", "", "a\n", DeathBroken, "", false},
	{"is ready twice", "print a\nok\nready", "", "a\n", DeathBroken, "", false},
	{"is worn", "print a\nworn out", "", "a\n", DeathWorn, "", false},
	{"says it slowly", "print a\nslowly", "", "a\n", "", "", false},
	{"ends before it begins", "unbegun\nexit 1", tool.UpstreamError, "", DeathCrash, "exit status 1", false},
	{"hangs before it begins", "unbegun\nhang", tool.Timeout, "", DeathTimeout, "", true},
}

// TestBadProcesses: whatever a process does, its caller has an answer, and the next
// program works.
func TestBadProcesses(t *testing.T) {
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, Config{Workers: 1, Output: 4096, Limits: wire.Limits{Bytes: 1000}, reset: 2 * time.Second})
			whole(t, p)
			r := program(strings.Split(c.program, "\n")...)
			if c.limited {
				r.Timeout = 2 * time.Second
			}
			got, err := p.Run(t.Context(), r)
			if codeOf(err) != c.code || string(got.Stdout) != c.stdout || got.TimedOut != c.limited {
				t.Errorf("%q, timed out %v, %v; want %q, %v", got.Stdout, got.TimedOut, err, c.stdout, c.code)
			}
			if err != nil && (got.Reply.Outcome != "" || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v with the reply %+v; want %s", err, got.Reply, c.says)
			}
			works(t, p)
			if c.death != "" {
				eventually(t, "it died of "+string(c.death), func() bool { return p.Stats().Deaths[c.death] > 0 })
			}
			works(t, p)
			whole(t, p)
			if s := p.Stats(); c.death == "" && s.Starts != 2 {
				t.Errorf("processes were replaced: %+v", s)
			}
		})
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	p := open(t, Config{Workers: 1, Output: 10})
	r, err := p.Run(t.Context(), program("fill 25", "err 12345678901"))
	if err != nil || r.DroppedOut != 15 || r.DroppedErr != 2 || string(r.Stderr) != "1234567890" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = p.Run(t.Context(), program("counters "+strconv.FormatUint(math.MaxUint64, 10)))
	if err != nil || r.DroppedOut != math.MaxInt64-10 || len(r.Stdout) != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLeftBehind: what a process leaves behind in its group ends with it, and what
// has gone away from it keeps nobody waiting.
func TestLeftBehind(t *testing.T) {
	for _, away := range []bool{false, true} {
		for _, ends := range []string{"exit 1", "hang", "ok"} {
			t.Run(fmt.Sprintf("%s, away %v", ends, away), func(t *testing.T) {
				t.Parallel()
				p := open(t, Config{Workers: 1})
				where := map[bool]string{true: "away", false: "here"}[away]
				r := program("fork "+where, ends)
				if ends == "hang" {
					r.Timeout = 2 * time.Second
				}
				got, _ := p.Run(t.Context(), r)
				pid, err := strconv.Atoi(strings.TrimSpace(string(got.Stdout)))
				if err != nil {
					t.Fatalf("%+v: %v", got, err)
				}
				works(t, p)
				p.Close()
				if away { // nothing can end it from here but the confinement, which forbids to start it
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
				eventually(t, "it has ended", func() bool { return !alive(pid) })
			})
		}
	}
}

// alive reports whether there is such a process, other than as a zombie that whoever
// has inherited it does not bury.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
	}
	return syscall.Kill(pid, 0) == nil && !isLinux()
}

func isLinux() bool { _, err := os.Stat("/proc/self/stat"); return err == nil }

// TestBadStarts: a start that fails is tried again, and its reason is in the log.
func TestBadStarts(t *testing.T) {
	cases := []struct {
		birth, says string
		idle        bool // it fails when it has said hello
	}{
		{"dies", `exit status 3: it said \"no interpreter today\\n\"`, false},
		{"is killed", "signal: killed", false},
		{"hangs", "it was not ready after 2s", false},
		{"talks", "frame of kind 857763439", false},
		{"is giant", "message too large", false},
		{"says bye", "it said that it ends: no memory", false},
		{"replies", "it sent a wire.Reply out of turn", false},
		{"says nothing", "interpreter process: crash", false},
		{"ends cleanly", "exit status 0", false},
		{"dies idle", "exit status 4", true},
		{"hello twice", "it sent a wire.Hello out of turn", true},
		{"ready idle", "it sent a wire.Ready out of turn", true},
		{"replies idle", "it sent a wire.Reply out of turn", true},
		{"talks idle", "frame of kind", true},
		{"bye idle", "", true},
	}
	for _, c := range cases {
		t.Run(c.birth, func(t *testing.T) {
			t.Parallel()
			var log safe
			limit := long
			if c.birth == "hangs" {
				limit = 2 * time.Second
			}
			p := open(t, Config{Workers: 1, StartTimeout: limit, Command: born(t, "good", c.birth), Log: slog.New(slog.NewTextHandler(&log, nil))})
			eventually(t, "it failed", func() bool {
				s := p.Stats()
				return s.FailedStarts > 0 || s.Deaths[DeathCrash]+s.Deaths[DeathBroken]+s.Deaths[DeathWorn] > 0
			})
			works(t, p)
			whole(t, p)
			if !strings.Contains(log.String(), c.says) {
				t.Errorf("the log has no %s:\n%s", c.says, log.String())
			}
			if s := p.Stats(); (s.FailedStarts > 0) == c.idle {
				t.Errorf("%+v", s)
			}
		})
	}
}

// safe is a buffer for many goroutines.
type safe struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safe) Write(p []byte) (int, error) { s.mu.Lock(); defer s.mu.Unlock(); return s.b.Write(p) }

func (s *safe) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

func TestNothingStarts(t *testing.T) {
	missing := tool.Errorf(tool.UpstreamUnavailable, "the interpreter is not installed").WithHint("Run `gateway python install`.")
	cases := []struct {
		name    string
		command func() ([]string, error)
		want    string
	}{
		{"no program", func() ([]string, error) { return []string{"/no/such/program"}, nil }, "Error: the interpreter does not start\nNo program can be run for now; tell the user that the operator finds the reason in the gateway's log."},
		{"no command line", func() ([]string, error) { return nil, nil }, "Error: the interpreter does not start\nNo program can be run for now; tell the user that the operator finds the reason in the gateway's log."},
		{"always dies", born(t, slices.Repeat([]string{"dies"}, 1000)...), "Error: the interpreter does not start\nNo program can be run for now; tell the user that the operator finds the reason in the gateway's log."},
		{"dies as soon as it is ready", born(t, slices.Repeat([]string{"dies idle"}, 1000)...), "Error: the interpreter does not start\nNo program can be run for now; tell the user that the operator finds the reason in the gateway's log."},
		{"not installed", func() ([]string, error) { return nil, missing }, "Error: the interpreter is not installed\nRun `gateway python install`."},
		{"something else", func() ([]string, error) { return nil, os.ErrPermission }, "Error: the interpreter does not start\nNo program can be run for now; tell the user that the operator finds the reason in the gateway's log."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, Config{Command: c.command})
			var err error
			eventually(t, "it is known", func() bool {
				_, err = p.Run(t.Context(), program("ok"))
				return codeOf(err) != tool.UpstreamError // it died when it had the program already
			})
			if e := tool.AsError(err); e.Code != tool.UpstreamUnavailable || e.Text() != c.want {
				t.Errorf("%v\n%s", err, e.Text())
			}
		})
	}
}

// TestWake: what was not there and has come is used at once.
func TestWake(t *testing.T) {
	var mu sync.Mutex
	there := false
	good := born(t)
	p := open(t, Config{Command: func() ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		if !there {
			return nil, tool.Errorf(tool.UpstreamUnavailable, "the interpreter is being installed")
		}
		return good()
	}})
	for range 3 {
		if _, err := p.Run(t.Context(), program("ok")); codeOf(err) != tool.UpstreamUnavailable {
			t.Fatal(err)
		}
	}
	mu.Lock()
	there = true
	mu.Unlock()
	p.Wake()
	eventually(t, "a process is there", func() bool { return p.Stats().Idle > 0 })
	works(t, p)
}

// TestKilledInEveryPhase: a process that somebody kills is replaced, whatever it does.
func TestKilledInEveryPhase(t *testing.T) {
	free, begun := t.TempDir()+"/free", t.TempDir()+"/begun"
	cases := []struct {
		name, birth string
		program     []string
		in          state
		code        tool.Code
	}{
		{"idle", "good", nil, idle, ""},
		{"running", "good", []string{"print a", "append " + begun + " x", "until " + free}, busy, tool.UpstreamError},
		{"resetting", "good", []string{"print a", "ok", "until " + free}, resetting, ""},
		{"before it begins", "good", []string{"unbegun", "until " + free}, busy, tool.UpstreamError},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, Config{Workers: 1})
			whole(t, p)
			over := make(chan error, 1)
			if c.program == nil {
				over <- nil
			} else {
				go func() {
					r, err := p.Run(t.Context(), program(c.program...))
					if err == nil && string(r.Stdout) != "a\n" {
						err = fmt.Errorf("it printed %q", r.Stdout)
					}
					over <- err
				}()
			}
			if c.name == "running" { // or it goes to another process
				eventually(t, "it has begun", func() bool { _, err := os.Stat(begun); return err == nil })
			}
			kills := 1
			if c.name == "before it begins" {
				kills = 2 // the first time it goes to another process
			}
			for i := range kills {
				eventually(t, "a process is "+c.name, func() bool { return p.Stats().Again == int64(i) && killed(p, c.in) })
				eventually(t, "its end is known", func() bool { return p.Stats().Deaths[DeathCrash] == int64(i+1) })
			}
			if err := <-over; codeOf(err) != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
			works(t, p)
			whole(t, p)
		})
	}
}

// killed kills a process that is in a state, if there is one.
func killed(p *Pool, in state) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.workers {
		if w.state == in && (in != busy || p.running > 0) {
			return syscall.Kill(w.proc.cmd.Process.Pid, syscall.SIGKILL) == nil
		}
	}
	return false
}

func TestKilledAtItsStart(t *testing.T) {
	p := open(t, Config{Workers: 1, Command: born(t, "is killed", "is killed", "good", "is killed")})
	works(t, p)
	whole(t, p)
}

// TestAProcessThatDoesNotListen: a large job does not wait for it beyond the time limit.
func TestAProcessThatDoesNotListen(t *testing.T) {
	p := open(t, Config{Workers: 1, Command: born(t, slices.Repeat([]string{"deaf"}, 1000)...)})
	whole(t, p)
	r := program("ok")
	r.Job.Files = []wire.File{{Name: "a", Size: 1 << 20, Data: make([]byte, 1<<20)}}
	r.Timeout = 200 * time.Millisecond
	for range 2 {
		if _, err := p.Run(t.Context(), r); codeOf(err) != tool.Timeout {
			t.Errorf("got %v", err)
		}
	}
}

func TestCancelled(t *testing.T) {
	p := open(t, Config{Workers: 1})
	whole(t, p)
	mark := t.TempDir() + "/mark"
	ctx, cancel := context.WithCancelCause(t.Context())
	var got Result
	over := make(chan error, 1)
	go func() {
		var err error
		got, err = p.Run(ctx, program("print a", "append "+mark+" x", "hang"))
		over <- err
	}()
	eventually(t, "it runs", func() bool { _, err := os.Stat(mark); return err == nil })
	cancel(tool.Errorf(tool.Cancelled, "enough"))
	if err := <-over; codeOf(err) != tool.Cancelled || err.(*tool.Error).Message != "enough" || string(got.Stdout) != "a\n" {
		t.Errorf("%+v, %v", got, err)
	}
	works(t, p)
	eventually(t, "its process has ended", func() bool { return p.Stats().Deaths[DeathCancelled] == 1 })
	if _, err := p.Run(ctx, program("ok")); codeOf(err) != tool.Cancelled {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestClose(t *testing.T) {
	p := open(t, Config{Workers: 1, Command: born(t)})
	whole(t, p)
	errs := make(chan error, 2)
	for range 2 {
		go func() { _, err := p.Run(t.Context(), program("hang")); errs <- err }()
	}
	eventually(t, "one runs and one waits", func() bool { s := p.Stats(); return s.Running == 1 && s.Waiting == 1 })
	p.Close()
	p.Close()
	for range 2 {
		if err := <-errs; codeOf(err) != tool.Interrupted {
			t.Error(err)
		}
	}
	if _, err := p.Run(t.Context(), program("ok")); codeOf(err) != tool.Interrupted {
		t.Error(err)
	}
	p.Wake()
	if got := p.Stats().Deaths[DeathClosed]; got != 2 {
		t.Errorf("%d processes were closed", got)
	}
}

// TestChecks: while all may not run more, what waits is told whether it compiles.
func TestChecks(t *testing.T) {
	p := open(t, Config{Workers: 1, check: 2 * time.Second})
	whole(t, p)
	free := t.TempDir() + "/free"
	over := make(chan error, 8)
	go func() { _, err := p.Run(t.Context(), program("until "+free)); over <- err }()
	eventually(t, "it runs", func() bool { return p.Stats().Running == 1 })
	for code, want := range map[string]wire.Outcome{"syntax": wire.Syntax, "depends": wire.Dependencies} {
		r, err := p.Run(t.Context(), program("print not this", code))
		if err != nil || r.Reply.Outcome != want || r.Stdout != nil || r.Begun {
			t.Errorf("%s: %+v, %v", code, r, err)
		}
	}
	check := program("print not this")
	check.Job.Check = true
	if r, err := p.Run(t.Context(), check); err != nil || r.Reply.Outcome != wire.OK || r.Stdout != nil {
		t.Errorf("%+v, %v", r, err)
	}
	// What cannot be checked waits, and the next one can.
	odd := []string{"check-exit", "check-hang"}
	for i, code := range odd {
		r := program(code, "print a")
		r.Caller = code
		go func() { _, err := p.Run(t.Context(), r); over <- err }()
		eventually(t, "it was tried", func() bool { s := p.Stats(); return s.Deaths[DeathCrash]+s.Deaths[DeathTimeout] == int64(i+1) })
	}
	if r, err := p.Run(t.Context(), program("syntax")); err != nil || r.Reply.Outcome != wire.Syntax {
		t.Errorf("%+v, %v", r, err)
	}
	if s := p.Stats(); s.Running != 1 || s.Waiting != 2 || s.Refused != 4 || s.Checks != 6 {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(free, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

// TestCheckOfWhatHasStarted: a check that is late says nothing.
func TestCheckOfWhatHasStarted(t *testing.T) {
	p := open(t, Config{Workers: 1})
	whole(t, p)
	dir := t.TempDir()
	over := make(chan error, 2)
	go func() { _, err := p.Run(t.Context(), program("until "+dir+"/run")); over <- err }()
	eventually(t, "it runs", func() bool { return p.Stats().Running == 1 })
	go func() {
		r, err := p.Run(t.Context(), program("check-until "+dir+"/check", "print a"))
		if string(r.Stdout) != "a\n" {
			err = fmt.Errorf("%+v: %w", r, err)
		}
		over <- err
	}()
	eventually(t, "it is checked", func() bool { return p.Stats().Busy == 2 })
	for _, name := range []string{"/run", "/check"} {
		if err := os.WriteFile(dir+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := <-over; name == "/run" && err != nil {
			t.Error(err)
		} else if name == "/check" && err != nil {
			t.Error(err)
		}
	}
}

// TestTurns: callers take turns.
func TestTurns(t *testing.T) {
	p := open(t, Config{Workers: 1})
	whole(t, p)
	dir := t.TempDir()
	var all sync.WaitGroup
	run := func(caller, code string) {
		n := p.Stats().Waiting
		running := p.Stats().Running
		all.Go(func() {
			r := program(code)
			r.Caller = caller
			if _, err := p.Run(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "it waits", func() bool { s := p.Stats(); return s.Waiting == n+1 || running == 0 && s.Running == 1 })
	}
	run("x", "until "+dir+"/free")
	for _, name := range strings.Fields("a1 a2 a3 b1 b2 c1 a4") {
		run(name[:1], "append "+dir+"/log "+name)
	}
	if err := os.WriteFile(dir+"/free", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	log, err := os.ReadFile(dir + "/log")
	if want := "a1 b1 c1 a2 b2 a3 a4"; err != nil || strings.Join(strings.Fields(string(log)), " ") != want {
		t.Errorf("%q, %v; want %s", log, err, want)
	}
}

// TestSlowCallers: whose programs run too long leaves one process to others.
func TestSlowCallers(t *testing.T) {
	p := open(t, Config{Workers: 2})
	whole(t, p)
	free := t.TempDir() + "/free"
	slow := func(code string, limit time.Duration) error {
		r := program(code)
		r.Caller, r.Timeout = "slow", limit
		_, err := p.Run(t.Context(), r)
		return err
	}
	if err := slow("hang", 50*time.Millisecond); codeOf(err) != tool.Timeout {
		t.Fatal(err)
	}
	over := make(chan error, 3)
	for range 3 {
		go func() { over <- slow("until "+free, 0) }()
	}
	eventually(t, "one runs", func() bool { s := p.Stats(); return s.Running == 1 && s.Waiting == 2 })
	for range 20 {
		works(t, p) // another caller's
	}
	if s := p.Stats(); s.Running != 1 || s.Waiting != 2 {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(free, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

// TestFlood: of 64 callers half run endless loops; the others all get through.
func TestFlood(t *testing.T) {
	p := open(t, Config{Workers: 2})
	whole(t, p)
	var mu sync.Mutex
	var waits []time.Duration
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			r := program("hang")
			r.Caller, r.Timeout = fmt.Sprint(i), 50*time.Millisecond
			if i%2 == 0 {
				r = program("print a")
				r.Caller = fmt.Sprint(i)
			}
			for range 3 {
				got, err := p.Run(t.Context(), r)
				if i%2 == 0 && (err != nil || string(got.Stdout) != "a\n") || i%2 == 1 && codeOf(err) != tool.Timeout {
					t.Errorf("caller %d: %+v, %v", i, got, err)
				}
				if i%2 == 0 {
					mu.Lock()
					waits = append(waits, got.Waited)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	slices.Sort(waits)
	s := p.Stats()
	fmt.Printf("64 callers, half of them endless for 50 ms each, 2 workers: the others waited p50 %v, p90 %v, at most %v; %d processes started, %d checks\n",
		waits[len(waits)/2], waits[len(waits)*9/10], waits[len(waits)-1], s.Starts, s.Checks)
}

// TestNothingIsLeft: thousands of programs leave no goroutine and no descriptor.
func TestNothingIsLeft(t *testing.T) {
	p := open(t, Config{Workers: 2})
	whole(t, p)
	before := held()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 500 {
				code := "print a"
				if n%50 == i {
					code = "exit 1"
				}
				if _, err := p.Run(t.Context(), program(code)); (err != nil) != (code == "exit 1") {
					t.Errorf("%s: %v", code, err)
				}
			}
		})
	}
	all.Wait()
	whole(t, p)
	eventually(t, "no more is held than before", func() bool { whole(t, p); return held() == before })
	if s := p.Stats(); s.Runs[wire.OK] != 1960 || s.Failures[tool.UpstreamError] != 40 || s.Deaths[DeathCrash] != 40 {
		t.Errorf("%+v", s)
	}
	p.Close()
	eventually(t, "nothing is held", func() bool { return children() == 0 })
}

// BenchmarkRun is what the pool, the pipes and the output area cost a program.
func BenchmarkRun(b *testing.B) {
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			p := open(b, Config{Workers: 2})
			whole(b, p)
			b.SetParallelism(callers)
			b.RunParallel(func(each *testing.PB) {
				for each.Next() {
					if _, err := p.Run(b.Context(), program("print a")); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
