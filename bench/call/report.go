package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// tally is what was measured of one side.
type tally struct {
	alone   []time.Duration // of each call with one caller
	calls   int             // with all callers
	took    time.Duration   // these
	spent   time.Duration   // of the processors, by these
	objects uint64          // allocated, by these
	bytes   uint64          // allocated, by these
}

// report measures both sides and prints what it found.
func report(direct, gated func() error, rounds int, rows *row.File) error {
	sides := [2]func() error{direct, gated}
	var found [2]tally
	for round := range rounds + 1 {
		for i := range sides {
			side := (i + round) % 2 // neither is always the first
			own, err := both(sides[side])
			if err != nil {
				return err
			}
			if round > 0 { // connections are opened then, code is warm
				found[side].add(&own)
			}
		}
	}
	found[0].print(&found[1], rows)
	return nil
}

func (t *tally) add(more *tally) {
	t.alone = append(t.alone, more.alone...)
	t.calls += more.calls
	t.took += more.took
	t.spent += more.spent
	t.objects += more.objects
	t.bytes += more.bytes
}

// print prints the direct side, the gateway's and their ratio.
func (t *tally) print(ours *tally, rows *row.File) {
	show := func(name, unit, format string, of func(*tally) float64) {
		a, b := of(t), of(ours)
		fmt.Printf("%-38s %12s %12s %8.2f\n", name, fmt.Sprintf(format, a), fmt.Sprintf(format, b), b/a)
		rows.Add(row.Row{Bench: "call", What: name, Ours: b, Reference: a, Unit: unit, Note: "the same request without a gateway"})
	}
	each := func(total func(*tally) float64) func(*tally) float64 {
		return func(t *tally) float64 { return total(t) / float64(t.calls) }
	}
	fmt.Printf("%-38s %12s %12s %8s\n", "", "direct", "gateway", "ratio")
	show("median time, 1 caller", "µs p50", "%.1fµs", func(t *tally) float64 { return micros(t.quantile(50)) })
	show("99th percentile, 1 caller", "µs p99", "%.1fµs", func(t *tally) float64 { return micros(t.quantile(99)) })
	show(fmt.Sprintf("calls per second, %d callers", callers), "calls/s", "%.0f", func(t *tally) float64 { return float64(t.calls) / t.took.Seconds() })
	show("processor time of a call", "µs", "%.1fµs", each(func(t *tally) float64 { return micros(t.spent) }))
	show("allocations of a call", "allocations", "%.0f", each(func(t *tally) float64 { return float64(t.objects) }))
	show("bytes allocated for a call", "bytes", "%.0f", each(func(t *tally) float64 { return float64(t.bytes) }))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func (t *tally) quantile(percent int) time.Duration {
	slices.Sort(t.alone)
	return t.alone[len(t.alone)*percent/100]
}

// both calls for one turn with one caller and for one with all of them.
func both(call func() error) (t tally, err error) {
	if t.alone, _, err = measure(call, 1); err != nil {
		return t, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	spent := processor()
	all, took, err := measure(call, callers)
	t.calls, t.took, t.spent = len(all), took, processor()-spent
	runtime.ReadMemStats(&after)
	t.objects, t.bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	return t, err
}

// processor is the time that this process has had of the processors; the
// upstream, a process of its own, is not in it.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure calls for one turn, with so many callers at once, and gives how long
// each call took and how long it all took.
func measure(call func() error, callers int) (times []time.Duration, took time.Duration, err error) {
	var mu sync.Mutex // guards times and err
	var all sync.WaitGroup
	began := time.Now()
	for range callers {
		all.Go(func() {
			var own []time.Duration
			var failed error
			for time.Since(began) < turn && failed == nil {
				start := time.Now()
				failed = call()
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
			if failed != nil {
				err = failed
			}
		})
	}
	all.Wait()
	return times, time.Since(began), err
}
