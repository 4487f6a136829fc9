package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	crowd     = 64                    // callers
	loopLimit = 2 * time.Second       // how long a program may run in this part
	pause     = 20 * time.Millisecond // of a good caller between two calls
	calm      = 5 * time.Second       // length of the time without loops
	endless   = "while True: pass"
)

// waits are what became of the programs of a crowd.
type waits struct {
	mu      sync.Mutex // guards what follows
	good    []wait
	refused int           // calls that were answered that too many wait
	ended   int           // loops that were ended at the limit
	seen    map[int]bool  // callers whose loop was
	known   time.Duration // when that was so of each of them; 0 is not
}

// wait is one good program: when it was sent, and how long it took.
type wait struct{ at, took time.Duration }

// loadPart measures how long the good programs of one half of the callers take while
// those of the other half never end by themselves; beside all of them being good.
func loadPart(ctx context.Context, o *options) error {
	h, err := openHouse(ctx, o, loopLimit)
	if err != nil {
		return err
	}
	defer h.close()
	if err := h.call(ctx, "first", "pass"); err != nil {
		return err
	}
	good, err := crowded(ctx, h, 0, min(calm, o.load))
	if err != nil {
		return err
	}
	mixed, err := crowded(ctx, h, crowd/2, o.load)
	if err != nil {
		return err
	}
	reportLoad(o, good, mixed)
	return nil
}

// crowded has a crowd call for a time, so many of them with endless loops.
func crowded(ctx context.Context, h *house, loops int, length time.Duration) (*waits, error) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	w := &waits{seen: map[int]bool{}}
	began := time.Now()
	_, _, err := callAll(ctx, crowd, began.Add(length), func(ctx context.Context, caller int) error {
		code := "print(1)"
		if caller < loops {
			code = endless
		}
		sent := time.Now()
		err := h.call(ctx, fmt.Sprint(caller), code)
		if ctx.Err() != nil {
			return nil // the time is up
		}
		w.note(caller, loops, wait{sent.Sub(began), time.Since(sent)}, time.Since(began), &err)
		if err == nil && caller >= loops {
			time.Sleep(pause)
		}
		return err
	})
	return w, err
}

// note notes a call that has ended. What has to be expected is no error.
func (w *waits) note(caller, loops int, own wait, now time.Duration, err *error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code := tool.Code("")
	if e, ok := errors.AsType[*tool.Error](*err); ok {
		code = e.Code
	}
	switch {
	case code == tool.Overloaded:
		w.refused++
		*err = nil
	case code == tool.Timeout && caller < loops:
		w.ended++
		if w.seen[caller] = true; len(w.seen) == loops && w.known == 0 {
			w.known = now
		}
		*err = nil
	case *err == nil && caller >= loops:
		w.good = append(w.good, own)
	}
}

func reportLoad(o *options, good, mixed *waits) {
	fmt.Printf("print(1) of each good caller, with %v between; programs may run %v; %d interpreters\n", pause, loopLimit, interpreters)
	fmt.Printf("%-36s %9s %11s %11s %11s %7s\n", "", "p50 ratio", "p50", "p90", "max", "calls")
	var before, after []wait
	for _, one := range mixed.good {
		if mixed.known > 0 && one.at > mixed.known {
			after = append(after, one)
		} else {
			before = append(before, one)
		}
	}
	base := reportWaits(fmt.Sprintf("%d good callers", crowd), good.good, 0)
	for _, m := range []struct {
		loops string
		waits []wait
	}{{"none known", before}, {"all known", after}} {
		name := fmt.Sprintf("%d good, %d loops, %s", crowd/2, crowd/2, m.loops)
		own, what := reportWaits(name, m.waits, base), name+", p50 of the good"
		if len(m.waits) == 0 {
			o.add("load", what, "no good call ended in this time", 0, 0)
			continue
		}
		o.add("load", what, fmt.Sprintf("%d good callers", crowd), own, base)
	}
	when := "not in this time"
	if mixed.known > 0 {
		when = fmt.Sprintf("after %.1f s", mixed.known.Seconds())
	}
	fmt.Printf("each caller of loops had been ended once: %s; %d loops were ended, %d calls refused\n", when, mixed.ended, good.refused+mixed.refused)
}

// reportWaits prints a line, with the ratio to a median where there is one, and gives its
// own median.
func reportWaits(name string, all []wait, base time.Duration) time.Duration {
	if len(all) == 0 {
		fmt.Printf("%-36s no call\n", name)
		return base
	}
	took := make([]time.Duration, len(all))
	for i := range all {
		took[i] = all[i].took
	}
	slices.Sort(took)
	own := quantile(took, 50)
	fmt.Printf("%-36s %9s %8.2f ms %8.2f ms %8.2f ms %7d\n", name, ratio(own, cmp.Or(base, own)), millis(own), millis(quantile(took, 90)), millis(took[len(took)-1]), len(took))
	return own
}
