package wasm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	wasifs "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// FS is a file system that a guest sees a part of.
type FS = wasifs.FS

// Program is what a module is started with. It has no environment, no network, and
// no files but those of its mounts; its clocks and its random bytes are real.
type Program struct {
	Args           []string // the first is its own name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Mounts         []Mount
}

// Mount is a file system at a place of the guest's tree.
type Mount struct {
	Path string // absolute
	FS   FS
}

// Magic is the offset of the calls of fd_advise (WASI preview 1) that are meant for
// the host: a guest makes them by posix_fadvise, without a library of its own. Their
// length says which one it is.
const Magic = 0x746F6F6C

// What a guest says by the length of a call of Magic.
const (
	// Sync is that the guest is ready for its next message. It is answered by 0 when
	// there is one, and by [Again] when the guest was set back.
	Sync = 0
	// Mark is that what the guest writes from here on is its reply.
	Mark = 1
)

// Again is what a guest that was set back is answered, EAGAIN as an error number of WASI:
// it makes the call again.
const Again = 6

// Hooks are what the owner of a guest does where it waits. They are called one at a
// time, on the goroutine of [Guest.Run]. An error ends the guest, and Run returns it.
type Hooks struct {
	// Begin comes before the first instruction of the guest, when all memory, code and
	// files that it ever needs are there. The process may be confined here: it has
	// to keep those descriptors open.
	Begin func(keep []int) error
	// Reply is that what the guest writes from now on is its reply.
	Reply func()
	// Done is that the guest has answered its message. Behind it its memory is set back;
	// all else of the guest that outlives a message is for Done to set back: it gives how
	// many files of its mounts the guest has left open.
	Done func() (open int, err error)
	// Next waits for the next message, which Stdin gives from then on.
	Next func(context.Context) error
}

// ErrBroken is that a guest cannot be set back any more: the program that ran in it
// has changed something that is not in its memory.
var ErrBroken = errors.New("the guest cannot be set back")

// warmRounds is how often a guest comes to its sync point before its state is kept: what
// an interpreter does with the code of its loop, and how deep it stands in it, is not the
// same the first times.
const warmRounds = 64

// mostUnsettled is how many rounds a guest is sent until its state is the same twice. Then
// it is kept as it is: nothing goes wrong with one that changes, it only costs more.
const mostUnsettled = 64

// spareStacks is how many snapshots of the stack are taken at a time. Each serves one
// message, and has some 10 KiB.
const spareStacks = 32

// Guest is a program that runs once for every message, from the same state each time.
type Guest struct {
	compiled *Compiled
	hooks    Hooks
	born     time.Time
	heap     heap

	globals     []uint64 // of the module, at the sync point
	descriptors descriptors
	stacks      []experimental.Snapshot // of the guest at its sync point
	running     bool                    // a message
	rounds      int
	unsettled   int // rounds that have changed the state
	failure     error
}

// NewGuest prepares a guest of a module that was compiled. Nothing of it runs yet.
func NewGuest(c *Compiled, hooks Hooks) *Guest {
	return &Guest{compiled: c, hooks: hooks, born: time.Now()}
}

// Resting is how many bytes of the guest's memory belong to the state that every
// message begins with.
func (g *Guest) Resting() uint64 { return g.heap.resting() }

// Run starts the program and returns when it ends: by itself, by a trap, or by an
// error of a hook. It blocks, and neither the end of ctx nor anything else ends a
// program that computes: that is for the process that it runs in.
func (g *Guest) Run(ctx context.Context, p Program) error {
	defer g.heap.Free()
	if err := g.system(ctx); err != nil {
		return err
	}
	ctx = experimental.WithMemoryAllocator(experimental.WithSnapshotter(ctx), &g.heap)
	module, err := g.instantiate(ctx, p)
	if err != nil {
		return err
	}
	defer func() { _ = module.Close(ctx) }() // with what it has open, which is all in memory
	if err := g.hooks.Begin(g.heap.descriptors()); err != nil {
		return err
	}
	_, err = module.ExportedFunction(start).Call(ctx)
	exit, left := errors.AsType[*sys.ExitError](err)
	switch {
	case g.failure != nil:
		return g.failure
	case left:
		return &ExitError{Code: exit.ExitCode()}
	}
	return err
}

// instantiate makes the instance. Memory that the system does not give is an error.
func (g *Guest) instantiate(ctx context.Context, p Program) (module api.Module, err error) {
	defer func() {
		switch trouble := recover().(type) {
		case nil:
		case error:
			err = trouble
		default:
			panic(trouble)
		}
	}()
	module, err = g.compiled.runtime.InstantiateModule(ctx, g.compiled.module, g.config(p).WithStartFunctions())
	if err == nil && module.ExportedFunction(start) == nil {
		return nil, fmt.Errorf("the module has no function %s: it is no program", start)
	}
	return module, err
}

// start is the function that a program of WASI begins with (WASI, application ABI,
// command).
const start = "_start"

// ExitError is that a guest has ended itself, as by os._exit.
type ExitError struct {
	Code uint32 // the exit code
}

func (e *ExitError) Error() string { return fmt.Sprintf("the program left with exit code %d", e.Code) }

// system gives the module the functions of WASI, of which some are our own.
func (g *Guest) system(ctx context.Context) error {
	builder := g.compiled.runtime.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(builder)
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	builder.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(g.advise), []api.ValueType{i32, i64, i64, i32}, []api.ValueType{i32}).
		Export("fd_advise")
	builder.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(refuse), []api.ValueType{i32, i32}, []api.ValueType{i32}).
		Export("fd_renumber")
	builder.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(refuse), []api.ValueType{i32, i64, i64, i32}, []api.ValueType{i32}).
		Export("fd_filestat_set_times")
	builder.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(g.poll), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).
		Export("poll_oneoff")
	_, err := builder.Instantiate(ctx)
	return err
}

// refuse is what a guest is answered that calls fd_renumber, which would put a file in the
// place of a stream, as nothing tells from outside, or fd_filestat_set_times, of which wazero has
// none for streams, and panics. Times can be set by the path of a file.
func refuse(_ context.Context, _ api.Module, stack []uint64) {
	stack[0] = 58 // ENOTSUP
}

func (g *Guest) config(p Program) wazero.ModuleConfig {
	mounts := wazero.NewFSConfig()
	for _, m := range p.Mounts {
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(m.FS, m.Path)
	}
	return wazero.NewModuleConfig().
		WithArgs(p.Args...).WithStdin(p.Stdin).WithStdout(p.Stdout).WithStderr(p.Stderr).WithFSConfig(mounts).
		WithRandSource(rand.Reader).WithSysWalltime().WithNanotime(g.nanotime, 1)
}

// advise is fd_advise(fd, offset, length, advice). Advice that is not for the host is
// taken and not followed, as it may be.
func (g *Guest) advise(ctx context.Context, module api.Module, stack []uint64) {
	offset, length := stack[1], stack[2]
	stack[0] = 0
	if offset != Magic {
		return
	}
	switch length {
	case Sync:
		stack[0] = g.arrive(ctx, module)
	case Mark:
		g.hooks.Reply()
	}
}

// arrive is a guest at its sync point: back from a message, back from having been set
// back, or there for the first time. It gives what the guest is answered, or does not
// return.
func (g *Guest) arrive(ctx context.Context, module api.Module) uint64 {
	if g.rounds++; g.rounds <= warmRounds {
		return Again
	}
	g.try(g.sameGlobals(module))
	switch {
	case g.running:
		g.setBack(ctx)
		return 0
	case g.descriptors.first == nil:
		g.try(g.descriptors.of(module))
		g.try(g.heap.take())
		return Again
	}
	g.try(g.heap.update())
	if g.unsettled++; g.unsettled < mostUnsettled && !g.heap.settled() {
		return Again
	}
	g.unsettled = 0
	g.ready(ctx)
	return 0
}

// ready keeps the stack that the guest has as the one to come back to, which belongs to
// the state that its memory is in, and waits for a message.
func (g *Guest) ready(ctx context.Context) {
	g.stacks = g.stacks[:0]
	for range spareStacks {
		g.stacks = append(g.stacks, experimental.GetSnapshotter(ctx).Snapshot())
	}
	g.next(ctx)
}

func (g *Guest) next(ctx context.Context) {
	g.try(g.hooks.Next(ctx))
	g.running = true
}

// setBack makes the guest what it was when it got its message, and does not return: the
// guest goes on from there. A snapshot of a stack serves once, and the last one brings the
// guest back here without a message, to take new ones.
func (g *Guest) setBack(ctx context.Context) {
	open, err := g.hooks.Done()
	g.try(err)
	g.try(g.descriptors.setBack(open))
	g.try(g.heap.reset())
	g.running = false
	last := len(g.stacks) - 1
	stack := g.stacks[last]
	g.stacks[last] = nil // what it holds is used up
	if g.stacks = g.stacks[:last]; last == 0 {
		stack.Restore([]uint64{Again})
	}
	g.next(ctx)
	stack.Restore([]uint64{0})
}

// sameGlobals reports a guest that came to the sync point with other globals than the
// first time. They are not in its memory: the stack pointer is one, and it differs
// where a program makes the call itself, deeper than where it was called.
func (g *Guest) sameGlobals(module api.Module) error {
	inside, ok := module.(experimental.InternalModule)
	if !ok {
		return fmt.Errorf("%w: its globals cannot be read", ErrBroken)
	}
	first := g.globals == nil
	for i := range inside.NumGlobal() {
		value := inside.Global(i).Get()
		if first {
			g.globals = append(g.globals, value)
		} else if g.globals[i] != value {
			return fmt.Errorf("%w: it came to the sync point from another depth", ErrBroken)
		}
	}
	return nil
}

// try ends the guest by an error, where there is one: wazero unwinds its stack.
func (g *Guest) try(err error) {
	if err != nil {
		g.failure = err
		panic(err)
	}
}
