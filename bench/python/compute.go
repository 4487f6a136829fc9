package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// rounds is how often each program is run by each side; the quickest counts.
const rounds = 3

// script prints the number that is the last line of a program.
func script(w work) string {
	lines := strings.Split(w.code, "\n")
	last := len(lines) - 1
	lines[last] = "print(" + lines[last] + ")"
	return strings.Join(lines, "\n")
}

// seconds reads what a script has printed.
func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return time.Duration(n * float64(time.Second)), err
}

// native runs a program in the machine's own Python.
func native(ctx context.Context, w work) (time.Duration, error) {
	out, err := exec.CommandContext(ctx, "python3", "-I", "-c", script(w)).Output()
	if err != nil {
		return 0, err
	}
	return seconds(string(out))
}

// plain is the module started for each program, as wazero runs one: without the
// snapshots, the processes and the driver.
type plain struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// newPlain compiles the module. With check it ends with its context, by a check in every
// loop and at every call.
func newPlain(ctx context.Context, module []byte, cache string, check bool) (*plain, error) {
	kept, err := wazero.NewCompilationCacheWithDir(cache)
	if err != nil {
		return nil, err
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithCloseOnContextDone(check).WithDebugInfoEnabled(false).WithCompilationCache(kept))
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	code, err := r.CompileModule(experimental.WithCompilationWorkers(ctx, 8), module)
	return &plain{r, code}, err
}

func (p *plain) run(ctx context.Context, code string) (string, error) {
	var out, trouble bytes.Buffer
	instance, err := p.runtime.InstantiateModule(ctx, p.code, wazero.NewModuleConfig().WithName("").
		WithArgs("python", "-I", "-c", code).WithStdout(&out).WithStderr(&trouble).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep())
	if instance != nil {
		_ = instance.Close(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, &trouble)
	}
	return out.String(), nil
}

func (p *plain) compute(ctx context.Context, w work) (time.Duration, error) {
	out, err := p.run(ctx, script(w))
	if err != nil {
		return 0, err
	}
	return seconds(out)
}

// pyodide is what Pyodide on Node says of all programs.
type pyodide struct {
	Version string    `json:"version"`
	Load    float64   `json:"load"`  // ms
	First   float64   `json:"first"` // ms
	Seconds []float64 `json:"seconds"`
}

// errNoPyodide is that it was not installed.
var errNoPyodide = errors.New("not measured: cd bench/python/pyodide && npm ci")

func runPyodide(ctx context.Context) (*pyodide, error) {
	const folder = "bench/python/pyodide"
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		return nil, errNoPyodide
	}
	texts := make([]string, len(works))
	for i, w := range works {
		texts[i] = w.code
	}
	input, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	node := exec.CommandContext(ctx, "node", "run.mjs")
	node.Dir, node.Stdin, node.Stderr = folder, bytes.NewReader(input), os.Stderr
	out, err := node.Output()
	if err != nil {
		return nil, err
	}
	p := &pyodide{}
	return p, json.Unmarshal(out, p)
}
