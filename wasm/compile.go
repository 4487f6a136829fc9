package wasm

import (
	"context"
	"errors"
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
// Code in the cache that is damaged is made anew, for all that is in it, or without the
// cache where that cannot be. A module that is not valid is an error of the engine's words.
func Compile(ctx context.Context, module []byte, o Options) (*Compiled, error) {
	c, err := compile(ctx, module, o)
	if err == nil || o.Cache == "" || !strings.HasPrefix(err.Error(), damaged) {
		return c, err
	}
	if empty(o.Cache) == nil {
		if c, err = compile(ctx, module, o); err == nil {
			return c, nil
		}
	}
	o.Cache = ""
	return compile(ctx, module, o)
}

// damaged begins wazero's error about a file of its cache that is not as it was written.
const damaged = "compilationcache:"

// empty takes all code out of a cache.
func empty(cache string) error {
	kept, err := filepath.Glob(filepath.Join(cache, "wazero-*"))
	for _, folder := range kept {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

func compile(ctx context.Context, module []byte, o Options) (*Compiled, error) {
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
	if err != nil {
		_ = c.Close(ctx) // there is nothing in it
		return nil, err
	}
	return c, nil
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
