package python

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// The test binary is also the interpreter process: its programs are lines of a verb and
// its text, and most of them are no good.

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "fake-worker":
			worker := &fake{from: wire.NewReader(os.Stdin, wire.Bounds{})}
			worker.serve(os.Args[2:])
			return
		case "fake-child":
			time.Sleep(time.Hour)
			return
		case "fake-gateway":
			gateway()
			return
		}
	}
	goleak.VerifyTestMain(m)
}

type fake struct {
	from    *wire.Reader
	area    *wire.Mapped
	spare   *os.File // of the area
	replied bool
	silent  bool // the end says nothing more
}

// births are ways to start, by their names.
func births() map[string]func(*fake) {
	return map[string]func(*fake){
		"good":         func(f *fake) { f.hello() },
		"dies":         func(*fake) { fmt.Fprintln(os.Stderr, "no interpreter today"); os.Exit(3) },
		"is killed":    func(*fake) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); forever() },
		"hangs":        func(*fake) { forever() },
		"talks":        func(*fake) { raw("Python 3.12.0 (main)\n>>> "); forever() },
		"is giant":     func(*fake) { raw(frame(1, "{}", math.MaxUint32)); forever() },
		"says bye":     func(*fake) { say(wire.Bye{Reason: "no memory"}); forever() },
		"replies":      func(*fake) { say(wire.Reply{Outcome: wire.OK}); forever() },
		"says nothing": func(*fake) { _ = os.Stdout.Close(); forever() },
		"ends cleanly": func(*fake) { os.Exit(0) },

		// These have said hello.
		"dies idle":    func(f *fake) { f.hello(); os.Exit(4) },
		"hello twice":  func(f *fake) { f.hello(); f.hello(); forever() },
		"ready idle":   func(f *fake) { f.hello(); say(wire.Ready{}); forever() },
		"replies idle": func(f *fake) { f.hello(); say(wire.Reply{Outcome: wire.OK}); forever() },
		"bye idle":     func(f *fake) { f.hello(); say(wire.Bye{Reason: "tired"}); forever() },
		"talks idle":   func(f *fake) { f.hello(); raw("oh, hello there, how are you"); forever() },
		"deaf":         func(f *fake) { f.hello(); forever() },
	}
}

func (f *fake) hello() { say(wire.Hello{Version: "3.12.0"}) }

// serve starts as the name says and does its jobs.
func (f *fake) serve(args []string) {
	endWith(wire.LifelineFD)
	spare, err := syscall.Dup(wire.AreaFD)
	if err != nil {
		panic(err)
	}
	f.spare = os.NewFile(uintptr(spare), "area")
	area, err := wire.Map(os.NewFile(wire.AreaFD, "area"))
	if err != nil {
		panic(err)
	}
	f.area = area
	births()[args[0]](f)
	for {
		m, err := f.from.Next()
		if err != nil {
			os.Exit(0) // the gateway is gone
		}
		f.job(m.(wire.Job))
	}
}

func (f *fake) job(j wire.Job) {
	f.replied, f.silent = false, false
	if !strings.HasPrefix(j.Code, "unbegun") {
		f.area.Begin()
	}
	verbs := f.verbs(j)
	for line := range strings.Lines(j.Code) {
		verb, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		do, ok := verbs[verb]
		if !ok {
			panic("no verb " + verb)
		}
		if j.Check && verb != "syntax" && verb != "depends" && !strings.HasPrefix(verb, "check-") {
			continue
		}
		do(text)
	}
	if f.silent {
		return
	}
	if !f.replied {
		f.reply(wire.Reply{Outcome: wire.OK})
	}
	say(wire.Ready{})
}

func (f *fake) reply(r wire.Reply) {
	f.replied = true
	say(r)
}

// verbs are what programs of the fake are made of.
func (f *fake) verbs(j wire.Job) map[string]func(string) {
	ok := wire.Reply{Outcome: wire.OK}
	return map[string]func(string){
		"unbegun": func(string) {},
		"print":   func(s string) { fmt.Fprintln(f.area.Stdout, s) },
		"err":     func(s string) { fmt.Fprintln(f.area.Stderr, s) },
		"log":     func(s string) { fmt.Fprintln(os.Stderr, s) },
		"pid":     func(string) { fmt.Fprintln(f.area.Stdout, os.Getpid()) },
		"job":     func(string) { b, _ := json.Marshal(j); fmt.Fprintln(f.area.Stdout, string(b)) },
		"files": func(string) {
			for _, file := range j.Files {
				fmt.Fprintf(f.area.Stdout, "%s=%s\n", file.Name, file.Data)
			}
		},
		"environment": func(string) { fmt.Fprintln(f.area.Stdout, len(os.Environ())) },
		"fill":        func(s string) { n, _ := strconv.Atoi(s); _, _ = f.area.Stdout.Write(bytes.Repeat([]byte("x"), n)) },
		"append": func(s string) {
			path, text, _ := strings.Cut(s, " ")
			log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(log, text)
			_ = log.Close()
		},
		"until": func(path string) {
			for _, err := os.Stat(path); err != nil; _, err = os.Stat(path) {
				time.Sleep(time.Millisecond)
			}
		},

		// Ends.
		"ok":      func(string) { f.reply(ok) },
		"syntax":  func(string) { f.reply(wire.Reply{Outcome: wire.Syntax, Failure: &wire.Failure{Type: "SyntaxError"}}) },
		"depends": func(string) { f.reply(wire.Reply{Outcome: wire.Dependencies}) },
		"raise":   func(s string) { f.reply(wire.Reply{Outcome: wire.Raised, Failure: &wire.Failure{Type: s}}) },
		"artifact": func(s string) {
			f.reply(wire.Reply{Outcome: wire.OK, Artifacts: []wire.File{{Name: "a", Size: int64(len(s)), Data: []byte(s)}}})
		},
		"worn":   func(s string) { f.reply(wire.Reply{Outcome: wire.OK, Worn: s}); f.silent = true },
		"bye":    func(s string) { say(wire.Bye{Reason: s}); f.silent = true },
		"hello":  func(string) { f.hello(); f.silent = true },
		"ready":  func(string) { say(wire.Ready{}) },
		"asjob":  func(string) { say(j); f.silent = true },
		"silent": func(string) { f.silent = true },

		// Ends that are none.
		"exit":   func(s string) { n, _ := strconv.Atoi(s); os.Exit(n) },
		"panic":  func(s string) { panic(s) },
		"signal": func(s string) { n, _ := strconv.Atoi(s); _ = syscall.Kill(os.Getpid(), syscall.Signal(n)); forever() },
		"ignore": func(string) { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) },
		"hang":   func(string) { forever() },
		"spin":   func(string) { spin() },
		"close":  func(s string) { n, _ := strconv.Atoi(s); _ = syscall.Close(n) },
		"raw":    func(s string) { raw(s) },
		"flood":  func(string) { raw(strings.Repeat("flood ", 1<<20)) },
		"stderr": func(s string) {
			n, _ := strconv.Atoi(s)
			_, _ = os.Stderr.WriteString(strings.Repeat("e", n) + "the end")
		},
		"frame":    func(s string) { raw(frame(3, s, -1)) },
		"kind":     func(s string) { n, _ := strconv.Atoi(s); raw(frame(uint32(n), "{}", -1)) },
		"long":     func(s string) { n, _ := strconv.ParseUint(s, 10, 32); raw(frame(3, "{}", int64(n))) },
		"cut":      func(string) { whole := frame(3, `{"outcome":"ok"}`, -1); raw(whole[:len(whole)-4]) },
		"slowly":   func(string) { slowly(ok); f.replied = true },
		"counters": func(s string) { f.counters(s) },
		"truncate": func(string) { _ = f.spare.Truncate(0) },
		"fork":     func(s string) { fmt.Fprintln(f.area.Stdout, fork(s == "away")) },

		// Of checks only.
		"check-hang": func(string) {
			if j.Check {
				forever()
			}
		},
		"check-exit": func(string) {
			if j.Check {
				os.Exit(7)
			}
		},
		"check-until": func(path string) {
			for _, err := os.Stat(path); j.Check && err != nil; _, err = os.Stat(path) {
				time.Sleep(time.Millisecond)
			}
		},
	}
}

// counters writes what it likes into the header of the output area.
func (f *fake) counters(text string) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	var words []byte
	for range 4 {
		words = binary.NativeEndian.AppendUint64(words, n)
	}
	if _, err := f.spare.WriteAt(words, 0); err != nil {
		panic(err)
	}
}

func say(m wire.Message) {
	if err := wire.Write(os.Stdout, m); err != nil {
		os.Exit(5)
	}
}

func raw(s string) { _, _ = os.Stdout.WriteString(s) }

// frame has the true length where long is negative.
func frame(kind uint32, header string, long int64) string {
	if long < 0 {
		long = int64(4 + len(header))
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(long))
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	return string(b) + header
}

func slowly(m wire.Message) {
	var b bytes.Buffer
	if err := wire.Write(&b, m); err != nil {
		panic(err)
	}
	for _, c := range b.Bytes() {
		raw(string([]byte{c}))
		time.Sleep(time.Millisecond)
	}
}

// fork leaves a process behind that holds all pipes, in this group or away from it.
func fork(away bool) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p, err := os.StartProcess(self, []string{self, "fake-child"}, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: away},
	})
	if err != nil {
		panic(err)
	}
	return p.Pid
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func spin() {
	for i := 0; ; i++ {
		_ = i
	}
}

// gateway has a pool with a program that never ends, tells its processes, and waits to be killed.
func gateway() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p := Open(Config{Timeout: long, Command: func() ([]string, error) { return []string{self, "fake-worker", "good"}, nil }})
	for p.Stats().Idle < 3 {
		time.Sleep(time.Millisecond)
	}
	p.mu.Lock()
	for w := range p.workers {
		fmt.Println(w.proc.cmd.Process.Pid)
	}
	p.mu.Unlock()
	mark := os.Args[2]
	go func() { _, _ = p.Run(context.Background(), program("append "+mark+" x", "spin")) }()
	for {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	forever()
}
