package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// side is one way to decide by the rules.
type side struct {
	name    string
	compile func() error                   // reads the rules again, by themselves
	against func() error                   // reads them again and checks them against all tools; nil where there is no such thing
	decide  func(i int) (bool, error)      // whether request i is allowed
	list    func(c caller) ([]bool, error) // which tools a caller is shown; nil where there is no such thing
}

// openSides makes ours first.
func openSides(m *material) ([]*side, error) {
	var out []*side
	for _, open := range []func(*material) (*side, error){ours, bare, byCedar} {
		s, err := open(m)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// agree holds what the sides decide and list against each other.
func agree(m *material, sides []*side) error {
	for i := range m.requests {
		r := &m.requests[i]
		want, err := sides[0].decide(i)
		if err != nil {
			return fmt.Errorf("%s: %w", sides[0].name, err)
		}
		for _, s := range sides[1:] {
			if got, err := s.decide(i); err != nil || got != want {
				return fmt.Errorf("%s decides %t (error: %v) and %s %t about %s by %s with %+v", s.name, got, err, sides[0].name, want, r.tool.name, r.caller.name, r.args)
			}
		}
	}
	for _, c := range callers() {
		want, err := sides[0].list(c)
		if err != nil {
			return fmt.Errorf("%s: %w", sides[0].name, err)
		}
		if got, err := sides[1].list(c); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("%s and %s list different tools for %s (error: %v)", sides[1].name, sides[0].name, c.name, err)
		}
	}
	return nil
}

// sample is what was measured of one side.
type sample struct {
	each   time.Duration // by one decision, list or compilation
	rate   float64       // of them in a second
	allocs float64       // by one
}

// inTurn measures every side in turn and keeps the quickest of each, which other programs
// disturbed least.
func inTurn(sides []*side, opts *options, one func(*side) (sample, error)) ([]sample, error) {
	best := make([]sample, len(sides))
	for round := range opts.rounds {
		for k := range sides {
			i := (k + round) % len(sides) // none is always the first
			got, err := one(sides[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", sides[i].name, err)
			}
			if got.rate > best[i].rate {
				best[i] = got
			}
		}
	}
	return best, nil
}

// repeat does something for a time, of which one run does so many.
func repeat(turn time.Duration, many int, do func() error) (sample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, runs := time.Now(), 0
	for runs == 0 || time.Since(began) < turn {
		if err := do(); err != nil {
			return sample{}, err
		}
		runs += many
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return sample{
		each:   took / time.Duration(runs),
		rate:   float64(runs) / took.Seconds(),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(runs),
	}, nil
}

// decide decides about all requests again and again; the clock is looked at seldom.
func decide(s *side, turn time.Duration) (sample, error) {
	const together = 16
	next := 0
	return repeat(turn, together, func() error {
		for range together {
			if _, err := s.decide(next % asked); err != nil {
				return err
			}
			next++
		}
		return nil
	})
}

// decideTogether decides on all processors.
func decideTogether(s *side, turn time.Duration) (sample, error) {
	var mu sync.Mutex // guards all and failed
	var all sample
	var failed error
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			own, err := decide(s, turn)
			mu.Lock()
			defer mu.Unlock()
			all.rate += own.rate
			all.each = max(all.each, own.each)
			if err != nil {
				failed = err
			}
		})
	}
	group.Wait()
	return all, failed
}

// list lists the tools for each caller.
func list(s *side, turn time.Duration) (sample, error) {
	return repeat(turn, len(callers()), func() error {
		for _, c := range callers() {
			if _, err := s.list(c); err != nil {
				return err
			}
		}
		return nil
	})
}
