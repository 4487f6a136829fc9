package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// pyodide is Pyodide on Node, and what it said.
type pyodide struct {
	version string
	load    []time.Duration // of the interpreter
	first   []time.Duration // print(1) behind it
	best    []time.Duration // of each program
	gone    error           // why it is not measured
}

// errNoPyodide is that it is not there.
var errNoPyodide = errors.New("not measured: it needs Node, and npm ci in bench/python/pyodide")

// round starts it and runs each program once.
func (p *pyodide) round(ctx context.Context) error {
	texts := make([]string, len(works))
	for i := range works {
		texts[i] = works[i].code
	}
	r, err := runPyodide(ctx, texts)
	if errors.Is(err, errNoPyodide) {
		p.gone = err
		return nil
	}
	if err != nil {
		return err
	}
	p.version = r.Version
	p.load = append(p.load, time.Duration(r.Load*float64(time.Millisecond)))
	p.first = append(p.first, time.Duration(r.First*float64(time.Millisecond)))
	for i, s := range r.Seconds {
		p.best = keep(p.best, i, time.Duration(s*float64(time.Second)))
	}
	return nil
}

// ran is what run.mjs says of programs.
type ran struct {
	Version string    `json:"version"`
	Load    float64   `json:"load"`  // ms
	First   float64   `json:"first"` // ms
	Seconds []float64 `json:"seconds"`
}

func runPyodide(ctx context.Context, programs []string) (*ran, error) {
	const folder = "bench/python/pyodide" // from the top of the checkout
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		return nil, errNoPyodide
	}
	input, err := json.Marshal(programs)
	if err != nil {
		return nil, err
	}
	node := exec.CommandContext(ctx, "node", "run.mjs")
	node.Dir, node.Stdin, node.Stderr = folder, bytes.NewReader(input), os.Stderr
	out, err := node.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errNoPyodide
	}
	if err != nil {
		return nil, err
	}
	r := &ran{}
	return r, json.Unmarshal(out, r)
}
