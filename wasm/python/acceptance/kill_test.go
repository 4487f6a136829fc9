//go:build linux

package acceptance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/wire"

	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// endless prints something and never ends.
const endless = "print('so far')\nwhile True: pass"

// answer is what a call came to, and when.
type answer struct {
	result python.Result
	err    error
	at     time.Time
}

// begin begins a call.
func (p *pool) begin(code string, limit time.Duration) <-chan answer {
	answered := make(chan answer, 1)
	go func() {
		r, err := p.Run(context.Background(), python.Request{Job: wire.Job{Code: code}, Timeout: limit})
		answered <- answer{r, err, time.Now()}
	}()
	return answered
}

// works runs a few programs, one after the other.
func (p *pool) works() {
	p.t.Helper()
	for range 4 {
		if got := p.prints("print(6 * 7)"); got != "42\n" {
			p.t.Errorf("then a program prints %q", got)
		}
	}
}

// TestKilledInACall kills the process that a program runs in.
func TestKilledInACall(t *testing.T) {
	p := open(t, python.Config{})
	for range 3 {
		answered := p.begin(endless, 0)
		var killed time.Time
		// One that had not begun with it yet is followed by another.
		for pid := busy(t, children, answered); pid != ""; pid = busy(t, children, answered) {
			killed = time.Now()
			strike(t, pid, syscall.SIGKILL)
			within(t, "the killed process is gone", func() bool { _, there := pythontest.Worked(pid); return !there })
		}
		a := <-answered
		if a.err == nil || tool.AsError(a.err).Code != tool.UpstreamError || a.result.TimedOut {
			t.Errorf("a call whose process is killed: %v, %s", a.err, ends(a.result))
		}
		if got := string(a.result.Stdout); a.result.Begun && got != "so far\n" {
			t.Errorf("what it had printed: got %q", got)
		}
		p.works()
		t.Logf("the call answered after %v: %v; the next four after %v", a.at.Sub(killed), a.err, time.Since(a.at))
		p.whole()
	}
	if s := p.Stats(); s.Deaths[python.DeathCrash] < 3 || s.Deaths[python.DeathCrash] != p.deaths() {
		t.Errorf("processes have ended by %v", s.Deaths)
	}
}

// TestStopped stops processes, in a call and before one: they answer nothing, and still
// the calls do, at their time limit.
func TestStopped(t *testing.T) {
	p := open(t, python.Config{})
	limit, stopped := 2*time.Second, ""
	var began time.Time
	var a answer
	for ; stopped == ""; limit *= 2 { // the limit may come first, on a slow machine
		p.whole()
		before := children()
		began = time.Now()
		answered := p.begin(endless, limit)
		stopped = busy(t, func() []string { return before }, answered)
		if stopped != "" {
			strike(t, stopped, syscall.SIGSTOP)
		}
		a = <-answered
	}
	if !a.result.TimedOut || string(a.result.Stdout) != "so far\n" {
		t.Errorf("stopped in a call: %v, %s, stdout %q", a.err, ends(a.result), a.result.Stdout)
	}
	within(t, "the stopped process is gone", func() bool { _, there := pythontest.Worked(stopped); return !there })
	p.works()
	p.whole()
	t.Logf("limit %v: stopped in a call it answered after %v", limit/2, a.at.Sub(began))

	for _, pid := range children() {
		strike(t, pid, syscall.SIGSTOP)
	}
	began = time.Now()
	a = <-p.begin("1", time.Second)
	if !a.result.TimedOut || a.result.Begun {
		t.Errorf("stopped before a call: %v, %s", a.err, ends(a.result))
	}
	t.Logf("limit %v: stopped before a call it answered after %v", time.Second, a.at.Sub(began))
	for _, pid := range children() {
		strike(t, pid, syscall.SIGCONT)
	}
	p.works()
}

// TestKilledIdle kills the processes that run nothing, the spare one among them.
func TestKilledIdle(t *testing.T) {
	p := open(t, python.Config{})
	for _, pid := range children() { // one by one
		before := p.deaths()
		strike(t, pid, syscall.SIGKILL)
		p.works()
		within(t, "the end of the process is seen", func() bool { return p.deaths() > before })
		p.whole()
	}
	for _, pid := range children() { // all at once
		strike(t, pid, syscall.SIGKILL)
	}
	killed := time.Now()
	refused := 0
	within(t, "programs run again", func() bool {
		r, err := p.run("print(6 * 7)")
		if err == nil && string(r.Stdout) == "42\n" {
			return true
		}
		// Processes that end as soon as they are there are taken for ones that do not start;
		// and a program is given to a second process only, not to a third.
		if e := tool.AsError(err); err == nil || e.Code != tool.UpstreamUnavailable && e.Code != tool.UpstreamError {
			t.Fatalf("got %v, %s", err, ends(r))
		}
		refused++
		return false
	})
	t.Logf("all killed at once: a program ran after %v, %d were refused before it", time.Since(killed), refused)
	p.whole()
	p.works()
	if s := p.Stats(); s.Deaths[python.DeathCrash] != p.deaths() {
		t.Errorf("processes have ended by %v", s.Deaths)
	}
}

// TestKilledAtRandom kills processes while many callers run programs: each call answers,
// well or with the error that says what was done.
func TestKilledAtRandom(t *testing.T) {
	const callers, each, perKill = 8, 40, 40
	p := open(t, python.Config{})
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	var all sync.WaitGroup
	var mu sync.Mutex
	came, kills := map[tool.Code]int{}, 0
	for caller := range callers {
		all.Go(func() {
			for well := 0; well < each && !t.Failed(); {
				code := p.adds(100_000 + caller)
				mu.Lock()
				came[code]++
				if pids := children(); code == "" && came[""]%perKill == 0 && len(pids) > 0 {
					strike(t, pids[r.IntN(len(pids))], syscall.SIGKILL)
					kills++
				}
				mu.Unlock()
				if code == "" {
					well++
				} else {
					time.Sleep(time.Millisecond) // others start processes meanwhile
				}
			}
		})
	}
	all.Wait()
	t.Logf("seed %d: %d kills; calls came to %v; %d run again", seed, kills, came, p.Stats().Again)
	for code := range came {
		if !slices.Contains([]tool.Code{"", tool.UpstreamError, tool.UpstreamUnavailable}, code) {
			t.Errorf("calls came to %s", code)
		}
	}
	p.whole()
}

// adds runs a program that takes some milliseconds; the code is of the error, if any.
func (p *pool) adds(n int) tool.Code {
	r, err := p.run(fmt.Sprintf("print(sum(range(%d)))", n))
	if err != nil {
		return tool.AsError(err).Code
	}
	if want := fmt.Sprintln(n * (n - 1) / 2); string(r.Stdout) != want {
		p.t.Errorf("got %q, %s, not %q", r.Stdout, ends(r), want)
	}
	return ""
}

// load is many callers at once, some of whose programs never end.
type load struct{ callers, endless, each int }

// TestBesideEndless: those who call beside others whose programs are endless get
// their turns.
func TestBesideEndless(t *testing.T) {
	l := load{callers: 64, each: 5}
	if raced {
		l = load{callers: 16, each: 3}
	}
	for _, l.endless = range []int{0, l.callers / 2} {
		first, later := l.run(t)
		t.Logf("%d callers on %d workers, the programs of %d endless; from call to answer of the others: the first call of each %s, later ones %s",
			l.callers, workers, l.endless, spread(first), spread(later))
	}
}

// run gives how long the calls of those took whose programs end: the first ones of each,
// and the others.
func (l load) run(t *testing.T) (first, later []time.Duration) {
	p := open(t, python.Config{Workers: workers, Queue: l.callers, Wait: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	var ending, others sync.WaitGroup
	var mu sync.Mutex
	for i := range l.callers {
		caller := fmt.Sprintf("caller %d", i)
		if i < l.endless {
			others.Go(func() {
				for ctx.Err() == nil {
					_, err := p.Run(ctx, python.Request{Caller: caller, Timeout: time.Second, Job: wire.Job{Code: endless}})
					if code := tool.AsError(err).Code; ctx.Err() == nil && code != tool.Timeout {
						t.Errorf("an endless program: %v", err)
						return
					}
				}
			})
			continue
		}
		ending.Go(func() {
			for call := range l.each {
				began := time.Now()
				r, err := p.Run(ctx, python.Request{Caller: caller, Job: wire.Job{Code: "print(6 * 7)"}})
				if string(r.Stdout) != "42\n" {
					t.Errorf("beside others: %v, %s", err, ends(r))
				}
				mu.Lock()
				if took := time.Since(began); call == 0 {
					first = append(first, took)
				} else {
					later = append(later, took)
				}
				mu.Unlock()
			}
		})
	}
	ending.Wait()
	cancel()
	others.Wait()
	t.Logf("a process starts in %v", p.Stats().Hello.Loaded+p.Stats().Hello.Started)
	return first, later
}

func spread(of []time.Duration) string {
	slices.Sort(of)
	at := func(share float64) time.Duration {
		return of[int(share*float64(len(of)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %v, p90 %v, max %v of %d", at(0.5), at(0.9), at(1), len(of))
}
