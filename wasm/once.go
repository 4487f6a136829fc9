package wasm

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// Once is one run of a WASI program.
type Once struct {
	// Args are the arguments, from the name of the program on. There is no
	// environment.
	Args []string
	// Stdin is empty where it is nil; what goes to a nil Stdout or Stderr is dropped.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Folders are folders of this machine that the program may read, by their place
	// in its file system, such as "/lib". Links in them are followed to wherever they
	// lead.
	Folders map[string]string
}

// RunOnce starts the module anew, runs it from _start to its end, and returns the code
// that it exits with. The error is that it could not start, a trap, or why ctx ended.
//
// Compiled code cannot be stopped: when ctx ends first, the run goes on, and Close frees
// nothing from then on, so the process should end before long. Runs of one module are
// for one goroutine, and not while a Guest of it runs.
func (c *Compiled) RunOnce(ctx context.Context, o Once) (exit uint32, err error) {
	type ending struct {
		exit uint32
		err  error
	}
	ended := make(chan ending, 1)
	go func() {
		exit, err := c.runOnce(context.WithoutCancel(ctx), o)
		ended <- ending{exit, err}
	}()
	select {
	case e := <-ended:
		return e.exit, e.err
	case <-ctx.Done():
		c.runsOn.Store(true)
		return 0, context.Cause(ctx)
	}
}

func (c *Compiled) runOnce(ctx context.Context, o Once) (exit uint32, err error) {
	host, err := wasi_snapshot_preview1.Instantiate(ctx, c.runtime)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, host.Close(ctx)) }()
	files := wazero.NewFSConfig()
	for place, folder := range o.Folders {
		files = files.WithReadOnlyDirMount(folder, place)
	}
	config := wazero.NewModuleConfig().WithName("").WithArgs(o.Args...).WithFSConfig(files).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime()
	if o.Stdin != nil {
		config = config.WithStdin(o.Stdin)
	}
	if o.Stdout != nil {
		config = config.WithStdout(o.Stdout)
	}
	if o.Stderr != nil {
		config = config.WithStderr(o.Stderr)
	}
	instance, err := c.runtime.InstantiateModule(ctx, c.module, config)
	if ended, ok := errors.AsType[*sys.ExitError](err); ok {
		return ended.ExitCode(), nil
	}
	if err != nil {
		return 0, err
	}
	return 0, instance.Close(ctx)
}
