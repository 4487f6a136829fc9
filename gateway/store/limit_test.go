package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// counters are all that count calls; what is held of one is held of each.
func counters(t testing.TB) map[string]limit.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "gateway.db"), store.Options{})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return map[string]limit.Store{"memory": new(limit.Memory), "store": s}
}

func key(name string) limit.Key {
	return limit.KeyOf(limit.OfRule, name, tool.LimitByCaller, &tool.Call{})
}

// try is one call: at a time after noon, against limits "key calls/per", and what
// comes of it: "ok", or which limit is full, counted from 0, and for how long.
type try struct {
	at     string
	limits string
	want   string
}

// TestTake goes through what is let through when, in memory and in the store.
func TestTake(t *testing.T) {
	const threeIn10s = "a 3/10s"
	for _, tt := range []struct {
		name  string
		tries []try
	}{
		{"the window slides", []try{
			{"0s", threeIn10s, "ok"},
			{"1s", threeIn10s, "ok"},
			{"9s", threeIn10s, "ok"},
			{"9.5s", threeIn10s, "0 500ms"},
			{"9.999999999s", threeIn10s, "0 1ns"},
			{"10s", threeIn10s, "ok"},
			{"10s", threeIn10s, "0 1s"},
			{"11s", threeIn10s, "ok"},
			{"18.5s", threeIn10s, "0 500ms"},
			{"19s", threeIn10s, "ok"},
			{"60s", threeIn10s, "ok"},
			{"60s", threeIn10s, "ok"},
			{"60s", threeIn10s, "ok"},
			{"60s", threeIn10s, "0 10s"},
		}},
		{"a refused call counts for nothing", []try{
			{"0s", "a 1/10s", "ok"}, {"2s", "a 1/10s", "0 8s"}, {"9s", "a 1/10s", "0 1s"}, {"10s", "a 1/10s", "ok"},
		}},
		{"keys count apart", []try{
			{"0s", "a 1/10s", "ok"}, {"0s", "b 1/10s", "ok"}, {"1s", "a 1/10s", "0 9s"}, {"1s", "b 1/10s", "0 9s"},
		}},
		{"several limits, all or none", []try{
			{"0s", "a 1/10s", "ok"},
			{"1s", "b 5/10s, a 1/10s", "1 9s"},
			{"1s", "b 1/10s", "ok"},
			{"2s", "b 1/10s, a 1/10s", "0 9s"},
			{"2s", "a 1/20s, b 1/10s", "0 18s"},
			{"11s", "b 1/10s, a 1/10s", "ok"},
		}},
		{"fewer calls", []try{
			{"0s", threeIn10s, "ok"},
			{"1s", threeIn10s, "ok"},
			{"2s", "a 2/10s", "0 8s"},
			{"2s", "a 1/10s", "0 9s"},
			{"10s", "a 2/10s", "ok"},
			{"10s", "a 1/10s", "0 10s"},
			{"11s", threeIn10s, "ok"},
			{"11s", threeIn10s, "ok"},
			{"11s", threeIn10s, "0 9s"},
		}},
		{"more calls", []try{
			{"0s", "a 1/10s", "ok"}, {"1s", "a 1/10s", "0 9s"}, {"1s", threeIn10s, "ok"}, {"1s", threeIn10s, "ok"}, {"1s", threeIn10s, "0 9s"}, {"1s", "a 5/10s", "ok"},
		}},
		{"a longer time", []try{
			{"0s", "a 1/10s", "ok"}, {"15s", "a 1/20s", "0 5s"}, {"15s", "a 1/1h", "0 59m45s"}, {"20s", "b 1/10s", "ok"}, {"59m", "a 1/1h", "0 1m0s"}, {"1h", "a 1/1h", "ok"},
		}},
		{"a shorter time", []try{
			{"0s", "a 1/1h", "ok"}, {"10s", "a 1/1m", "0 50s"}, {"1m", "a 1/1m", "ok"},
		}},
		{"the clock goes back", []try{
			{"1h", "a 2/10s", "ok"},
			{"1h0m1s", "a 2/10s", "ok"},
			{"0s", "a 2/10s", "0 10s"},
			{"5s", "a 2/10s", "0 5s"},
			{"10s", "a 2/10s", "ok"},
			{"10s", "a 2/10s", "ok"},
			{"9.9s", "a 2/10s", "0 10s"},
		}},
		{"the clock goes back a little", []try{
			{"10s", "a 2/10s", "ok"}, {"15s", "a 2/10s", "ok"}, {"14s", "a 2/10s", "0 6s"}, {"20s", "a 2/10s", "ok"}, {"23s", "a 2/10s", "0 1s"}, {"24s", "a 2/10s", "ok"},
		}},
		{"what never lets anything through", []try{{"0s", "a 0/10s", "0 10s"}, {"1h", "a 0/10s", "0 10s"}}},
		{"no limits", []try{{"0s", "", "ok"}}},
		{"31 days", []try{{"0s", "a 1/744h", "ok"}, {"2h", "b 1/1s", "ok"}, {"743h59m59s", "a 1/744h", "0 1s"}, {"744h", "a 1/744h", "ok"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, c := range counters(t) {
				for i, try := range tt.tries {
					if got := try.make(t, c); got != try.want {
						t.Errorf("%s, call %d at %s against %q: %s, want %s", name, i, try.at, try.limits, got, try.want)
					}
				}
			}
		})
	}
}

func (c *try) make(t *testing.T, in limit.Store) string {
	t.Helper()
	after, err := time.ParseDuration(c.at)
	must(t, err)
	full, wait, err := in.Take(t.Context(), func() time.Time { return noon.Add(after) }, limits(t, c.limits))
	must(t, err)
	if full == limit.None {
		return "ok"
	}
	return fmt.Sprint(full, " ", wait)
}

func limits(t *testing.T, text string) (out []limit.Limit) {
	t.Helper()
	for one := range strings.SplitSeq(text, ", ") {
		if one == "" {
			continue
		}
		l := limit.Limit{}
		var name, per string
		_, err := fmt.Sscanf(strings.Replace(one, "/", " ", 1), "%s %d %s", &name, &l.Calls, &per)
		must(t, err)
		l.Key = key(name)
		l.Per, err = time.ParseDuration(per)
		must(t, err)
		out = append(out, l)
	}
	return out
}

// TestTakeTogether has 20 callers take from one limit at once, over two stores of
// one file, one of which is closed and opened again. The clock goes on with every
// look at it, so that there are many windows, and no two calls are of one time.
func TestTakeTogether(t *testing.T) {
	t.Parallel()
	const callers, each, calls, per = 20, 60, 7, 50 * time.Millisecond
	path := filepath.Join(t.TempDir(), "gateway.db")
	open := func() *store.Store {
		s, err := store.Open(t.Context(), path, store.Options{})
		must(t, err)
		return s
	}
	steady := open()
	defer func() { must(t, steady.Close()) }()
	var again sync.RWMutex // guards restarted
	restarted := open()
	defer func() { must(t, restarted.Close()) }()

	var clock atomic.Int64
	var mu sync.Mutex // guards taken
	var taken []int64
	take := func(in *store.Store) {
		var at int64
		full, _, err := in.Take(t.Context(), func() time.Time {
			at = clock.Add(int64(time.Millisecond))
			return noon.Add(time.Duration(at))
		}, []limit.Limit{{Key: key("a"), Calls: calls, Per: per}})
		if err != nil || full != limit.None { // a machine that is slow may let nothing through
			return
		}
		mu.Lock()
		defer mu.Unlock()
		taken = append(taken, at)
	}
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for range each {
				if i%2 == 0 {
					take(steady)
					continue
				}
				again.RLock()
				take(restarted)
				again.RUnlock()
			}
		})
	}
	for range 3 {
		again.Lock()
		must(t, restarted.Close())
		restarted = open()
		again.Unlock()
	}
	all.Wait()
	slices.Sort(taken)
	if len(taken) < calls {
		t.Fatalf("%d calls were let through", len(taken))
	}
	for i := range len(taken) - calls {
		if within := time.Duration(taken[i+calls] - taken[i]); within < per {
			t.Fatalf("%d calls within %v, and %d are allowed within %v", calls+1, within, calls, per)
		}
	}
}

// TestTakeForgets: what does not count any more goes, however many keys there were.
func TestTakeForgets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := noon
	take := func(name string, calls int) {
		full, _, err := b.store.Take(t.Context(), func() time.Time { return at }, []limit.Limit{{Key: key(name), Calls: calls, Per: time.Second}})
		must(t, err)
		if full != limit.None {
			t.Fatalf("%s is full", name)
		}
	}
	for i := range 50 {
		take(fmt.Sprint("key ", i), 1)
	}
	for range 100 {
		take("many", 100)
	}
	if keys, calls := b.counted(); keys != 51 || calls != 150 {
		t.Errorf("%d keys and %d calls, want 51 and 150", keys, calls)
	}
	at = at.Add(limit.KeepLeast)
	for range 40 {
		take("other", 5)
		at = at.Add(time.Second)
	}
	if keys, calls := b.counted(); keys != 1 || calls != 5 {
		t.Errorf("%d keys and %d calls are left, want 1 and the 5 that may count", keys, calls)
	}
}

// counted is how much the file holds of keys and of calls.
func (b *bench) counted() (keys, calls int) {
	b.t.Helper()
	must(b.t, outside(b.t, b.path).QueryRowContext(b.t.Context(), `SELECT (SELECT COUNT(*) FROM limit_keys), (SELECT COUNT(*) FROM limit_calls)`).Scan(&keys, &calls))
	return keys, calls
}

// TestTakeFails: a store that cannot count says so, and one that is given up counts
// nothing.
func TestTakeFails(t *testing.T) {
	b := newBench(t)
	take := func(ctx context.Context) (int, error) {
		full, _, err := b.store.Take(ctx, time.Now, []limit.Limit{{Key: key("a"), Calls: 1, Per: time.Hour}})
		return full, err
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := take(over); err == nil {
		t.Error("counted though nobody waits for it")
	}
	if full, err := take(t.Context()); err != nil || full != limit.None {
		t.Errorf("%d, %v", full, err)
	}
	must(t, b.store.Close())
	if _, err := take(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Errorf("a closed store counts: %v", err)
	}
}

// BenchmarkTake is what one limited call costs.
func BenchmarkTake(b *testing.B) {
	for name, c := range counters(b) {
		for _, calls := range []int{10, 100_000} {
			b.Run(fmt.Sprint(name, "/", calls), func(b *testing.B) {
				at := noon
				limits := []limit.Limit{{Key: key(fmt.Sprint(calls)), Calls: calls, Per: time.Second}}
				for b.Loop() {
					if full, _, err := c.Take(b.Context(), func() time.Time { return at }, limits); err != nil || full != limit.None {
						b.Fatal(full, err)
					}
					at = at.Add(200 * time.Millisecond)
				}
			})
		}
	}
}
