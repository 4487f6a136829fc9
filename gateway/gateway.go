// Package gateway is the path of a call: every door takes every call through
// [Gateway.Call], and every list through [Gateway.Tools].
//
// The order of the steps in call.go is a safety property: what a policy rule
// sees is what the tool is given, nothing runs before it was decided, and
// every ending is recorded.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/repeat"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Log takes the record of calls. A record is kept once its method returned
// without an error.
type Log interface {
	Start(runlog.Record) error
	End(runlog.Record) error
}

// Generation is everything that one configuration makes of a gateway. It is
// immutable; a call finishes on the generation it entered.
type Generation struct {
	Tools     *registry.Registry
	Profiles  map[string]Profile // the fixed subsets of tools, by name
	Groups    *Groups            // what users can activate; nil where there is nothing
	Policy    *policy.Engine     // nil allows every call
	Hooks     *hook.Set          // nil has none
	Masker    *secret.Masker     // takes this configuration's secrets out of text
	Discovery *Discovery         // how models find tools; nil where there is nothing to find
	// ApprovalExpires is how long a call may wait for a person where its rule does
	// not say; 0 for approval.DefaultExpires.
	ApprovalExpires time.Duration
	Logged          tool.Logged // how much is recorded of a call whose tool is not known
	// Upstreams says how the services stand that its tools call, by name; see
	// [Gateway.Upstreams]. Nil where nothing is known.
	Upstreams func() map[string]string
	// Close gives up what the generation holds. It is called once, when another
	// generation is served and the last call that entered this one has left; nil
	// where there is nothing to give up.
	Close func()
}

// Discovery is how models find tools that are not in their list.
type Discovery struct {
	Lease  *discovery.Lease // holds the index of [Documents]
	Limit  int              // tools in an answer where the call does not say; discovery.DefaultLimit when 0
	Budget int              // most characters of an answer; find.DefaultBudget when 0
	ByRisk bool             // tools that change nothing are called by another tool than the rest
	Learn  bool             // searches that led to calls are kept for later ones

	kept sights // what callers may find, as far as somebody asked
}

// Profile is a fixed subset of the tools: the names of those in it. The
// gateway's own tools are in every profile.
type Profile map[string]bool

// has reports whether a view through the profile has the tool. The empty name
// is that of no profile, which has all tools.
func (g *Generation) has(profile string, s *tool.Spec) bool {
	return profile == "" || s.Source == tool.SourceBuiltin || g.Profiles[profile][s.Name]
}

// Counter counts the calls that policy allowed, and says of them what rules
// ask. It outlives generations.
type Counter interface {
	policy.Counter
	Count(req *policy.Request)
	// InTurn runs decide, once, while no other call that counts together with
	// this one is between its own decision and its count, and counts the call
	// when decide reports that it was allowed.
	InTurn(req *policy.Request, decide func() (allowed bool))
}

// Chats keeps what belongs to conversations.
type Chats interface {
	// Enter gives the chat of a call what the caller's chat of that name holds,
	// and notes that it was used. It does not block.
	Enter(caller string, in tool.Chat) tool.Chat
	// Look gives the same and notes nothing.
	Look(caller string, in tool.Chat) tool.Chat
	// Find notes that tools were found in the chat, and gives those that are newly in
	// its list: none where nothing is kept of the chat, or it is full of names that
	// count. It gives up when the context is over.
	Find(ctx context.Context, caller string, in tool.Chat, names []string, counts func(name string) bool) (added []string, err error)
}

// Notes are what is learned from searches that led to calls. Its methods are called
// while the call waits, many at a time, so they must not wait. What it is given holds
// no secret.
type Notes interface {
	// Searched is told what was found for a query in a chat.
	Searched(caller tool.Caller, chat tool.Chat, query string, found []string)
	// Called is told of a call that went well, whether or not its tool was searched for.
	Called(caller tool.Caller, chat tool.Chat, name string)
	// Notes gives what counts for the searches of a caller. The same version has the
	// same notes, whoever the caller is.
	Notes(caller tool.Caller) (notes []discovery.Note, version uint64)
}

// Options are what a Gateway may be given; the zero value works.
type Options struct {
	Logger  *slog.Logger // one line per call; nothing is logged when nil
	Counter Counter      // one that keeps its counts in memory when nil
	// Results keeps what is too large to show; when nil it is cut and gone.
	Results result.Store
	// Limits counts calls against limits; in memory when nil. It outlives
	// generations.
	Limits limit.Store
	// Chats gives calls what their chats hold; nil where chats hold nothing: then the
	// groups that are active are those that a call or a view names itself.
	Chats Chats
	// Notes are what earlier searches have taught; nil where nothing is learned.
	Notes Notes
	// Activations keeps the groups that models ask for; nil where nothing is kept.
	Activations activation.Desk
	// Approvals keeps calls that wait for a person; where it is nil none does, and
	// what a rule asks about is not run.
	Approvals *approval.Desk
	Admission admission.Options // how many calls run and wait at once
	Handles   handle.Options    // how many calls are started without waiting for them
	// Before and After are hooks of the program, which run in their order behind those
	// of the configuration.
	Before []Before
	After  []After
	// Observe are told of calls, as if each had been given to [Gateway.Watch].
	Observe []Observer
}

// Gateway takes calls; safe for concurrent use.
type Gateway struct {
	current     atomic.Pointer[tenancy] // the generation that is served
	log         Log
	logger      *slog.Logger
	counter     Counter
	results     result.Store
	limits      limit.Store
	repeats     *repeat.Book    // calls that were refused or failed
	chats       Chats           // nil where they hold nothing
	notes       Notes           // nil where nothing is learned
	activations activation.Desk // nil where nothing is kept
	warm        atomic.Bool     // indexes of tools are built before somebody searches
	approvals   *approval.Desk  // nil where no call waits for a person
	judging     sync.WaitGroup  // approvals are judged again
	gate        *admission.Gate
	handles     *handle.Desk
	before      []Before // of the program, like after
	after       []After
	underWay    atomic.Int64
	closed      atomic.Bool           // no call is run any more
	logFailure  atomic.Pointer[error] // of the last record; nil when it was written
	unwritten   atomic.Int64          // records that could not be written

	observing sync.Mutex // guards changes of observers
	observers atomic.Pointer[[]*Observer]
}

// New returns a gateway that serves the generation and records in log.
func New(generation *Generation, log Log, opts Options) *Gateway {
	if opts.Counter == nil {
		opts.Counter = new(policy.MemoryCounter)
	}
	if opts.Limits == nil {
		opts.Limits = new(limit.Memory)
	}
	g := &Gateway{
		counter:     opts.Counter,
		log:         log,
		logger:      cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		results:     opts.Results,
		limits:      opts.Limits,
		repeats:     repeat.New(),
		chats:       opts.Chats,
		notes:       opts.Notes,
		activations: opts.Activations,
		gate:        admission.New(opts.Admission),
		approvals:   opts.Approvals,
		before:      slices.Clone(opts.Before),
		after:       slices.Clone(opts.After),
	}
	for _, o := range opts.Observe {
		g.Watch(o)
	}
	g.current.Store(newTenancy(generation))
	opts.Handles.Inner = g.inner
	g.handles = handle.New(g.Call, opts.Handles)
	return g
}

// Close keeps no call waiting for a person any more, ends the calls that were
// started without waiting for them, and waits until they are recorded or the context
// is over.
func (g *Gateway) Close(ctx context.Context) error {
	if g.approvals != nil {
		g.approvals.LetGo()
	}
	err := g.handles.Close(ctx)
	g.judging.Wait()
	return err
}

// Shut runs no call any more: each is answered that the gateway stops. It is called
// after Close, before the log is closed.
func (g *Gateway) Shut() { g.closed.Store(true) }

// Tools returns what the caller may be shown in the chat of the view, in list
// order. The specs are shared: do not change them.
func (g *Gateway) Tools(_ context.Context, view tool.View) []*tool.Spec {
	gen, release := g.hold()
	defer release()
	return gen.Listed(g.looked(view))
}

// Listed are the tools of the generation that a view shows, in list order: behind all
// others those that were found in the chat. Of the chat its groups and what was found
// count, as they are given.
func (g *Generation) Listed(view tool.View) []*tool.Spec {
	sight := g.sight(view)
	specs := slices.Clone(sight.listed)
	if view.Steady {
		return specs
	}
	return sight.appendFound(specs, view.Chat.Found)
}

// HasProfile reports whether there is a profile of this name now.
func (g *Gateway) HasProfile(name string) bool {
	gen, release := g.hold()
	defer release()
	_, ok := gen.Profiles[name]
	return ok
}

// UnderWay is the number of calls that have entered and not been answered.
func (g *Gateway) UnderWay() int { return int(g.underWay.Load()) }

// Admitted is how many calls run and how many wait for their turn.
func (g *Gateway) Admitted() (running, waiting int) { return g.gate.Load() }

// Ready says what keeps calls from being answered, or nil. The log is all there
// is: while it cannot be written, nothing runs or is answered. The sentence
// holds no path; the cause is in the log lines of the calls.
func (g *Gateway) Ready() error {
	if g.logFailure.Load() != nil {
		return errors.New("the record of calls cannot be written")
	}
	return nil
}

// LogFailures is how many records could not be written since the start.
func (g *Gateway) LogFailures() int64 { return g.unwritten.Load() }

// Upstreams says of the services that tools call how each stands now: closed
// while requests go through, open while none does because it keeps failing,
// half-open while one finds out. Those that are always asked are left out.
func (g *Gateway) Upstreams() map[string]string {
	gen, release := g.hold()
	defer release()
	if gen.Upstreams == nil {
		return nil
	}
	return gen.Upstreams()
}

func (g *Gateway) noteLog(err error) {
	if err != nil {
		failure := err // a copy of its own, so that the usual case keeps nothing
		g.unwritten.Add(1)
		g.logFailure.Store(&failure)
		return
	}
	if g.logFailure.Load() != nil { // the usual case writes nothing that others read
		g.logFailure.Store(nil)
	}
}
