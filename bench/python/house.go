package main

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// interpreters is how many programs run at a time.
const interpreters = 2

// house is a pool of interpreter processes.
type house struct{ pool *python.Pool }

func openHouse(_ context.Context, o *options, limit time.Duration) (*house, error) {
	argv, err := command(o.python, o.python.Compiled)
	if err != nil {
		return nil, err
	}
	return &house{python.Open(python.Config{Workers: interpreters, Timeout: limit, Command: func() ([]string, error) { return argv, nil }})}, nil
}

func (h *house) close() { h.pool.Close() }

// call runs a program for a caller.
func (h *house) call(ctx context.Context, caller, code string) error {
	_, err := h.pool.Run(ctx, python.Request{Caller: caller, Job: wire.Job{Code: code}})
	return err
}
