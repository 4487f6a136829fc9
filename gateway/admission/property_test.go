package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/admission"
)

// asked is one call in the model of a gate.
type asked struct {
	*visit
	key    string
	nested bool
}

// model is what a gate is meant to do, written down as plainly as possible.
type model struct {
	places int
	line   []asked
	inside []asked
	order  []string // names in the order they started
}

// settle starts, again and again from the front, the first that can start.
func (m *model) settle() {
	for {
		i := slices.IndexFunc(m.line, m.free)
		if i < 0 {
			return
		}
		m.inside, m.order = append(m.inside, m.line[i]), append(m.order, m.line[i].name)
		m.line = without(m.line, i)
	}
}

func (m *model) free(a asked) bool {
	taken := 0
	for _, b := range m.inside {
		if !b.nested {
			taken++
		}
		if a.key != "" && a.key == b.key {
			return false
		}
	}
	return a.nested || taken < m.places
}

// TestAgainstModel drives a gate and the model with the same random steps.
func TestAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range 60 {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		m := &model{places: 1 + rng.IntN(3)}
		bubble(t, admission.Options{Running: m.places, Longest: time.Hour}, func(_ *testing.T, d *desk) {
			for step := range 80 {
				m.step(d, rng, fmt.Sprintf("%d.%d", round, step))
				m.check(d)
			}
			for len(m.inside)+len(m.line) > 0 {
				m.leave(rng)
				m.settle()
				m.check(d)
			}
		})
	}
}

// step lets one call come, leave or give up.
func (m *model) step(d *desk, rng *rand.Rand, name string) {
	switch n := rng.IntN(10); {
	case n < 5:
		a := asked{key: []string{"", "a", "b"}[rng.IntN(3)], nested: rng.IntN(4) == 0}
		a.visit = d.enter(d.t.Context(), name, a.key, a.nested)
		m.line = append(m.line, a)
	case n < 8 && len(m.inside) > 0:
		m.leave(rng)
	case len(m.line) > 0:
		i := rng.IntN(len(m.line))
		m.line[i].cancel(nil)
		m.line = without(m.line, i)
	}
	m.settle()
}

func (m *model) leave(rng *rand.Rand) {
	i := rng.IntN(len(m.inside))
	m.inside[i].leave()
	m.inside = without(m.inside, i)
}

// check compares who started since the last step, in any order, since those
// that start at once are noted by goroutines of their own.
func (m *model) check(d *desk) {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.started)
	slices.Sort(m.order)
	if !slices.Equal(m.order, d.started) {
		d.t.Fatalf("started %q, want %q", d.started, m.order)
	}
	d.started, m.order = nil, nil
}

// TestHammer holds the limits with many goroutines that come, give up and
// leave at any moment.
func TestHammer(t *testing.T) {
	const places, keys, callers, calls = 3, 4, 24, 200
	gate := admission.New(admission.Options{Running: places, Waiting: 16, WaitingPerKey: 8, Longest: 5 * time.Millisecond})
	var running, entered, refused atomic.Int64
	var holders [keys]atomic.Int64
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(caller)))
			for range calls {
				k := rng.IntN(2 * keys)
				key := ""
				if k < keys {
					key = fmt.Sprint(k)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(3000))*time.Microsecond)
				_, leave, err := gate.Enter(ctx, key, false)
				if err != nil {
					refused.Add(1)
					leave()
					cancel()
					continue
				}
				entered.Add(1)
				if n := running.Add(1); n > places {
					t.Errorf("%d run at a time", n)
				}
				if key != "" && holders[k].Add(1) > 1 {
					t.Errorf("two hold key %s", key)
				}
				runtime.Gosched()
				if key != "" {
					holders[k].Add(-1)
				}
				running.Add(-1)
				leave()
				cancel()
			}
		})
	}
	group.Wait()
	if r, w := gate.Load(); r != 0 || w != 0 || gate.Keys() != 0 {
		t.Errorf("%d run, %d wait, %d keys are left", r, w, gate.Keys())
	}
	t.Logf("%d entered, %d refused", entered.Load(), refused.Load())
}

// BenchmarkEnter is the cost of the gate where nobody waits.
func BenchmarkEnter(b *testing.B) {
	for _, c := range []struct {
		name, key string
		nested    bool
	}{{"place", "", false}, {"key", "disk", false}, {"nested", "", true}, {"nested key", "disk", true}} {
		b.Run(c.name, func(b *testing.B) {
			gate, ctx := admission.New(admission.Options{}), b.Context()
			b.ReportAllocs()
			for b.Loop() {
				_, leave, err := gate.Enter(ctx, c.key, c.nested)
				if err != nil {
					b.Fatal(err)
				}
				leave()
			}
		})
	}
}
