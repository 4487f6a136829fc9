package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/cpython"
	"github.com/toolgate/toolgate/wasm/python/wire"
	"github.com/toolgate/toolgate/wasm/python/worker"
)

const (
	// spareFiles is how much more than what comes back of a program may be in its files.
	spareFiles = 2
	// bringAgain is when an installation that failed is tried again.
	bringAgain = 10 * time.Minute
	// readyWait is how often it is looked whether a process of a pool is ready, to say
	// so.
	readyWait = 100 * time.Millisecond
)

// interpreters are the pools of processes that run programs, by what they run them
// with. A pool outlives reloads that change nothing for it.
type interpreters struct {
	logger *slog.Logger
	worker func() ([]string, error) // the command line of a process, but for its last argument
	brings bool                     // an interpreter that is missing is installed
	ctx    context.Context
	stop   context.CancelFunc
	tasks  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	pools   map[string]*pooled
	past    python.Stats // sums of pools that were given up
	brought time.Time    // when the last installation was begun
	busy    bool         // one is under way
	warned  string       // what was last said to be wrong with an interpreter
}

// pooled is a pool, and how many assemblies have it.
type pooled struct {
	*python.Pool
	held int
}

func newInterpreters(logger *slog.Logger, worker func() ([]string, error), brings bool) *interpreters {
	i := &interpreters{logger: logger, worker: worker, brings: brings, pools: map[string]*pooled{}}
	i.ctx, i.stop = context.WithCancel(context.Background())
	return i
}

// Close ends an installation that is under way. Pools end with those that have them.
func (i *interpreters) Close() error {
	i.stop()
	i.tasks.Wait()
	return nil
}

// Take gives the pool of such programs; see [assembly.Interpreters].
func (i *interpreters) Take(p *assembly.Programs) (interpreter.Python, func()) {
	key := p.Print()
	i.mu.Lock()
	defer i.mu.Unlock()
	of := i.pools[key]
	if of == nil {
		of = &pooled{Pool: python.Open(i.settings(p))}
		i.pools[key] = of
		i.tasks.Go(func() { i.announce(of.Pool) })
	}
	of.held++
	return programs{of.Pool}, func() { i.release(key) }
}

// release gives up one hold of a pool, which ends with the last.
func (i *interpreters) release(key string) {
	i.mu.Lock()
	of := i.pools[key]
	if of.held--; of.held > 0 {
		i.mu.Unlock()
		return
	}
	delete(i.pools, key)
	i.mu.Unlock()
	of.Close()
	i.mu.Lock()
	defer i.mu.Unlock()
	addStats(&i.past, of.Stats())
}

// settings are those of a pool.
func (i *interpreters) settings(p *assembly.Programs) python.Config {
	own := *p
	return python.Config{
		Workers: p.Workers, Timeout: p.Timeout, Queue: p.Queue, Wait: interpreter.QueueTime / 2, Log: i.logger,
		Limits:  wire.Limits{Value: assembly.MaxValue, Artifacts: assembly.MaxArtifacts, Bytes: assembly.MaxWritten},
		Command: func() ([]string, error) { return i.command(&own) },
	}
}

// command is the command line of a process.
func (i *interpreters) command(p *assembly.Programs) ([]string, error) {
	found, err := cpython.Find(PythonPlaces(p.Runtime))
	if err != nil {
		return nil, i.missing(p.Runtime, err)
	}
	program, err := i.worker()
	if err != nil {
		return nil, err
	}
	return WorkerCommand(program, found, p.Memory, p.Packages), nil
}

// WorkerCommand is the command line of a process of an interpreter: that of the program,
// and what it has to know.
func WorkerCommand(program []string, found *cpython.Runtime, memory int64, packages []string) []string {
	settings := worker.Settings{
		Version: found.Version, Module: found.Module, Library: found.Library, Cache: found.Compiled, Compilers: runtime.NumCPU(),
		Memory: uint64(memory), Files: spareFiles * assembly.MaxWritten, Packages: packages,
	}
	return append(slices.Clone(program), settings.Argument())
}

// missing words that there is no interpreter, and sees to it that there will be one.
func (i *interpreters) missing(configured string, cause error) error {
	e := tool.Errorf(tool.UpstreamUnavailable, "no program can be run: there is no Python interpreter where the gateway runs").Because(cause)
	if !errors.Is(cause, cpython.ErrNotInstalled) {
		i.warn(cause)
		e.Message = "no program can be run: the Python interpreter of the gateway is damaged"
		return e.WithHint("Tell the user that the gateway's log says what to do.")
	}
	e.Retryable = true
	if configured == "" && i.bring() {
		e.Message, e.RetryAfter = "no program can be run yet: the Python interpreter is being installed", 30*time.Second
		return e.WithHint("Call it again in a minute; if that does not help, whoever runs the gateway has to run: gateway python install.")
	}
	return e.WithHint("Tell the user: whoever runs the gateway has to run: %s.", installCommand(configured))
}

// warn says what is wrong with the interpreter, once as long as it is the same.
func (i *interpreters) warn(cause error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.warned != cause.Error() {
		i.warned = cause.Error()
		i.logger.Warn("code_interpreter is not available", "problem", cause)
	}
}

func installCommand(configured string) string {
	if configured == "" {
		return "gateway python install"
	}
	return "gateway python install --into " + configured
}

// bring installs the interpreter beside all else, and reports whether that is under
// way.
func (i *interpreters) bring() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.busy:
		return true
	case !i.brings || i.ctx.Err() != nil || !i.brought.IsZero() && time.Since(i.brought) < bringAgain:
		return false
	}
	i.busy, i.brought = true, time.Now()
	i.tasks.Go(i.install)
	return true
}

func (i *interpreters) install() {
	places := PythonPlaces("")
	i.logger.Info("installing the Python interpreter; until then code_interpreter is not available", "into", places.Default())
	found, err := cpython.Install(i.ctx, cpython.Options{Into: places.Default(), Cache: places.Cache})
	i.mu.Lock()
	i.busy = false
	pools := make([]*pooled, 0, len(i.pools))
	for _, p := range i.pools {
		pools = append(pools, p)
	}
	i.mu.Unlock()
	if err != nil {
		if i.ctx.Err() == nil {
			i.logger.Warn("the Python interpreter could not be installed, so code_interpreter is not available", "problem", err, "try", "gateway python install")
		}
		return
	}
	i.logger.Info("the Python interpreter is installed", "version", found.Version, "folder", found.Folder)
	for _, p := range pools {
		p.Wake()
	}
}

// announce says once that a pool is ready, and what confines its processes.
func (i *interpreters) announce(p *python.Pool) {
	tick := time.NewTicker(readyWait)
	defer tick.Stop()
	for {
		select {
		case <-i.ctx.Done():
			return
		case <-tick.C:
		}
		if s := p.Stats(); s.Starts > 0 {
			h := &s.Hello
			i.logger.Info("the code interpreter is ready", "took", (h.Loaded + h.Started).Round(time.Millisecond), "confined_by", strings.Join(h.Held, "; "), "not_confined_by", strings.Join(h.Missing, "; "))
			return
		} else if s.Deaths[python.DeathClosed] > 0 {
			return
		}
	}
}

// Stats are the figures of all pools together.
func (i *interpreters) Stats() python.Stats {
	i.mu.Lock()
	defer i.mu.Unlock()
	var all python.Stats
	addStats(&all, i.past)
	for _, p := range i.pools {
		addStats(&all, p.Stats())
	}
	return all
}

// Programs are the figures as the metrics have them.
func (i *interpreters) Programs() metrics.Programs {
	s := i.Stats()
	p := metrics.Programs{
		Processes: map[string]int{"starting": s.Starting, "idle": s.Idle, "busy": s.Busy, "resetting": s.Resetting},
		Running:   s.Running, Waiting: s.Waiting, Starts: s.Starts, FailedStarts: s.FailedStarts, Waited: s.Waited, Ran: s.Ran,
		Runs: map[string]int64{}, Ended: map[string]int64{},
	}
	for outcome, n := range s.Runs {
		p.Runs[string(outcome)] += n
	}
	for code, n := range s.Failures {
		p.Runs[string(code)] += n
	}
	for why, n := range s.Deaths {
		p.Ended[string(why)] += n
	}
	return p
}

// addStats adds figures to others.
func addStats(to *python.Stats, s python.Stats) {
	to.Starting, to.Idle, to.Busy, to.Resetting = to.Starting+s.Starting, to.Idle+s.Idle, to.Busy+s.Busy, to.Resetting+s.Resetting
	to.Running, to.Waiting = to.Running+s.Running, to.Waiting+s.Waiting
	to.Starts, to.FailedStarts = to.Starts+s.Starts, to.FailedStarts+s.FailedStarts
	to.Checks, to.Refused, to.Again = to.Checks+s.Checks, to.Refused+s.Refused, to.Again+s.Again
	to.Waited, to.Ran = to.Waited+s.Waited, to.Ran+s.Ran
	addCounts(&to.Deaths, s.Deaths)
	addCounts(&to.Runs, s.Runs)
	addCounts(&to.Failures, s.Failures)
}

func addCounts[K comparable](to *map[K]int64, counts map[K]int64) {
	if *to == nil {
		*to = map[K]int64{}
	}
	for k, n := range counts {
		(*to)[k] += n
	}
}

// programs runs the programs of the tool in a pool.
type programs struct{ pool *python.Pool }

// Run runs one program.
func (p programs) Run(ctx context.Context, caller string, job *wire.Job) (interpreter.Ran, error) {
	r, err := p.pool.Run(ctx, python.Request{Caller: caller, Job: *job})
	return interpreter.Ran{Reply: r.Reply, Stdout: r.Stdout, Stderr: r.Stderr, DroppedOut: r.DroppedOut, DroppedErr: r.DroppedErr}, err
}

// PythonVersion is the version of the interpreter that is installed, for what models are
// told; empty where there is none.
func PythonVersion(configured string) string {
	found, err := cpython.Find(PythonPlaces(configured))
	if err != nil {
		return ""
	}
	return found.Version
}

// PythonPlaces are where an interpreter is looked for: configured is the one that
// is named, or empty.
func PythonPlaces(configured string) cpython.Places {
	p := cpython.Places{Configured: configured}
	if program, err := os.Executable(); err == nil {
		p.Beside = filepath.Dir(program)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		p.Cache = cache
	}
	return p
}
