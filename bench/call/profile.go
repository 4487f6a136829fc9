package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// profiles are those to be made of the gateway's side.
type profiles struct {
	cpu, memory string // files; empty for none
	callers     int
}

func (p *profiles) wanted() bool { return p.cpu != "" || p.memory != "" }

// prepare makes the profile of allocations hold every one.
func (p *profiles) prepare() {
	if p.memory != "" {
		runtime.MemProfileRate = 1
	}
}

// make calls, as often as a report would, and writes the profiles.
func (p *profiles) make(call func() error) (err error) {
	if p.cpu != "" {
		f, err := os.Create(p.cpu)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for range rounds {
		if _, _, err := measure(call, p.callers); err != nil {
			return err
		}
	}
	if p.memory == "" {
		return nil
	}
	f, err := os.Create(p.memory)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
