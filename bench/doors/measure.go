package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// figures are what was found of one side with one number of clients.
type figures struct {
	rates []float64       // calls per second, by round
	times []time.Duration // of single calls, all rounds
	spent time.Duration   // of the processors, by the server
}

// key is one row of the report.
type key struct {
	side    string
	clients int
}

// found are all figures, and the sides in order.
type found struct {
	sides []*side
	by    map[key]*figures
}

// measure calls the sides in turn, each round beginning with another one. The
// first round, in which code gets warm, does not count.
func measure(sides []*side, opts *options) (*found, error) {
	f := &found{sides: sides, by: map[key]*figures{}}
	for round := range opts.rounds + 1 {
		for _, n := range opts.clients {
			for i := range sides {
				s := sides[(i+round)%len(sides)]
				own, err := turn(s, n, opts.turn)
				if err != nil {
					return nil, fmt.Errorf("%s, %d clients: %w", s.name, n, err)
				}
				if round > 0 {
					f.add(key{s.name, n}, own)
				}
			}
		}
	}
	for _, own := range f.by {
		slices.Sort(own.times)
	}
	return f, nil
}

func (f *found) add(k key, own *figures) {
	all := f.by[k]
	if all == nil {
		all = &figures{}
		f.by[k] = all
	}
	all.rates = append(all.rates, own.rates...)
	all.times = append(all.times, own.times...)
	all.spent += own.spent
}

// turn has so many clients call one side for a while.
func turn(s *side, clients int, length time.Duration) (*figures, error) {
	open, err := openAll(s, clients)
	defer closeAll(open)
	if err != nil {
		return nil, err
	}
	spent := s.server.processor()
	began := time.Now()
	f, err := callAll(open, began.Add(length))
	f.rates = []float64{float64(len(f.times)) / time.Since(began).Seconds()}
	f.spent = s.server.processor() - spent
	return f, err
}

// callAll calls with every client until the end.
func callAll(clients []*client, end time.Time) (*figures, error) {
	f := &figures{}
	var errs []error
	var mu sync.Mutex // guards f and errs
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			times, err := c.callUntil(end)
			mu.Lock()
			defer mu.Unlock()
			f.times = append(f.times, times...)
			errs = append(errs, err)
		})
	}
	all.Wait()
	return f, errors.Join(errs...)
}

func (c *client) callUntil(end time.Time) (times []time.Duration, err error) {
	for start := time.Now(); start.Before(end); {
		if err := c.call(); err != nil {
			return times, err
		}
		now := time.Now()
		times = append(times, now.Sub(start))
		start = now
	}
	return times, nil
}

// openAll opens the clients and has each call once: that is not measured.
func openAll(s *side, n int) (open []*client, err error) {
	for range n {
		c, err := s.open(s.server.address)
		if err != nil {
			return open, err
		}
		open = append(open, c)
		if err := c.call(); err != nil {
			return open, err
		}
	}
	return open, nil
}

func closeAll(open []*client) {
	for _, c := range open {
		if c.end != nil {
			_, _ = c.ask(c.end) // a server that keeps the session is its own harm
		}
		_ = c.conn.Close()
	}
}
