package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/learn"
	"github.com/toolgate/toolgate/gateway/notify"
	"github.com/toolgate/toolgate/gateway/reload"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Options are what a gateway is opened with.
type Options struct {
	// Config are the layers of the configuration.
	Config config.Options
	// Use says what is going to be done with it: Only where one tool is called and no
	// more, Access where doors listen. Open fills in the rest.
	Use assembly.Options
	// Logger takes one line per call, and what the operator has to know; nothing is
	// logged when nil. Secrets may be in its lines: who gives it takes them out, with
	// the maskers of House.Masker and Reloads.Hide.
	Logger *slog.Logger
	// Worker is the command line of the processes that run programs of
	// code_interpreter, without its last argument. Where it is nil, a configuration with
	// that tool is refused. See [ThisProgram].
	Worker func() ([]string, error)
	// Before, After and Observe are hooks and observers of the program; see
	// [gateway.Options].
	Before  []gateway.Before
	After   []gateway.After
	Observe []gateway.Observer
	// Alone says that the process does nothing but this: then garbage is collected less
	// often while a configuration is read, and where the heap is small. GOGC in the
	// environment stays what it is.
	Alone bool
}

// House is an opened gateway and what has to be closed after it.
type House struct {
	Config    *config.Config    // that it was opened with
	Warnings  diag.Problems     // what is doubtful in it
	LeftOut   map[string]string // why, by the tool's name
	Tools     Census            // of the first generation
	Gateway   *gateway.Gateway
	Masker    *secret.Masker  // of the first generation
	Chats     *chat.Desk      // nil where one tool is called and no more
	Approvals *approval.Desk  // nil there too, unless a person may be asked about the tool
	Ledger    *Ledger         // nil there too: a server takes over the records
	Source    *reload.Source  // where the versions of the configuration come from
	Version   *reload.Version // the first one; nil when a reloader has it, which closes it

	results  result.Store   // that were too large to show
	webhooks *notify.Book   // of the first generation; told of approvals
	hints    *learn.Book    // nil where one tool is called
	access   access.Current // who is let in by the doors that listen
	programs *interpreters
	alone    bool
	logger   *slog.Logger
	closers  []io.Closer
	close    func() error
}

// Open makes a gateway that records its calls. The error is a [diag.Problems] where the
// configuration has errors. Close ends what it has.
func Open(opts Options) (*House, error) {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	use, results, files := opts.Use, new(later), new(programFiles)
	programs := newInterpreters(opts.Logger, opts.Worker, use.Only == "")
	use.Secrets, use.Results, use.CacheDir = assembly.Resolved, results, CacheDir()
	if use.Only == "" || find.Is(use.Only) {
		use.Shelf = new(discovery.Shelf)
	}
	use.Interpreters, use.Files, use.FileAddress, use.Installed = programs, files, fileAddress, PythonVersion
	if use.Only != "" {
		use.Files = nil
	}
	use.Slow = func(name string) {
		opts.Logger.Info("waiting for the document of a source, which is at an address", "source", name)
	}
	source := &reload.Source{Options: opts.Config, Build: builder(&opts, use)}
	if opts.Alone {
		spareCollector()
	}
	v := source.Read(nil)
	if err := v.Problems.Err(); err != nil {
		return nil, v.Problems
	}
	a := v.Assembly
	h := &House{
		Config: v.Config, Warnings: v.Problems, LeftOut: a.LeftOut, Tools: registered(a.Generation), Masker: a.Generation.Masker,
		Source: source, Version: v, programs: programs, alone: opts.Alone, webhooks: a.Webhooks, logger: opts.Logger,
	}
	h.close = sync.OnceValue(h.closeAll)
	h.closers = []io.Closer{programs, closer(h.closeVersion)}
	h.access.Swap(a.Access)
	if err := h.furnish(a.Generation, results, &opts); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	files.desk.Store(h.Chats)
	return h, nil
}

// builder makes assemblies of what is read.
func builder(opts *Options, use assembly.Options) func(*config.Config, *assembly.Assembly) *assembly.Assembly {
	spare := opts.Alone // until the first version is made
	runs := opts.Worker != nil
	return func(cfg *config.Config, served *assembly.Assembly) *assembly.Assembly {
		if spare && len(cfg.Sources) > 0 {
			unspareCollector()
		}
		spare = false
		if cfg.Interpreter.Enabled && !runs {
			cfg.At().Key("code_interpreter").Errorf("%s", NoWorker)
		}
		use := use
		use.Served = served
		return assembly.BuildWith(cfg, use)
	}
}

// CacheDir is where documents of sources are kept from one start to the next: a
// folder of this user. It is empty, so that nothing is kept, where the system knows
// of none.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "toolgate")
}

// closeVersion gives up what the first version holds, where no reloader has it.
func (h *House) closeVersion() error {
	if h.Version == nil {
		return nil
	}
	return h.Version.Assembly.Close()
}

// furnish opens the state of the gateway and makes the gateway itself.
func (h *House) furnish(generation *gateway.Generation, results *later, opts *Options) error {
	only, logger := opts.Use.Only, h.logger
	serves := only == ""
	if serves {
		ledger, err := openLedger(&h.Config.Store, logger)
		if err != nil {
			return err
		}
		h.Ledger, h.closers = ledger, append(h.closers, ledger)
		ledger.announce()
	}
	journal, err := runlog.Open(h.Config.Store.Journal(), runlog.Options{})
	if err != nil {
		return fmt.Errorf("the call log cannot be opened: %w", err)
	}
	h.closers = append(h.closers, journal)
	folder, err := result.OpenFolder(h.Config.Store.Results(), result.Options{Keep: h.Config.Store.Keep.Results})
	if err != nil {
		return fmt.Errorf("the folder of large results cannot be opened: %w", err)
	}
	results.Store, h.results = folder, folder
	options := gateway.Options{
		Logger: logger, Results: folder, Handles: h.Ledger.handles(),
		Before: opts.Before, After: opts.After, Observe: opts.Observe,
	}
	if serves {
		h.Chats = chat.Open(context.Background(), h.Ledger.store, chat.Options{Limits: h.Config.Chats, Files: h.Ledger.store, KeepFiles: h.Config.Store.Keep.Files, Logger: logger})
		options.Limits = h.Ledger.store
		options.Chats, options.Activations, h.closers = h.Chats, activations{h.Chats}, append(h.closers, h.Chats)
		h.Approvals = approval.Open(context.Background(), h.Ledger.store, approval.Options{Logger: logger})
		options.Approvals, h.closers = h.Approvals, append(h.closers, h.Approvals)
		h.hints = learn.Open(context.Background(), h.Ledger.store, learn.Options{Logger: logger})
		options.Notes, h.closers = h.hints, append(h.closers, h.hints)
	}
	if only == find.ToolName {
		options.Notes = h.readHints()
	}
	if !serves && asks(generation, only) {
		if err := h.openApprovals(); err != nil {
			return err
		}
		options.Approvals = h.Approvals
	}
	h.Gateway = gateway.New(generation, journal, options)
	h.closers = append(h.closers, closer(func() error {
		defer h.Gateway.Shut()
		return End(h.Gateway)
	}))
	return nil
}

// asks reports whether a person may be asked about calls of a tool.
func asks(generation *gateway.Generation, name string) bool {
	entry, ok := generation.Tools.Lookup(name)
	return ok && generation.Policy.Asks(entry.Spec)
}

// openApprovals lets the call of a program that makes one call and ends wait for
// a person, who answers with another program.
func (h *House) openApprovals() error {
	s, err := store.Open(context.Background(), h.Config.Store.File(), store.Options{Logger: h.logger})
	if err != nil {
		return err
	}
	h.Approvals = approval.Open(context.Background(), s, approval.Options{Logger: h.logger})
	h.closers = append(h.closers, s, h.Approvals)
	return nil
}

// readHints gives what searches are learned from to the search of a program that makes
// one and ends. Without a store there is nothing.
func (h *House) readHints() gateway.Notes {
	ctx := context.Background()
	s, err := store.Open(ctx, h.Config.Store.File(), store.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var book *learn.Book
	if err == nil {
		h.closers = append(h.closers, s)
		book, err = learn.Visit(ctx, s)
	}
	if err != nil {
		h.logger.Warn("what searches are learned from cannot be read, and does not count", "problem", err.Error())
		return nil
	}
	return book
}

// Census counts the tools that are served, the gateway's own apart.
type Census struct {
	Registered int
	Deferred   int // of them
}

func registered(generation *gateway.Generation) (c Census) {
	for _, e := range generation.Tools.All() {
		if e.Spec.Source == tool.SourceBuiltin {
			continue
		}
		c.Registered++
		if e.Spec.Deferred {
			c.Deferred++
		}
	}
	return c
}

// attributes are the counts as a line of the log has them.
func (c Census) attributes() []any {
	out := []any{"tools", c.Registered}
	if c.Deferred > 0 {
		out = append(out, "deferred", c.Deferred)
	}
	return out
}

// later is a store that is known when the configuration has been built.
type later struct{ result.Store }

// End gives calls that nobody waits for EndTimeout to be recorded, and ends them.
func End(g *gateway.Gateway) error {
	ctx, cancel := context.WithTimeout(context.Background(), EndTimeout)
	defer cancel()
	return g.Close(ctx)
}

type closer func() error

// Close calls the function.
func (c closer) Close() error { return c() }

// Close closes what was opened, last first. A second call does nothing and gives the
// same error.
func (h *House) Close() error { return h.close() }

func (h *House) closeAll() error {
	var errs []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		errs = append(errs, h.closers[i].Close())
	}
	return errors.Join(errs...)
}
