// Package assembly makes a generation of a configuration: it is the one place
// that knows every kind of tool.
package assembly

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/cmdtool"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/notify"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Secrets says what is done about the values of secrets.
type Secrets int

const (
	// Declared takes the names of secrets only: enough to check a
	// configuration and to list its tools, not to run one.
	Declared Secrets = iota
	// Resolved reads the values from where the configuration says.
	Resolved
	// Standing puts a text in the place of each value; see [rehearsal.Placeholder].
	Standing
)

// Assembly is what a configuration makes: a generation, and what is open for
// it until Close.
type Assembly struct {
	// Generation is nil when the configuration has an error.
	Generation *gateway.Generation
	// LeftOut says of each tool that lacks something it requires, by its name,
	// what that is.
	LeftOut map[string]string
	// Access is who is let in; nil unless that was asked for.
	Access *access.Book
	// Webhooks are who is told of calls that wait for a person; nil unless secrets
	// are resolved.
	Webhooks *notify.Book
	// Tests are those of the policy section; nil without one.
	Tests *policy.Tests
	// Trials are the tests of tools and hooks, in the order of their tools' names. They
	// can be run where nothing but them is reached; see [Rehearse].
	Trials []rehearsal.Test
	// Secrets are the values that were read, by name; empty with Declared.
	Secrets map[string]secret.Value

	shown []Shown
	all   []*candidate // those that are not admitted too
	added []*tool.Tool // of the program, by Change
	// changing says that tests and searches may name tools that are not there.
	changing bool
	builder  *builder // that made it, for Change
	profiles policy.Profiles
	client   *httptool.Client
	sources  []*imported // that have a document or lack it
	results  result.Store
	own      ownTools
	shelf    *discovery.Shelf // that indexes of tools are taken from; nil where nothing is searched
	release  func()           // gives up the index of the generation that was made last
	lookout  *lookout         // for tools whose needs are watched; nil without any
	lease    *lease           // of what runs programs; nil without the tool that does
	python   *interpreter.Later
	tenants  atomic.Int64 // generations that are not closed
}

// Shown is what an agent is shown of the tools, without a profile and then with each, in
// the order of their names. It is empty without [Options].Lint, after a mistake and where
// a source is left out.
func (a *Assembly) Shown() []Shown { return a.shown }

// Close gives up idle connections and the index of the tools. An assembly whose
// generation is served is closed with its last generation.
func (a *Assembly) Close() error {
	if a.release != nil {
		a.release()
	}
	if a.lease != nil {
		a.lease.close()
	}
	return a.client.Close()
}

// Forget gives up what only the tests of a configuration need. It is for a
// program that serves the generation.
func (a *Assembly) Forget() {
	a.Tests, a.Trials = nil, nil
	for _, c := range a.all {
		c.forget()
	}
	for _, s := range a.sources {
		s.forget()
	}
}

// generation is g with the index of its tools and its end: what the assembly holds is
// given up with the last of its generations.
func (a *Assembly) generation(g gateway.Generation) *gateway.Generation {
	a.tenants.Add(1)
	if a.lease != nil {
		a.lease.take(a.python)
	}
	d, release := a.discovery(g.Tools)
	g.Discovery, a.release = d, release
	g.Close = func() {
		release()
		if a.tenants.Add(-1) == 0 {
			_ = a.Close() // it closes connections, which cannot fail
		}
	}
	return &g
}

// Build compiles every part of a configuration and reports every mistake on
// it, so that cfg.Problems then holds all there are. It starts no process and,
// with Declared, opens no connection. With Resolved, and only when there is no
// mistake, it looks for what tools require, with one request to each address;
// tools that lack something are left out with a warning.
func Build(cfg *config.Config, secrets Secrets) *Assembly {
	return BuildWith(cfg, Options{Secrets: secrets})
}

// Options are what a configuration is built with.
type Options struct {
	Secrets Secrets
	// Only is the one tool that is going to be called, or empty: what other tools
	// require is not looked for then, and their secrets may be missing.
	Only    string
	Results result.Store // what read_result reads; nil where nothing is run
	// Access asks who is let in, with Resolved: the tokens of callers are needed then.
	Access bool
	// Documents says what is done about documents of sources that are at an address.
	Documents Documents
	// Strict makes errors of what does not fit the document of a source that is at an
	// address. Else such a source is left out with warnings: whoever writes the
	// document is somebody else, and is not to keep a gateway from starting.
	Strict bool
	// Slow is called with the name of a source whose document has not come from its
	// address after SlowDocument; nil for nobody. It may be called at several places at
	// once.
	Slow func(source string)
	// Shelf is where the index of the tools is taken from, which is built beside the
	// caller and held until the generation is closed; nil where nobody searches. One
	// shelf for all assemblies of a program keeps the same tools from being indexed
	// again.
	Shelf *discovery.Shelf
	// Searches tries the searches of "discovery.golden", whose failures are errors, and
	// whether deferred tools are found by what is said of them. It is for a program
	// that checks a configuration: to serve one that finds less than it should is
	// better than not to serve it.
	Searches bool
	// Lint warns of all that takes a look at every rule and every tool together, and
	// says what agents are shown; see [Assembly.Shown]. It is for a program that checks a
	// configuration.
	Lint bool
	// Served is the assembly that is served, or nil: the document of one of its sources
	// is used where its address is the same and does not answer with one, and the tools
	// that came into it with [Assembly.Change] are among those of the new one.
	Served *Assembly
	// Tools are what the program brings beside those of the configuration; see
	// [tool.SourceGo].
	Tools []*tool.Tool
	// Changing says that the program may bring more of them later: a test or a search of
	// the configuration that names a tool which is not there is left out then, with a
	// warning. It holds for whatever comes in the place of an assembly that was changed.
	Changing bool
	// CacheDir is where documents are kept; nowhere when empty.
	CacheDir string
	// Interpreters run the programs of code_interpreter; nil where nothing is run.
	Interpreters Interpreters
	// Network and Machine are asked in place of the network and of the machine that
	// commands run on; nil for those themselves.
	Network httptool.Outside
	Machine cmdtool.Machine
	// Files are those of chats, for programs; nil where nothing is run, or there are none.
	Files interpreter.Files
	// FileAddress is where people get a file of the chat of a call; nil where nowhere.
	FileAddress func(call *tool.Call, path string) string
	// Installed says which Python interpreter there is, for what models are told and
	// what packages need. Nil knows of none.
	Installed Installed
}

// BuildWith is [Build] with more to choose.
func BuildWith(cfg *config.Config, opts Options) *Assembly {
	a := &Assembly{client: newClient(cfg, &opts), results: opts.Results, shelf: opts.Shelf}
	b := newBuilder(cfg, a.client, opts)
	a.added, a.changing = opts.Served.brought(), b.changing
	all := b.tools(&opts)
	a.lease, a.python = b.lease, b.python
	a.sources = b.imported
	engine := b.policy(all)
	hooks := b.hooks(all)
	webhooks := b.webhooks()
	b.checkApprovals()
	b.checkOwn()
	doorman := access.Compile(b.at("server"), cfg.Server.Access(), b.secretNames)
	tests := b.policyTests(all, engine, hooks)
	a.Trials = b.trials(all, hooks)
	b.checkGolden(all)
	if cfg.Problems().Err() != nil {
		return a
	}
	registered := b.registered(all)
	a.LeftOut, a.own = b.leftOut, b.ownTools()
	if opts.Secrets == Resolved {
		b.resolve(b.neededSecrets(b.ofInterest(mayBeServed(registered, all)), opts.Access, opts.Only == ""))
	}
	if opts.Access && opts.Secrets == Resolved && cfg.Problems().Err() == nil {
		a.Access = doorman.Resolve(b.values)
	}
	if opts.Only == "" && opts.Secrets == Resolved && cfg.Problems().Err() == nil {
		a.Webhooks = webhooks.resolve(b.values)
	}
	if cfg.Problems().Err() != nil {
		return a
	}
	b.mask(all)
	tools, err := registry.New(a.withBuiltins(entriesOf(registered)))
	if err != nil {
		b.at("tools").Errorf("%v", err)
		return a
	}
	if opts.Searches && !b.partial {
		b.trySearches(all, tools, engine)
		if cfg.Problems().Err() != nil {
			return a
		}
	}
	b.adviseAll(all, registered, tools, engine, hooks)
	if opts.Lint && !b.partial {
		a.shown = b.adviseMore(all, registered, tools, engine)
	}
	a.Tests, a.all, a.profiles = tests, all, profilesForTests(b.profiles)
	a.Secrets = b.values
	a.Generation = a.generation(gateway.Generation{
		Tools: tools, Groups: b.groups.forChats(b.cfg.Groups, b.masker), Profiles: profilesOf(b.profiles, specsOf(mayBeServed(registered, all))), Policy: engine, Hooks: hooks, Masker: b.masker,
		Upstreams: upstreamStates(b.upstreams), Logged: b.cfg.Defaults.Log, ApprovalExpires: b.cfg.Approvals.Expires,
	})
	a.lookout = b.watchNeeds(all)
	a.builder = b.kept()
	return a
}

// newClient makes the client of all tools.
func newClient(cfg *config.Config, opts *Options) *httptool.Client {
	if opts.Network != nil {
		return httptool.NewClientOver(cfg.Networks.Allow, opts.Network)
	}
	return httptool.NewClient(cfg.Networks.Allow)
}

// adviseAll warns of everything that is valid and yet not what anyone wants.
func (b *builder) adviseAll(all, registered []*candidate, tools *registry.Registry, engine *policy.Engine, hooks *hook.Set) {
	b.advise(all, tools, engine)
	if !b.partial {
		hooks.Advise(specsOf(all))
	}
	b.adviseInterpreter(all)
	b.adviseReasons(registered, hooks)
	b.adviseUpstreams()
	b.adviseSources(registered)
	b.adviseNetworks()
	b.adviseCallers()
	b.adviseApprovers(engine, registered)
}

// adviseMore warns of what takes a look at every rule and every tool together, and
// gives what agents are shown.
func (b *builder) adviseMore(all, registered []*candidate, tools *registry.Registry, engine *policy.Engine) []Shown {
	engine.AdviseOrder(b.at("policy"), append(specsOf(all), specsOfAll(judged())...))
	b.adviseUnusable(registered, engine)
	b.adviseSizes(registered)
	b.adviseConfusable(registered, engine)
	b.adviseViews(specsOf(all), registered, engine)
	lists := b.outline(specsOfAll(tools.All()), engine)
	b.adviseLists(lists)
	return lists
}

// builder carries what the parts of a configuration share while it is built.
type builder struct {
	cfg          *config.Config
	client       *httptool.Client
	mode         Secrets
	machine      cmdtool.Machine // nil for the one that the gateway runs on
	only         string          // the tool that is going to be called; empty when any may be
	documents    Documents
	cacheDir     string
	served       *Assembly // nil for none
	strict       bool
	slow         func(source string) // never nil
	imported     []*imported         // the sources that are enabled, by name
	partial      bool                // there are more tools than those that were compiled
	changing     bool                // tests and searches may name tools that are not there
	masker       *secret.Masker      // of the values; runners keep it, and it knows them when values is filled
	secretNames  []string            // sorted
	admission    admission
	groups       groups
	profiles     []profile
	upstreams    map[string]*httptool.Upstream // by name; nil for one with a mistake
	surroundings surroundings
	watched      map[need]*watched
	leftOut      map[string]string // why, by the tool's name
	lease        *lease            // of what runs programs; nil without the tool that does
	python       *interpreter.Later
	crowded      bool            // a source alone fills the prompt
	unseen       map[string]bool // tools that no caller can see, by name
	lacks        map[need]*lack  // what was looked for before tools were registered, and not found
	// values is nil unless secrets are resolved. Runners keep it and are not run
	// before it is filled: which values are needed is known only when all tools
	// are compiled.
	values map[string]secret.Value
}

func newBuilder(cfg *config.Config, client *httptool.Client, opts Options) *builder {
	b := &builder{
		cfg: cfg, client: client, mode: opts.Secrets, machine: opts.Machine, only: opts.Only, documents: opts.Documents, cacheDir: opts.CacheDir, served: opts.Served, strict: opts.Strict, slow: opts.Slow, changing: opts.Changing || opts.Served.changes(),
		masker:       &secret.Masker{},
		secretNames:  slices.Sorted(maps.Keys(cfg.Secrets)),
		surroundings: surroundings{dir: cfg.Dir(), probe: client.Probe},
		watched:      map[need]*watched{}, leftOut: map[string]string{},
	}
	if b.slow == nil {
		b.slow = func(string) {}
	}
	if opts.Secrets != Declared {
		b.values = make(map[string]secret.Value, len(b.secretNames))
	}
	if opts.Secrets == Standing {
		for _, name := range b.secretNames {
			b.values[name] = secret.NewValue(rehearsal.Placeholder(name))
		}
	}
	b.admission, b.groups, b.upstreams = b.compileAdmit(), b.compileGroups(), b.compileUpstreams()
	b.profiles = b.compileProfiles()
	return b
}

func (b *builder) at(path ...string) diag.Cursor {
	at := b.cfg.At()
	for _, key := range path {
		at = at.Key(key)
	}
	return at
}
