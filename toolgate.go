package toolgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/reload"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Options are what a Gateway is opened with. The zero value is a gateway without tools
// and without a policy, which allows every call of those that are registered.
type Options struct {
	// Files are the files of the configuration; later ones change earlier ones.
	Files []string
	// YAML is a configuration that no file holds, or what changes those in Files.
	// Relative paths in it belong to the working folder of the process.
	YAML string
	// Set are single keys above all that, such as "server.listen=localhost:9000".
	Set []string
	// Env is an environment in the form of os.Environ, whose TOOLGATE_ variables change
	// keys, as they do for the program gateway; nil for none. Secrets are read from the
	// environment of the process in any case.
	Env []string
	// Store is the path of the database; its journal and large results lie beside it.
	// When it is empty it is as the configuration says: gateway.db beside the first file
	// where that says nothing, and without any file a temporary folder, which Close
	// removes.
	Store string
	// Still says that files are not watched: the configuration is what it was when it was
	// opened, until Reload. What a tool or a source lacked then is not looked for again.
	Still bool

	// Tools are the tools that the program brings. The configuration may say of them
	// what it may say of tools of its own: rules, groups, hooks and injections match them.
	Tools []*tool.Tool

	// Before and After are hooks of the program, which run in their order behind those of
	// the configuration, before and after calls of every tool but the gateway's own.
	Before []gateway.Before
	After  []gateway.After
	// Observe are told of every call; see also [Gateway.Observe].
	Observe []gateway.Observer

	// Caller is who makes the calls of the program, where neither the call nor its
	// context ([tool.WithCaller]) says who does. Its Kind is go if it has none, and its
	// name is "local" when the ID is empty.
	Caller tool.Caller
	// Worker says how programs of code_interpreter are run. A configuration that has
	// that tool cannot be opened without; see [ThisProgram] and [GatewayProgram].
	Worker Worker
	// Logger takes one line per call, and what the operator has to know, without the
	// secrets of the configuration. Nothing is logged when it is nil. The "log" section
	// of the configuration does not change it.
	Logger *slog.Logger
	// Version is that of the program, as clients and metrics are told; that of this
	// module when it is empty.
	Version string
}

// Gateway is an opened gateway; safe for concurrent use.
type Gateway struct {
	server *host.Server
	doors  host.Doors
	caller tool.Caller
	close  func() error
}

// Open opens a gateway with all its state. The error is a [diag.Problems] where the
// configuration has errors, or a list of the options an entry that is nil; what is doubtful in it is logged. The context is for its
// values alone: the gateway is open until [Gateway.Close].
//
// A store belongs to one gateway. A second one on the same store, in this process or
// another, works too, but does not know what the first one has under way.
func Open(ctx context.Context, opts Options) (*Gateway, error) {
	if err := opts.missing().Err(); err != nil {
		return nil, err
	}
	layers, remove, err := opts.layers()
	if err != nil {
		return nil, err
	}
	g, err := open(context.WithoutCancel(ctx), &opts, layers, remove)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	return g, nil
}

func open(ctx context.Context, opts *Options, layers config.Options, remove func() error) (*Gateway, error) {
	veil := host.NewVeil(opts.handler())
	logger := slog.New(veil)
	h, err := host.Open(host.Options{
		Config: layers, Use: assembly.Options{Access: true, Tools: opts.Tools, Changing: true}, Logger: logger, Worker: opts.Worker.command,
		Before: opts.Before, After: opts.After, Observe: opts.Observe,
	})
	if err != nil {
		return nil, err
	}
	veil.Hide(h.Masker)
	for _, p := range h.Warnings {
		logger.Warn("configuration", "problem", p.String())
	}
	g := &Gateway{caller: opts.caller(), server: host.NewServer(h, host.ServerOptions{Version: opts.version()})}
	end := g.server.Begin(ctx)
	wait := g.server.KeepLoaded(ctx, host.Reloads{Hide: veil.Hide, Still: opts.Still})
	g.doors = g.server.Doors()
	g.close = sync.OnceValue(func() error {
		wait()
		end()
		return errors.Join(g.server.Close(), h.Close(), remove())
	})
	return g, nil
}

// missing are the entries of lists that are nil: what was to be there would not be asked.
func (o *Options) missing() (found diag.Problems) {
	lacks := func(list string, i int, isNil bool, what string) {
		if isNil {
			found = append(found, diag.Problem{Text: fmt.Sprintf("Options.%s[%d] is nil", list, i), Hint: "give " + what + ", or leave it out"})
		}
	}
	for i, t := range o.Tools {
		lacks("Tools", i, t == nil, "a tool")
	}
	for i, h := range o.Before {
		lacks("Before", i, h == nil, "a function")
	}
	for i, h := range o.After {
		lacks("After", i, h == nil, "a function")
	}
	for i, w := range o.Observe {
		lacks("Observe", i, w == nil, "an observer")
	}
	return found
}

// layers are the layers of the configuration. The function removes what was made for
// them.
func (o *Options) layers() (layers config.Options, remove func() error, err error) {
	layers, remove = o.config(), func() error { return nil }
	path := o.Store
	if path == "" && len(o.Files) == 0 && !saysStore(layers) {
		dir, err := os.MkdirTemp("", "toolgate-*")
		if err != nil {
			return layers, remove, err
		}
		path, remove = filepath.Join(dir, "gateway.db"), func() error { return os.RemoveAll(dir) }
	}
	if path == "" {
		return layers, remove, nil
	}
	if path, err = filepath.Abs(path); err != nil {
		return layers, remove, err
	}
	layers.Set = append(slices.Clone(o.Set), "store.url="+config.StorePrefix+path)
	return layers, remove, nil
}

// config are the layers that the program gave.
func (o *Options) config() config.Options {
	c := config.Options{Files: o.Files, Env: o.Env, Set: o.Set}
	switch {
	case o.YAML != "":
		c.YAML = []byte(o.YAML)
	case len(o.Files) == 0:
		c.YAML = []byte("version: 1\n")
	}
	return c
}

// saysStore reports whether one of the layers says where state is kept.
func saysStore(layers config.Options) bool {
	c, _ := config.Load(layers) // mistakes are reported when it is loaded to be served
	return c != nil && c.At().Key("store").Key("url").Present()
}

func (o *Options) handler() slog.Handler {
	if o.Logger == nil {
		return slog.DiscardHandler
	}
	return o.Logger.Handler()
}

// version is that of the program or, where it does not say, of this module in it.
func (o *Options) version() string {
	if o.Version != "" {
		return o.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unversioned
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Version != "" {
			return m.Version
		}
	}
	return unversioned
}

const (
	modulePath  = "github.com/toolgate/toolgate"
	unversioned = "(devel)"
)

// Check checks a configuration and the tools that the program brings as gateway lint
// does, for the program's own tests: it starts nothing, opens no connection and needs no
// secret. The error is a [diag.Problems] with all that is wrong or doubtful, warnings
// among them, or nil; where warnings are well, ask its Err.
func Check(opts Options) error {
	if err := opts.missing().Err(); err != nil {
		return err
	}
	c, err := host.Check(opts.config(), assembly.Options{Documents: assembly.DocumentsKept, Tools: opts.Tools})
	if err != nil {
		return err
	}
	if c.Config != nil && c.Config.Interpreter.Enabled && opts.Worker.command == nil {
		c.Config.At().Key("code_interpreter").Errorf("%s", host.NoWorker)
		c.Problems = c.Config.Problems()
	}
	if len(c.Problems) == 0 {
		return nil
	}
	return c.Problems
}

// Close gives calls that were started two seconds to end, and gives up all that is
// open. Calls that somebody waits for are to have ended; a program with a server of its
// own calls [Gateway.Stop] before. A second Close does nothing and gives the same error.
func (g *Gateway) Close() error { return g.close() }

// Reload reads the files again and serves what they say now; with an error, what was
// served is served on. The error is a [diag.Problems] where the files have errors.
func (g *Gateway) Reload(ctx context.Context) (*reload.Result, error) {
	return g.server.Reloader.Reload(ctx, "program")
}

// Register serves further tools of the program, until undo is called: all of them or, with
// an error, none. Clients whose list changes by that are told. Undo returns when no call
// of the tools begins any more; those under way finish. See [reload.Reloader.Register].
func (g *Gateway) Register(tools ...*tool.Tool) (undo func(), err error) {
	return g.server.Reloader.Register(context.Background(), tools...)
}

// Observe tells one more observer of the calls to come, until stop is called. One
// that is nil is told nothing.
func (g *Gateway) Observe(o gateway.Observer) (stop func()) { return g.server.Gateway.Watch(o) }
