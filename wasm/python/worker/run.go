package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/confine"
)

const (
	// garbage is how much the process's own heap grows between collections, in percent:
	// it holds a few MiB, and every job makes some garbage.
	garbage = 25
	// processors is how many threads of Go run at a time. One is the guest's, which never
	// yields.
	processors = 2
)

// Pipes are what a process shares with its gateway.
type Pipes struct {
	In   io.Reader // jobs
	Out  io.Writer // replies
	Area *os.File  // the output area
	// Lifeline is the descriptor of a pipe whose other end the gateway holds: the process
	// ends with it, whatever it does. 0 is none.
	Lifeline int
}

// Run serves jobs until there are no more, which is no error, or until a program has
// ended the guest. The argument is that of the command line ([Settings.Argument]).
func Run(ctx context.Context, argument string, pipes Pipes) error {
	debug.SetGCPercent(garbage)
	runtime.GOMAXPROCS(processors)
	if pipes.Lifeline != 0 {
		if err := confine.EndWith(pipes.Lifeline); err != nil {
			return err
		}
	}
	s, err := parse(argument)
	if err != nil {
		return err
	}
	h, err := newHost(s, pipes)
	if err != nil {
		return err
	}
	defer h.close()
	began := time.Now()
	compiled, err := load(ctx, s)
	if err != nil {
		return err
	}
	defer func() { _ = compiled.Close(ctx) }() // the process ends
	h.loaded, h.began = time.Since(began), time.Now()
	h.guest = wasm.NewGuest(compiled, wasm.Hooks{Begin: h.begin, Reply: h.reply, Done: h.done, Next: h.next})
	err = h.guest.Run(h.files.Telling(ctx), wasm.Program{
		Args:  []string{"python", "-I", "-B", "-X", "utf8", "-c", bootstrap},
		Stdin: &h.in, Stdout: &h.stdout, Stderr: &h.stderr,
		Mounts: []wasm.Mount{{Path: "/", FS: h.files}},
	})
	if errors.Is(err, errNoMore) {
		return nil
	}
	return h.ended(err)
}

// load reads the module and compiles it, or takes its code from the cache.
func load(ctx context.Context, s Settings) (*wasm.Compiled, error) {
	module, err := os.ReadFile(s.Module)
	if err != nil {
		return nil, fmt.Errorf("the interpreter's module: %w", err)
	}
	return wasm.Compile(ctx, module, wasm.Options{Cache: s.Cache, Workers: s.Compilers, Memory: s.Memory})
}
