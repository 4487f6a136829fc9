package acceptance_test

import (
	"bufio"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

const (
	// callers call at the same time, and so many programs run then.
	callers, workers = 6, 2
	// warmth is after how many calls memory is looked at for the first time: by then all that
	// is kept for good is there.
	warmth = 1000
	// keepsProcess and keepsGateway are by how much more memory a process, and this one, may
	// have in use at the end than after warmth: a process that kept 12 KiB of each of its calls,
	// or a gateway that kept 2 KiB, would show. What is seen is some MiB either way, which
	// collectors have not looked at yet.
	keepsProcess, keepsGateway = 32 << 20, 16 << 20
)

// calls is how many calls TestIsolation makes.
func calls() int {
	if raced {
		return 2500
	}
	return 10_000
}

//go:embed fresh.py
var freshProgram string

//go:embed unlike.py
var unlikeProgram string

// TestIsolation: nothing of a program is seen by another one, whichever ran before it in
// the same process, and memory stays as it was.
func TestIsolation(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	m := newMixture(t, python.Config{Workers: workers})
	began := time.Now()
	m.run(warmth, seed)
	first := m.memory()
	m.run(calls()-warmth, seed+1)
	last := m.memory()
	took := time.Since(began)
	t.Logf("seed %d: %d calls in %v, %.2f ms each on %d workers: %s", seed, calls(), took.Round(time.Millisecond), took.Seconds()*1e3/float64(calls()), workers, m.counted())
	t.Logf("memory after %d calls: %s", warmth, first)
	t.Logf("memory after %d calls: %s", calls(), last)
	last.within(t, first)
	// No program of these ends its process, and nothing else may.
	if n := m.deaths(); n != 0 {
		t.Errorf("processes were replaced: %v", m.Stats().Deaths)
	}
	if n := len(m.fresh); n != workers+1 { // one is spare
		t.Errorf("%d of %d processes have told their state", n, workers+1)
	}
}

// mixture runs programs of many kinds in random order.
type mixture struct {
	*pool
	kinds []kind

	mu     sync.Mutex // guards what follows
	fresh  map[string]string
	unlike map[string]bool
}

// kind is one kind of program.
type kind struct {
	name  string
	run   func(r *rand.Rand)
	times *atomic.Int64
}

func newMixture(t testing.TB, c python.Config) *mixture {
	t.Helper()
	m := &mixture{pool: open(t, c), fresh: map[string]string{}, unlike: map[string]bool{}}
	pairs, err := pythontest.Pairs(os.DirFS("../testdata/poison"))
	if err != nil {
		t.Fatal(err)
	}
	ordinary := mixed(t)
	m.add("poison", 5, func(r *rand.Rand) { m.poison(pairs[r.IntN(len(pairs))]) })
	m.add("probe", 5, func(r *rand.Rand) { m.probe(pairs[r.IntN(len(pairs))]) })
	m.add("pair", 3, func(r *rand.Rand) {
		pair := pairs[r.IntN(len(pairs))]
		m.poison(pair)
		m.probe(pair)
	})
	m.add("ordinary", 5, func(r *rand.Rand) { m.ordinary(ordinary[r.IntN(len(ordinary))]) })
	m.add("state", 2, func(*rand.Rand) { m.sameState() })
	m.add("random", 2, func(*rand.Rand) { m.differs() })
	return m
}

// add adds a kind that is as frequent as its weight says.
func (m *mixture) add(name string, weight int, run func(*rand.Rand)) {
	k := kind{name, run, new(atomic.Int64)}
	for range weight {
		m.kinds = append(m.kinds, k)
	}
}

// run makes n calls, by several callers at once.
func (m *mixture) run(n int, seed uint64) {
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for caller := range callers {
		r := rand.New(rand.NewPCG(seed, uint64(caller)))
		all.Go(func() {
			for !m.t.Failed() {
				k := m.kinds[r.IntN(len(m.kinds))]
				cost := int64(1)
				if k.name == "pair" {
					cost = 2
				}
				if left.Add(-cost) < 0 {
					return
				}
				k.times.Add(1)
				k.run(r)
			}
		})
	}
	all.Wait()
	m.calm() // so that processes that ended are counted
	m.whole()
}

func (m *mixture) counted() string {
	var text []string
	last := ""
	for _, k := range m.kinds { // those of a name follow one another
		if k.name != last {
			text = append(text, fmt.Sprintf("%s %d", k.name, k.times.Load()))
		}
		last = k.name
	}
	s := m.Stats()
	return fmt.Sprintf("%s; answered %v %v, compiled ahead %d, processes replaced %d %v", strings.Join(text, ", "), s.Runs, s.Failures, s.Checks, m.deaths(), s.Deaths)
}

// poison runs a program that changes something. It may harm its own answer, and nothing else.
func (m *mixture) poison(p pythontest.Pair) {
	r, err := m.pool.run(p.Poison)
	if err != nil || r.Reply.Worn != "" {
		m.t.Errorf("%s/poison: %v, %s, worn %q (cause: %v)", p.Name, err, ends(r), r.Reply.Worn, cause(err))
	}
}

// probe runs one that looks whether something has changed.
func (m *mixture) probe(p pythontest.Pair) {
	r, err := m.pool.run(p.Probe)
	if err != nil || string(r.Stdout) != p.Want {
		m.t.Errorf("%s/probe: %v, %s, stdout %q, not %q; stderr %.300q (cause: %v)", p.Name, err, ends(r), r.Stdout, p.Want, r.Stderr, cause(err))
	}
}

// ordinary runs one that does what programs do.
func (m *mixture) ordinary(s pythontest.Snippet) {
	r, err := m.pool.run(s.Code)
	raised := s.Error != ""
	if err != nil || string(r.Stdout) != s.Out || raised == (r.Reply.Outcome == wire.OK) {
		m.t.Errorf("%s: %v, %s, stdout %q, not %q; stderr %.300q (cause: %v)", s.Name, err, ends(r), r.Stdout, s.Out, r.Stderr, cause(err))
	}
}

// sameState runs one that sees the same in the same process each time.
func (m *mixture) sameState() {
	name, state, _ := strings.Cut(m.prints(freshProgram), "\n")
	m.mu.Lock()
	defer m.mu.Unlock()
	if first, known := m.fresh[name]; !known {
		m.fresh[name] = state
	} else if first != state {
		m.t.Errorf("a process is not as it was:\n%sand was\n%s", state, first)
	}
}

// differs runs one that prints nothing that was printed before.
func (m *mixture) differs() {
	text := m.prints(unlikeProgram)
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := strings.Count(text, "\n"); n != 10 {
		m.t.Errorf("%d lines, not 10: %q", n, text)
	}
	for line := range strings.Lines(text) {
		if m.unlike[line] {
			m.t.Errorf("printed twice: %s", line)
		}
		m.unlike[line] = true
	}
}

// cause is what an operator is told of an error.
func cause(err error) error {
	if err == nil {
		return nil
	}
	return tool.AsError(err).Cause
}

// mixed are the ordinary programs.
func mixed(t testing.TB) []pythontest.Snippet {
	t.Helper()
	all, err := pythontest.Snippets(os.DirFS("../testdata/snippets"))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]pythontest.Snippet{}
	for _, s := range all {
		byName[s.Name] = s
	}
	list, err := os.Open("../testdata/mixed/list.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	var named []pythontest.Snippet
	for lines := bufio.NewScanner(list); lines.Scan(); {
		name := lines.Text()
		if strings.HasPrefix(name, "#") {
			continue
		}
		s, known := byName[name]
		if !known {
			t.Fatalf("list.txt names %s, which is not there", name)
		}
		named = append(named, s)
	}
	return named
}

// inUse is what is in use while no program runs, in bytes.
type inUse struct {
	heap int64   // of this process
	rss  []int64 // of each process
	pss  []int64 // -1 where that is not told
}

func (m *mixture) memory() (u inUse) {
	runtime.GC()
	runtime.GC() // pools are emptied by the second one
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	u.heap = int64(s.HeapInuse)
	for _, pid := range children() {
		rss, pss := resident(pid)
		u.rss, u.pss = append(u.rss, rss), append(u.pss, pss)
	}
	return u
}

func (u inUse) String() string {
	const mebibyte = 1 << 20
	text := fmt.Sprintf("heap of this process %.1f MiB; processes, RSS (PSS) in MiB:", float64(u.heap)/mebibyte)
	for i := range u.rss {
		text += fmt.Sprintf(" %.1f (%.1f)", float64(u.rss[i])/mebibyte, float64(u.pss[i])/mebibyte)
	}
	return text
}

// within reports what is more than it was, by more than is kept.
func (u inUse) within(t testing.TB, before inUse) {
	t.Helper()
	if more := u.heap - before.heap; more > keepsGateway {
		t.Errorf("this process has %d bytes more in use", more)
	}
	if len(u.rss) != len(before.rss) {
		t.Errorf("%d processes, and not %d", len(u.rss), len(before.rss))
		return
	}
	for i := range u.rss {
		if more := u.rss[i] - before.rss[i]; more > keepsProcess {
			t.Errorf("process %d has %d bytes more in use", i, more)
		}
	}
}

// resident is how much memory a process has in use, and what its share of it is where pages
// are shared: -1 where only the system's owner may know. Both in bytes.
func resident(pid string) (rss, pss int64) {
	rss, pss = -1, -1
	statm, _ := os.ReadFile("/proc/" + pid + "/statm") // the process may have ended
	var size int64
	if _, err := fmt.Sscan(string(statm), &size, &rss); err == nil {
		rss *= int64(os.Getpagesize())
	}
	rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
	for text := range strings.Lines(string(rollup)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(text, "Pss: %d kB", &kilobytes); err == nil {
			pss = kilobytes << 10
		}
	}
	return rss, pss
}
