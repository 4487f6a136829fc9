package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// side is one way to run the programs that compute.
type side struct {
	name string
	run  func(ctx context.Context, w *work) (time.Duration, error)
	best []time.Duration // of each program
	gone error           // why it is not measured
}

// computePart measures each program by its own clock, on each side.
func computePart(ctx context.Context, o *options) (err error) {
	checked, err := newPlain(ctx, o.python, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checked.close(ctx)) }()
	argv, err := command(o.python, o.python.Compiled)
	if err != nil {
		return err
	}
	c, err := spawn(argv)
	if err != nil {
		return err
	}
	defer c.close()
	printed := func(run func(context.Context, string) (string, error)) func(context.Context, *work) (time.Duration, error) {
		return func(ctx context.Context, w *work) (time.Duration, error) {
			out, err := run(ctx, w.script())
			if err != nil {
				return 0, err
			}
			return seconds(out)
		}
	}
	sides := []*side{
		{name: "native", run: printed(native)},
		{name: "interpreter", run: func(_ context.Context, w *work) (time.Duration, error) { return c.seconds(w.code) }},
		{name: "with check", run: printed(checked.run)},
	}
	var other pyodide
	for range o.rounds {
		if err := computeAll(ctx, sides); err != nil {
			return err
		}
		if err := other.round(ctx); err != nil {
			return err
		}
	}
	reportCompute(sides, &other)
	addCompute(o, sides, &other)
	return nil
}

// seconds reads what a program says of its time.
func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return time.Duration(n * float64(time.Second)), err
}

// computeAll runs each program once on each side.
func computeAll(ctx context.Context, sides []*side) error {
	for i := range works {
		for _, s := range sides {
			if s.gone != nil {
				continue
			}
			took, err := s.run(ctx, &works[i])
			if errors.Is(err, exec.ErrNotFound) {
				s.gone = err
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", works[i].name, s.name, err)
			}
			s.best = keep(s.best, i, took)
		}
	}
	return nil
}

// keep keeps the quickest of a program.
func keep(best []time.Duration, i int, took time.Duration) []time.Duration {
	if i == len(best) {
		return append(best, took)
	}
	best[i] = min(best[i], took)
	return best
}

// addCompute adds each program beside what there is to compare with.
func addCompute(o *options, sides []*side, other *pyodide) {
	own := sides[1]
	for i := range works {
		for _, s := range []*side{sides[0], {name: "Pyodide", best: other.best, gone: other.gone}} {
			if s.gone == nil {
				o.add("compute", works[i].name+", beside "+s.name, s.name, own.best[i], s.best[i])
			}
		}
	}
}

func reportCompute(sides []*side, other *pyodide) {
	all := append(sides[:len(sides):len(sides)], &side{name: "Pyodide", best: other.best, gone: other.gone})
	base := all[0]
	if base.gone != nil {
		base = all[1]
	}
	fmt.Printf("ratios to %s, and milliseconds\n%-44s", base.name, "")
	for _, s := range all {
		fmt.Printf(" %18s", s.name)
	}
	fmt.Println()
	for i := range works {
		fmt.Printf("%-44s", works[i].name)
		for _, s := range all {
			if s.gone != nil {
				fmt.Printf(" %18s", "-")
				continue
			}
			fmt.Printf(" %8.1f %9.1f", float64(s.best[i])/float64(base.best[i]), millis(s.best[i]))
		}
		fmt.Println()
	}
	for _, s := range all {
		if s.gone != nil {
			fmt.Printf("%s: %v\n", s.name, s.gone)
		}
	}
	if other.gone == nil {
		fmt.Printf("Pyodide %s: load %.0f ms, first print(1) %.1f ms\n",
			other.version, millis(median(other.load)), millis(median(other.first)))
	}
}
