package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// plain is the module as wazero runs one, started for each program: without a process that
// waits, and without a driver.
type plain struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	code    wazero.CompiledModule
	library string // folder; empty where the module has it
	took    time.Duration
}

// newPlain loads the module's code, or compiles it. With check a program ends with its
// context, by a check in every loop and at every call.
func newPlain(ctx context.Context, python *cpython.Runtime, check bool) (*plain, error) {
	module, err := os.ReadFile(python.Module)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	p := &plain{library: python.Library}
	config := wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(check).WithDebugInfoEnabled(false)
	if python.Compiled != "" && !check { // nobody else wants what is compiled with checks
		if p.cache, err = wazero.NewCompilationCacheWithDir(python.Compiled); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(p.cache)
	}
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, p.runtime); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	p.code, err = p.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.NumCPU()), module)
	if err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	p.took = time.Since(began)
	return p, nil
}

func (p *plain) close(ctx context.Context) error {
	err := p.runtime.Close(ctx)
	if p.cache != nil {
		err = errors.Join(err, p.cache.Close(ctx))
	}
	return err
}

// run starts the module for a program and gives what it has printed.
func (p *plain) run(ctx context.Context, code string) (string, error) {
	var out, trouble bytes.Buffer
	files := wazero.NewFSConfig()
	if p.library != "" {
		files = files.WithReadOnlyDirMount(p.library, "/lib").WithReadOnlyDirMount(p.library, "/usr/local/lib")
	}
	instance, err := p.runtime.InstantiateModule(ctx, p.code, wazero.NewModuleConfig().WithName("").
		WithArgs("python", "-I", "-c", code).WithStdout(&out).WithStderr(&trouble).WithFSConfig(files).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime().WithSysNanosleep())
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, &trouble)
	}
	return strings.TrimSpace(out.String()), instance.Close(ctx)
}

// printOne runs print(1) and says how long that took.
func (p *plain) printOne(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	out, err := p.run(ctx, "print(1)")
	if err == nil && out != "1" {
		err = fmt.Errorf("print(1) printed %q", out)
	}
	return time.Since(began), err
}
