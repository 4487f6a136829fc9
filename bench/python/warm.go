package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"sync"
	"time"
)

// warmPrograms are what is called.
var warmPrograms = []struct{ name, code string }{
	{"pass", "pass"},
	{"print(1)", "print(1)"},
	{"json there and back", "import json\njson.loads(json.dumps({'name': 'Ada', 'numbers': [1, 2.5, None, True]}))"},
}

// warmCallers are how many call at once.
var warmCallers = []int{1, 8, 64}

// warmRow is what was measured of one program at one number of callers.
type warmRow struct {
	program, callers int
	took             []time.Duration
	length           time.Duration
}

// warmPart measures calls of the tool, and in turn with them the module started for
// print(1).
func warmPart(ctx context.Context, o *options) (err error) {
	p, err := newPlain(ctx, o.python, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	h, err := openHouse(ctx, o, 0)
	if err != nil {
		return err
	}
	defer h.close()
	var rows []*warmRow
	for program := range warmPrograms {
		for _, n := range warmCallers {
			rows = append(rows, &warmRow{program: program, callers: n})
		}
	}
	var cold []time.Duration
	for turn := range o.turns + 1 {
		took, err := p.printOne(ctx)
		if err != nil {
			return err
		}
		if err := profiled(o.profile, turn, func() error { return eachRow(ctx, o, h, rows, turn) }); err != nil {
			return err
		}
		if turn > 0 { // everything is warm then
			cold = append(cold, took)
		}
	}
	reportWarm(rows, cold)
	addWarm(o, rows, cold)
	return nil
}

// profiled makes a profile of the last but one of the turns.
func profiled(file string, turn int, do func() error) (err error) {
	if file == "" || turn != 1 {
		return do()
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return do()
}

func eachRow(ctx context.Context, o *options, h *house, rows []*warmRow, turn int) error {
	for _, r := range rows {
		took, length, err := callAll(ctx, r.callers, time.Now().Add(o.turn), func(ctx context.Context, caller int) error {
			return h.call(ctx, fmt.Sprint(caller), warmPrograms[r.program].code)
		})
		if err != nil {
			return err
		}
		if turn > 0 {
			r.took = append(r.took, took...)
			r.length += length
		}
	}
	return nil
}

// callAll has so many callers call until a time, and gives how long each call took and
// how long it all did.
func callAll(ctx context.Context, callers int, until time.Time, call func(ctx context.Context, caller int) error) (took []time.Duration, length time.Duration, err error) {
	var mu sync.Mutex // guards took and err
	var all sync.WaitGroup
	began := time.Now()
	for caller := range callers {
		all.Go(func() {
			var own []time.Duration
			var failed error
			for time.Now().Before(until) && failed == nil {
				start := time.Now()
				failed = call(ctx, caller)
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
			err = errors.Join(err, failed)
		})
	}
	all.Wait()
	return took, time.Since(began), err
}

// addWarm adds each row; reportWarm has sorted it.
func addWarm(o *options, rows []*warmRow, cold []time.Duration) {
	for _, r := range rows {
		o.add("warm", fmt.Sprintf("%s, p50 of %d callers", warmPrograms[r.program].name, r.callers), "the module started by wazero for print(1)", quantile(r.took, 50), median(cold))
	}
}

func reportWarm(rows []*warmRow, cold []time.Duration) {
	base := median(cold)
	slices.Sort(cold)
	fmt.Printf("%-22s %8s %10s %10s %10s %10s %10s\n", "", "callers", "p50/cold", "p50", "p90", "p99", "calls/s")
	fmt.Printf("%-22s %8d %10s %7.2f ms %7.2f ms %7.2f ms %10.1f\n", "cold print(1), wazero", 1, "1", millis(base), millis(quantile(cold, 90)), millis(quantile(cold, 99)), 1000/millis(base))
	for _, r := range rows {
		slices.Sort(r.took)
		fmt.Printf("%-22s %8d %10s %7.2f ms %7.2f ms %7.2f ms %10.0f\n", warmPrograms[r.program].name, r.callers, ratio(quantile(r.took, 50), base),
			millis(quantile(r.took, 50)), millis(quantile(r.took, 90)), millis(quantile(r.took, 99)), float64(len(r.took))/r.length.Seconds())
	}
}
