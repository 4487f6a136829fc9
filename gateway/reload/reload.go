// Package reload keeps a gateway at what its configuration says now: it watches
// the files, reads them again when they change or when it is asked to, and puts
// the generation that they make in the place of the one that is served.
//
// A configuration with an error changes nothing. One that says the same changes
// nothing either: only what differs in effect makes another generation.
package reload

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/watch"
)

// Options are what a Reloader may be given; the zero value works.
type Options struct {
	Logger *slog.Logger // one line per reload, and every problem; nothing is logged when nil
	// Apply is called with every version that has no errors, before it is served:
	// what no generation holds, such as who is let in, is to follow it.
	Apply func(*Version)
	// Ended is called when a reload has ended; the Result is nil when it failed.
	Ended func(Outcome, *Result)
	// ListChanged is called after a swap with which some list is another one.
	ListChanged func()
	// Hide is called before a swap, and when an old generation has ended, with
	// the maskers of all generations that are open: what is logged from then on
	// may hold the secrets of any of them.
	Hide func(...*secret.Masker)
}

// Reloader reloads one gateway; safe for concurrent use.
type Reloader struct {
	gateway *gateway.Gateway
	source  *Source
	logger  *slog.Logger
	opts    Options
	started *config.Config // what the process was started with
	watcher *watch.Watcher
	turn    chan struct{} // holds one token: who has it reloads, and may use what follows
	served  *Version
	logged  map[diag.Problem]bool // warnings that are known, without their places
	told    string                // the errors that were logged last, with what they are about

	closed  chan struct{} // when nothing is served any more
	lacking chan struct{} // says that a source is left out; of room for one

	mu     sync.Mutex // guards what follows
	status Status
	open   []*gateway.Generation
	wishes []*wish // changes that nobody has begun to make
}

// New returns a Reloader for a gateway that serves the first version of the
// source. [Reloader.Run] watches; [Reloader.Close] ends it.
func New(g *gateway.Gateway, source *Source, first *Version, opts Options) *Reloader {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	r := &Reloader{
		gateway: g, source: source, logger: opts.Logger, opts: opts,
		started: first.Config, served: first, logged: known(first.Problems),
		watcher: watch.Open(watch.Options{Disk: Disk(), Logger: opts.Logger}),
		turn:    make(chan struct{}, 1),
		closed:  make(chan struct{}),
	}
	r.status = Status{Generation: 1, Served: time.Now(), LastAttempt: time.Now(), LastSuccess: time.Now()}
	r.lacking = make(chan struct{}, 1)
	r.lacks(first.Assembly.Absent())
	r.adopt(first.Assembly.Generation)
	r.watcher.Expect(first.seen)
	return r
}

// Close gives up what is watched, and what the generation that is served holds.
// It is called after Run has returned; once is enough.
func (r *Reloader) Close() error {
	select {
	case r.turn <- struct{}{}: // no further reload
		close(r.closed)
	case <-r.closed:
		return nil
	}
	err := r.watcher.Close()
	return cmp.Or(r.served.Assembly.Close(), err)
}

// Run reloads when files change and, while a source is left out, now and then, and looks again and again for what tools
// require whose "requires.check" is watch, until the context is over.
func (r *Reloader) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		for r.watcher.Wait(ctx) == nil {
			_, _ = r.Reload(ctx, causeFile) // what came of it is logged
		}
	})
	work.Go(func() { r.retry(ctx) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(jittered(assembly.WatchInterval)):
			r.recheck(ctx)
		}
	}
}

// causeFile is the cause of a reload that nobody asked for.
const causeFile = "file"

// jitter is by which part of an interval two gateways may differ, so that many
// do not ask the same service at the same time.
const jitter = 0.1

func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*rand.Float64()))
}

// Reload reads the configuration again and serves what it says now. Of several
// at once one reloads, and then the next. The error is [diag.Problems] when the
// configuration has errors, and the context's cause when its turn has not come, or
// the files were not believed, before the context is over. After Close there is none
// to serve what is read, which is an error too.
//
// The cause is a word for the log: file, signal, request or source.
//
// A version that lost a section, rules, hooks or injections is looked at twice where
// a change of its files was the cause, and one without any policy or token, where there were, is an
// error.
func (r *Reloader) Reload(ctx context.Context, cause string) (*Result, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-r.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	began := time.Now()
	next := r.believed(ctx, r.source.Read(r.served.Assembly), cause)
	if next == nil {
		return nil, context.Cause(ctx)
	}
	r.closes(next)
	if err := next.Problems.Err(); err != nil {
		r.failed(next, cause)
		return nil, err
	}
	res := &Result{Difference: Between(r.started, r.served, next), Warnings: next.Problems.Warnings()}
	r.warn(next.Problems)
	if res.Any() {
		res.ListChanged = r.swap(next)
	} else {
		r.keep(next)
	}
	r.succeeded(next, res, cause, time.Since(began))
	return res, nil
}

// Outcome is how a reload ended.
type Outcome int

// The outcomes of a reload.
const (
	Swapped   Outcome = iota // another configuration is served
	Unchanged                // nothing that is served differs
	Failed                   // it has errors; the one before is served on
)

// Result is what a reload did.
type Result struct {
	Generation int `json:"generation"` // that is served now; the first is 1
	Difference
	ListChanged bool          `json:"list_changed"` // some caller's list of tools is another one
	Warnings    diag.Problems `json:"-"`            // of the configuration, known ones too
}

// swap serves the next version. It reports whether some list changed.
func (r *Reloader) swap(next *Version) bool {
	changed := listDiffers(listOf(r.served), listOf(next))
	r.apply(next) // right before, so that hardly a caller is judged by the policy of another version
	r.serve(next.Assembly.Generation)
	r.served = next
	if changed && r.opts.ListChanged != nil {
		r.opts.ListChanged()
	}
	return changed
}

// serve puts a generation in the place of the one that is served.
func (r *Reloader) serve(g *gateway.Generation) {
	r.adopt(g)
	r.gateway.Swap(g)
}

// adopt makes the secrets of a generation known to the log until it has ended.
func (r *Reloader) adopt(g *gateway.Generation) {
	end := g.Close
	g.Close = func() {
		r.leave(g)
		end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, g)
	r.hide()
}

func (r *Reloader) apply(next *Version) {
	if r.opts.Apply != nil {
		r.opts.Apply(next)
	}
}

// keep goes on with what is served, and remembers how the files say it now.
func (r *Reloader) keep(next *Version) {
	r.apply(next)
	_ = next.Assembly.Close() // it closes connections, which cannot fail
	r.served = &Version{Config: next.Config, Assembly: r.served.Assembly, Problems: next.Problems, seen: next.seen}
}

// leave forgets them when the generation has ended.
func (r *Reloader) leave(g *gateway.Generation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = slices.DeleteFunc(r.open, func(o *gateway.Generation) bool { return o == g })
	r.hide()
}

func (r *Reloader) hide() {
	if r.opts.Hide == nil {
		return
	}
	var maskers []*secret.Masker
	for _, g := range r.open {
		if !slices.Contains(maskers, g.Masker) {
			maskers = append(maskers, g.Masker)
		}
	}
	r.opts.Hide(maskers...)
}

// recheck looks for what tools need, unless a reload is under way, which does
// the same.
func (r *Reloader) recheck(ctx context.Context) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	default:
		return
	}
	before := listOf(r.served)
	next, came, went := r.served.Assembly.Recheck(ctx)
	if next == nil {
		return
	}
	changed := listDiffers(before, listOf(r.served))
	r.serve(next)
	if changed && r.opts.ListChanged != nil {
		r.opts.ListChanged()
	}
	for name, why := range went {
		r.logger.Warn("a tool is taken out until what it needs is there", "tool", name, "problem", why)
	}
	for _, name := range came {
		r.logger.Info("a tool has what it needs", "tool", name)
	}
}
