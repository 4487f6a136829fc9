package interpreter

import (
	"context"
	"sync/atomic"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Later is a Python that is known after the tool was made: a configuration is compiled
// before it is known whether anything of it is going to be run. Its zero value works
// and runs nothing.
type Later struct{ python atomic.Pointer[Python] }

// Set says what runs programs from now on.
func (l *Later) Set(p Python) { l.python.Store(&p) }

// Run runs the program where that was said.
func (l *Later) Run(ctx context.Context, caller string, job *wire.Job) (Ran, error) {
	if p := l.python.Load(); p != nil {
		return (*p).Run(ctx, caller, job)
	}
	return Ran{}, tool.Errorf(tool.UpstreamUnavailable, "there is nothing here that runs programs")
}
