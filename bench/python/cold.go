package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// native runs a program in the machine's own Python and gives what it has printed.
func native(ctx context.Context, code string) (string, error) {
	out, err := exec.CommandContext(ctx, "python3", "-I", "-c", code).Output()
	return string(out), err
}

// starter is one way to come to a program that has run.
type starter struct {
	name  string
	start func() (time.Duration, error)
	took  []time.Duration
	gone  error // why it is not measured
}

// coldPart compares what it costs to run print(1) where nothing waits for it.
func coldPart(ctx context.Context, o *options) (err error) {
	p, err := newPlain(ctx, o.python, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	argv, err := command(o.python, o.python.Compiled)
	if err != nil {
		return err
	}
	c, err := spawn(argv)
	if err != nil {
		return err
	}
	defer c.close()
	all := []*starter{
		{name: "module started by wazero", start: func() (time.Duration, error) { return p.printOne(ctx) }},
		{name: "interpreter process, a call", start: func() (time.Duration, error) { return timed(func() error { return c.run("print(1)") }) }},
		{name: "native python3 -c", start: func() (time.Duration, error) {
			return timed(func() error { _, err := native(ctx, "print(1)"); return err })
		}},
	}
	if err := startAll(all, o.starts); err != nil {
		return err
	}
	fmt.Printf("print(1), where the module's code is loaded already, which took %.0f ms\n", millis(p.took))
	reportStarts(all)
	o.add("cold", "print(1), a call of an interpreter process", "the module started by wazero for it", median(all[1].took), median(all[0].took))
	if native := all[2]; native.gone == nil {
		o.add("cold", "print(1), a call of an interpreter process, beside python3", "native python3 -c", median(all[1].took), median(native.took))
	}
	return nil
}

// timed is how long something takes.
func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

// startAll starts everything in turns. The first round does not count: it brings files
// into memory. What is not on this machine is left out.
func startAll(all []*starter, rounds int) error {
	for round := range rounds + 1 {
		for _, s := range all {
			if s.gone != nil {
				continue
			}
			took, err := s.start()
			if errors.Is(err, exec.ErrNotFound) || errors.Is(err, errNoPyodide) {
				s.gone = err
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				s.took = append(s.took, took)
			}
		}
	}
	return nil
}

// reportStarts prints ratios to the first, which has been measured.
func reportStarts(all []*starter) {
	base := median(all[0].took)
	fmt.Printf("%-36s %10s %12s\n", "", "ratio", "p50")
	for _, s := range all {
		if s.gone != nil {
			fmt.Printf("%-36s %v\n", s.name, s.gone)
			continue
		}
		own := median(s.took)
		fmt.Printf("%-36s %10s %9.2f ms\n", s.name, ratio(own, base), millis(own))
	}
}

// ratio is a time as a part or a multiple of another.
func ratio(own, base time.Duration) string {
	if own < base {
		return fmt.Sprintf("1/%.1f", float64(base)/float64(own))
	}
	return fmt.Sprintf("%.2f", float64(own)/float64(base))
}

// readyPart compares starts of interpreter processes with one of the module.
func readyPart(ctx context.Context, o *options) (err error) {
	p, err := newPlain(ctx, o.python, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	var hello child // of the last one from code that is there
	all := []*starter{
		{name: "module started by wazero", start: func() (time.Duration, error) { return p.printOne(ctx) }},
		{name: "process, code compiled before", start: func() (time.Duration, error) {
			took, err := ready(o.python, o.python.Compiled, &hello)
			return took, err
		}},
	}
	if err := startAll(all, o.starts); err != nil {
		return err
	}
	first := child{}
	took, err := compiling(o.python, &first)
	if err != nil {
		return err
	}
	all = append(all, &starter{name: "process, nothing compiled (once)", took: []time.Duration{took}})
	reportStarts(all)
	o.add("ready", "start of a process, code compiled before", "the module started by wazero", median(all[1].took), median(all[0].took))
	o.add("ready", "start of a process, nothing compiled", "the module started by wazero, its code loaded", took, median(all[0].took))
	for i, c := range []*child{&hello, &first} {
		fmt.Printf("%-36s code %.0f ms, start of Python %.0f ms, process %.0f ms\n", "  "+all[i+1].name,
			millis(c.hello.Loaded), millis(c.hello.Started), millis(c.took-c.hello.Loaded-c.hello.Started))
	}
	fmt.Printf("held by %v, without %v\n", hello.hello.Held, hello.hello.Missing)
	return nil
}

// ready starts a process, notes what it says, and ends it.
func ready(r *cpython.Runtime, compiled string, note *child) (time.Duration, error) {
	argv, err := command(r, compiled)
	if err != nil {
		return 0, err
	}
	c, err := spawn(argv)
	if err != nil {
		return 0, err
	}
	c.close()
	note.hello, note.took = c.hello, c.took
	return c.took, nil
}

// compiling starts a process that has to compile.
func compiling(r *cpython.Runtime, note *child) (took time.Duration, err error) {
	empty, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(empty)) }()
	return ready(r, empty, note)
}
