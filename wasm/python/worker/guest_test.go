package worker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

const (
	magic      = 0x746f6f6c
	guestLimit = 64 << 20
)

// guest is an interpreter with the driver in it, and the least host that the driver
// needs: its memory is copied where the worker's is mapped.
type guest struct {
	t              *testing.T
	dir            string
	in             bytes.Reader
	stdout, stderr bytes.Buffer
	reply          bytes.Buffer
	replying       bool
	broken         bool

	image    []byte
	snapshot experimental.Snapshot
	ready    chan struct{}
	jobs     chan []byte
	ended    chan error
	dead     bool
	started  bool
	woken    time.Time
	took     time.Duration
}

func (g *guest) Read(p []byte) (int, error) { return g.in.Read(p) }

func (g *guest) Write(p []byte) (int, error) {
	if g.replying {
		return g.reply.Write(p)
	}
	return g.stdout.Write(p)
}

// advise is fd_advise(descriptor, offset, length, advice).
func (g *guest) advise(ctx context.Context, mod api.Module, stack []uint64) {
	if stack[1] != magic {
		stack[0] = 0
		return
	}
	switch stack[2] {
	case 1:
		g.replying = true
		stack[0] = 0
	case 2:
		g.broken = true
		stack[0] = 0
	default:
		g.sync(ctx, mod, stack)
	}
}

func (g *guest) sync(ctx context.Context, mod api.Module, stack []uint64) {
	memory := mod.Memory()
	if g.started { // a job is over
		g.started = false
		g.took = time.Since(g.woken)
		g.replying = false
		view, _ := memory.Read(0, memory.Size())
		copy(view, g.image)
		clear(view[len(g.image):])
		g.snapshot.Restore([]uint64{6})
		return
	}
	if g.snapshot == nil && g.image == nil { // the first arrival of all
		view, _ := memory.Read(0, memory.Size())
		g.image = bytes.Clone(view)
		stack[0] = 6
		return
	}
	g.snapshot = experimental.GetSnapshotter(ctx).Snapshot()
	view, _ := memory.Read(0, memory.Size())
	copy(g.image, view)
	g.ready <- struct{}{}
	job, ok := <-g.jobs
	if !ok {
		panic("no more jobs")
	}
	g.started = true
	g.in.Reset(job)
	g.woken = time.Now()
	stack[0] = 0
}

func startGuest(t *testing.T, s driverSettings) *guest {
	t.Helper()
	g := &guest{t: t, dir: t.TempDir(), ready: make(chan struct{}), jobs: make(chan []byte), ended: make(chan error, 1)}
	installed := pythontest.Runtime(t)
	module, err := installed.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"files", "out", "tmp", "packages"} {
		if err := os.Mkdir(filepath.Join(g.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	message, err := firstMessage(s)
	if err != nil {
		t.Fatal(err)
	}
	g.in.Reset(message)
	ctx := experimental.WithSnapshotter(context.Background())
	cache, err := wazero.NewCompilationCacheWithDir(installed.Compiled)
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithDebugInfoEnabled(false).WithCompilationCache(cache).WithMemoryLimitPages(guestLimit/wasm.PageSize))
	g.host(ctx, runtime)
	compiled, err := runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), module)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().
		WithArgs("python", "-I", "-B", "-X", "utf8", "-c", bootstrap).
		WithStdin(g).WithStdout(g).WithStderr(&g.stderr).WithRandSource(rand.Reader).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().
		WithFSConfig(wazero.NewFSConfig().WithDirMount(g.dir, "/")).WithStartFunctions())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := instance.ExportedFunction("_start").Call(ctx)
		g.ended <- err
		close(g.ended)
	}()
	t.Cleanup(func() {
		close(g.jobs)
		<-g.ended
		_ = runtime.Close(ctx)
	})
	g.await()
	said := ""
	for _, name := range s.Modules {
		said += "importing " + name + " of code_interpreter.packages\n"
	}
	if g.stdout.Len() > 0 || g.stderr.String() != said {
		t.Fatalf("the driver printed %q, %q", &g.stdout, &g.stderr)
	}
	return g
}

func (g *guest) host(ctx context.Context, runtime wazero.Runtime) {
	builder := runtime.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(builder)
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	builder.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(g.advise), []api.ValueType{i32, i64, i64, i32}, []api.ValueType{i32}).
		Export("fd_advise")
	if _, err := builder.Instantiate(ctx); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guest) await() {
	g.t.Helper()
	select {
	case <-g.ready:
	case err := <-g.ended:
		g.dead = true
		g.t.Fatalf("the guest ended: %.200v\n%s%s", err, &g.stdout, &g.stderr)
	case <-time.After(time.Minute):
		g.t.Fatalf("the guest does not arrive\n%s%s", &g.stdout, &g.stderr)
	}
}

// run runs a job and returns what it printed and its reply.
func (g *guest) run(job wire.Job) (stdout, stderr string, reply wire.Reply) {
	g.t.Helper()
	g.stdout.Reset()
	g.stderr.Reset()
	g.reply.Reset()
	data, err := json.Marshal(job)
	if err != nil {
		g.t.Fatal(err)
	}
	g.jobs <- data
	g.await()
	if err := json.Unmarshal(g.reply.Bytes(), &reply); err != nil && !errors.Is(err, io.EOF) {
		g.t.Errorf("the reply %q: %v", &g.reply, err)
	}
	return g.stdout.String(), g.stderr.String(), reply
}
