package wasm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// PageSize is the unit of a module's memory, in bytes (WebAssembly Core
// Specification 2.0, section 4.2.8).
const PageSize = 64 << 10

// Options are how modules are compiled.
type Options struct {
	// Cache is the folder of machine code that was compiled earlier, and where new code
	// is put; it is made where it is not there. It has to be out of reach for
	// everybody else: what is in it is run. Empty keeps nothing.
	Cache string
	// Workers is how many processors compile; less than 1 is 1.
	Workers int
	// Memory is the most memory that an instance may have, in bytes, rounded down
	// to whole pages; 0 is all that a module can address, 4 GiB.
	Memory uint64
}

// Compiled is a module that can be started in this process.
type Compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	cache   wazero.CompilationCache
	runsOn  atomic.Bool // a run that nothing can stop
}

// Compile compiles a module for this machine, or takes it from the cache, where it
// is found by the module's bytes, the engine's version and the processor's features.
// A module that is not valid is an error of the engine's words.
func Compile(ctx context.Context, module []byte, o Options) (*Compiled, error) {
	config := wazero.NewRuntimeConfigCompiler().
		WithDebugInfoEnabled(false) // or loading takes seconds: the map of sources is read by eight bytes
	if o.Memory > 0 {
		config = config.WithMemoryLimitPages(uint32(min(o.Memory/PageSize, 1<<16)))
	}
	c := &Compiled{}
	if o.Cache != "" {
		var err error
		if c.cache, err = wazero.NewCompilationCacheWithDir(o.Cache); err != nil {
			return nil, fmt.Errorf("the folder of compiled code: %w", err)
		}
		config = config.WithCompilationCache(c.cache)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	var err error
	c.module, err = c.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, o.Workers), module)
	if err == nil {
		return c, nil
	}
	_ = c.Close(ctx) // there is nothing in it
	if o.Cache != "" && strings.HasPrefix(err.Error(), damaged) {
		return afresh(ctx, module, o)
	}
	return nil, err
}

// damaged begins wazero's error about a file of its cache that is not as it was written.
const damaged = "compilationcache:"

// afresh compiles where what the cache has is damaged: with an empty one, or without one
// where it cannot be emptied.
func afresh(ctx context.Context, module []byte, o Options) (*Compiled, error) {
	kept, err := filepath.Glob(filepath.Join(o.Cache, "wazero-*"))
	for _, folder := range kept {
		if err == nil {
			err = os.RemoveAll(folder)
		}
	}
	if err != nil || len(kept) == 0 {
		o.Cache = ""
	}
	return Compile(ctx, module, o)
}

// Close frees the code. No instance of it may run by then, but for runs that RunOnce left:
// because of them it frees nothing.
func (c *Compiled) Close(ctx context.Context) error {
	if c.runsOn.Load() {
		return nil
	}
	err := c.runtime.Close(ctx)
	if c.cache != nil {
		if closed := c.cache.Close(ctx); err == nil {
			err = closed
		}
	}
	return err
}
