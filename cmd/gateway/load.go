package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"

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

// load reads a configuration and compiles every part of it. With secrets their
// values are read too, and what tools require is looked for; else no connection
// is opened but for the documents of sources that are at an address. One that cannot
// be had leaves out its source, as it does where tools are served. The error is all
// that is wrong with the file; warnings are returned apart.
func load(opts config.Options, secrets assembly.Secrets) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	return loadWith(opts, secrets, assembly.DocumentsAsked)
}

// loadWith is load for a program that says what is done about documents at an address.
func loadWith(opts config.Options, secrets assembly.Secrets, documents assembly.Documents) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	return compile(opts, func(cfg *config.Config) *assembly.Assembly {
		return assembly.BuildWith(cfg, assembly.Options{Secrets: secrets, Documents: documents, CacheDir: cacheDir(), Installed: pythonVersion})
	})
}

// tellAbsent says which sources are left out of what a program shows.
func tellAbsent(w io.Writer, a *assembly.Assembly) {
	absent := a.Absent()
	for _, name := range slices.Sorted(maps.Keys(absent)) {
		_, _ = fmt.Fprintf(w, "the source %s is left out: %s\n", name, plain(absent[name]))
	}
}

// connectFlag lets a program that needs no connection ask for documents.
func connectFlag() cli.Flag {
	return &cli.BoolFlag{Name: "connect", Usage: "ask for the documents of sources that are at an address; else kept copies are used"}
}

// documentsOf is what that flag says.
func documentsOf(cmd *cli.Command) assembly.Documents {
	if cmd.Bool("connect") {
		return assembly.DocumentsAsked
	}
	return assembly.DocumentsKept
}

// cacheDir is where documents of sources are kept from one start to the next: a
// folder of this user. It is empty, so that nothing is kept, where the system knows
// of none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "toolgate")
}

func compile(opts config.Options, build func(*config.Config) *assembly.Assembly) (*config.Config, *assembly.Assembly, diag.Problems, error) {
	cfg, problems := config.Load(opts)
	if cfg == nil {
		return nil, nil, nil, &exitError{exitUsage, problems}
	}
	a := build(cfg)
	problems = cfg.Problems()
	if err := problems.Err(); err != nil {
		return nil, nil, nil, &exitError{exitUsage, errors.Join(problems, a.Close())}
	}
	return cfg, a, problems, nil
}

// house is an opened gateway and what has to be closed after it.
type house struct {
	config    *config.Config
	warnings  diag.Problems     // what is doubtful in it
	leftOut   map[string]string // why, by the tool's name
	tools     census            // of the first generation
	gateway   *gateway.Gateway
	results   result.Store   // that were too large to show
	masker    *secret.Masker // of the first generation
	webhooks  *notify.Book   // of the first generation; told of approvals
	chats     *chat.Desk     // nil there too
	approvals *approval.Desk // nil there too
	hints     *learn.Book    // nil there too
	access    access.Current // who is let in by the doors that listen
	ledger    *ledger        // nil for a program that calls one tool and ends: a server takes its records over
	source    *reload.Source
	version   *reload.Version // the first one; nil when a reloader has it, which closes it
	programs  *interpreters
	closers   []io.Closer
}

// open makes a gateway that records its calls, for doors that listen.
func open(opts config.Options, logger *slog.Logger) (*house, error) {
	return openFor(opts, assembly.Options{Access: true}, logger)
}

// openFor is open for a program that says what it is going to do with it.
func openFor(opts config.Options, use assembly.Options, logger *slog.Logger) (*house, error) {
	results := new(later)
	use.Secrets, use.Results, use.CacheDir = assembly.Resolved, results, cacheDir()
	if use.Only == "" || find.Is(use.Only) {
		use.Shelf = new(discovery.Shelf)
	}
	files := new(programFiles)
	programs := newInterpreters(logger, use.Only == "")
	use.Interpreters, use.Files, use.FileAddress, use.Installed = programs, files, fileAddress, pythonVersion
	if use.Only != "" {
		use.Files = nil
	}
	use.Slow = func(name string) {
		logger.Info("waiting for the document of a source, which is at an address", "source", name)
	}
	spare := true // until the first version is made
	source := &reload.Source{Options: opts, Build: func(cfg *config.Config, served *assembly.Assembly) *assembly.Assembly {
		if spare && len(cfg.Sources) > 0 {
			unspareCollector()
		}
		spare = false
		use := use
		use.Served = served
		return assembly.BuildWith(cfg, use)
	}}
	spareCollector()
	v := source.Read(nil)
	if err := v.Problems.Err(); err != nil {
		return nil, &exitError{exitUsage, v.Problems}
	}
	a := v.Assembly
	h := &house{config: v.Config, warnings: v.Problems, leftOut: a.LeftOut, tools: registered(a.Generation), masker: a.Generation.Masker, source: source, version: v}
	h.programs = programs
	h.closers = []io.Closer{programs, closer(h.closeVersion)}
	h.webhooks = a.Webhooks
	h.access.Swap(a.Access)
	if err := h.furnish(a.Generation, results, &use, logger); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	files.desk.Store(h.chats)
	return h, nil
}

// closeVersion gives up what the first version holds, where no reloader has it.
func (h *house) closeVersion() error {
	if h.version == nil {
		return nil
	}
	return h.version.Assembly.Close()
}

// furnish opens the state of the gateway and makes the gateway itself.
func (h *house) furnish(generation *gateway.Generation, results *later, use *assembly.Options, logger *slog.Logger) error {
	serves := use.Only == ""
	if serves {
		ledger, err := openLedger(&h.config.Store, logger)
		if err != nil {
			return err
		}
		h.ledger, h.closers = ledger, append(h.closers, ledger)
		ledger.announce()
	}
	journal, err := runlog.Open(h.config.Store.Journal(), runlog.Options{})
	if err != nil {
		return fmt.Errorf("the call log cannot be opened: %w", err)
	}
	h.closers = append(h.closers, journal)
	folder, err := result.OpenFolder(h.config.Store.Results(), result.Options{Keep: h.config.Store.Keep.Results})
	if err != nil {
		return fmt.Errorf("the folder of large results cannot be opened: %w", err)
	}
	results.Store, h.results = folder, folder
	options := gateway.Options{Logger: logger, Results: folder, Handles: h.ledger.handles()}
	if serves {
		h.chats = chat.Open(context.Background(), h.ledger.store, chat.Options{Limits: h.config.Chats, Files: h.ledger.store, KeepFiles: h.config.Store.Keep.Files, Logger: logger})
		options.Limits = h.ledger.store
		options.Chats, options.Activations, h.closers = h.chats, activations{h.chats}, append(h.closers, h.chats)
		h.approvals = approval.Open(context.Background(), h.ledger.store, approval.Options{Logger: logger})
		options.Approvals, h.closers = h.approvals, append(h.closers, h.approvals)
		h.hints = learn.Open(context.Background(), h.ledger.store, learn.Options{Logger: logger})
		options.Notes, h.closers = h.hints, append(h.closers, h.hints)
	}
	if use.Only == find.ToolName {
		options.Notes = h.readHints(logger)
	}
	if use.Only != "" && asks(generation, use.Only) {
		if err := h.openApprovals(logger); err != nil {
			return err
		}
		options.Approvals = h.approvals
	}
	h.gateway = gateway.New(generation, journal, options)
	h.closers = append(h.closers, closing(h.gateway))
	return nil
}

// asks reports whether a person may be asked about calls of a tool.
func asks(generation *gateway.Generation, name string) bool {
	entry, ok := generation.Tools.Lookup(name)
	return ok && generation.Policy.Asks(entry.Spec)
}

// openApprovals lets the call of a program that makes one call and ends wait for
// a person, who answers with another program.
func (h *house) openApprovals(logger *slog.Logger) error {
	s, err := store.Open(context.Background(), h.config.Store.File(), store.Options{Logger: logger})
	if err != nil {
		return err
	}
	h.approvals = approval.Open(context.Background(), s, approval.Options{Logger: logger})
	h.closers = append(h.closers, s, h.approvals)
	return nil
}

// readHints gives what searches are learned from to the search of a program that makes
// one and ends. Without a store there is nothing.
func (h *house) readHints(logger *slog.Logger) gateway.Notes {
	ctx := context.Background()
	s, err := store.Open(ctx, h.config.Store.File(), store.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var book *learn.Book
	if err == nil {
		h.closers = append(h.closers, s)
		book, err = learn.Visit(ctx, s)
	}
	if err != nil {
		logger.Warn("what searches are learned from cannot be read, and does not count", "problem", err.Error())
		return nil
	}
	return book
}

// census counts the tools that are served, the gateway's own apart.
type census struct {
	registered int
	deferred   int // of them
}

func registered(generation *gateway.Generation) (c census) {
	for _, e := range generation.Tools.All() {
		if e.Spec.Source == tool.SourceBuiltin {
			continue
		}
		c.registered++
		if e.Spec.Deferred {
			c.deferred++
		}
	}
	return c
}

// attributes are the counts as a line of the log has them.
func (c census) attributes() []any {
	out := []any{"tools", c.registered}
	if c.deferred > 0 {
		out = append(out, "deferred", c.deferred)
	}
	return out
}

// later is a store that is known when the configuration has been built.
type later struct{ result.Store }

// closing gives calls that nobody waits for endTimeout to be recorded.
func closing(g *gateway.Gateway) io.Closer {
	return closer(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		return g.Close(ctx)
	})
}

type closer func() error

// Close calls the function.
func (c closer) Close() error { return c() }

// Close closes what was opened, last first.
func (h *house) Close() error {
	var errs []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		errs = append(errs, h.closers[i].Close())
	}
	return errors.Join(errs...)
}

// cliCaller is who asks when a tool is listed or called from this program.
func cliCaller() tool.Caller {
	return tool.Caller{ID: "local", Name: "local", Kind: tool.KindCLI}
}
