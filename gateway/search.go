package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// search runs discover_tools for one call.
type search struct {
	gateway    *Gateway
	generation *Generation
	field      *field
}

// searching is the tool that finds others as it is for the caller in this chat.
func (p *passage) searching(entry *registry.Entry) *registry.Entry {
	f := p.generation.sight(p.view()).field
	return &registry.Entry{Spec: f.asked, Schema: entry.Schema, Runner: &search{p.gateway, p.generation, f}}
}

// Run searches, and notes in the chat what was found.
func (s *search) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	r := find.ReadRequest(in.Args)
	results, err := s.search(ctx, in.Call, &r)
	if err != nil {
		return tool.Output{}, err
	}
	a := s.answer(in.Call, &r, &results)
	budget := cmp.Or(s.generation.Discovery.Budget, find.DefaultBudget)
	w, err := a.Write(&r, budget)
	if err != nil {
		return tool.Output{}, err
	}
	added, unsaved := s.keep(ctx, in.Call, w.Told)
	if unsaved != nil {
		a.Unsaved = true
		if w, err = a.Write(&r, budget); err != nil {
			return tool.Output{}, err
		}
	}
	s.learn(in.Call, &r, &results)
	out := tool.TextOutput(string(w.JSON))
	out.Structured, out.Noop = w.JSON, len(a.Tools) == 0
	out.Search = &tool.Search{Activated: added, Spared: s.spared(w.Full), Exact: a.Exact}
	if unsaved != nil {
		out.Notes = []string{"what was found could not be kept in the chat: " + tool.AsError(unsaved).Message}
	}
	return out, nil
}

// search asks the index.
func (s *search) search(ctx context.Context, call *tool.Call, r *find.Request) (discovery.Results, error) {
	d := s.generation.Discovery
	if d == nil || d.Lease == nil {
		return discovery.Results{}, tool.Errorf(tool.Internal, "tools cannot be searched for here").
			Because(errors.New("this configuration has no index of its tools")).
			WithHint("Call the tools in your tool list, or tell the user what you need.")
	}
	scope, err := s.field.searched(ctx, d.Lease)
	if err != nil {
		return discovery.Results{}, unsearched(ctx, err)
	}
	hints, err := s.hints(ctx, call.Caller)
	if err != nil {
		return discovery.Results{}, unsearched(ctx, err)
	}
	results, err := scope.Search(ctx, discovery.Query{
		Text: r.Query, Limit: cmp.Or(r.Limit, d.Limit, discovery.DefaultLimit),
		Namespace: r.Namespace, Tags: r.Tags, Hints: hints, Explain: r.Explain,
	})
	if err != nil {
		return discovery.Results{}, unsearched(ctx, err)
	}
	return results, nil
}

// unsearched words why there is no answer.
func unsearched(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return tool.Ended(ctx)
	}
	e := tool.Errorf(tool.Internal, "the tools could not be searched").Because(fmt.Errorf("discovery: %w", err)).
		WithHint("Try again; if it fails again, tell the user.")
	e.Retryable = true
	return e
}

// hints are what earlier searches have taught, for this caller; nil without any.
func (s *search) hints(ctx context.Context, caller tool.Caller) (*discovery.Hints, error) {
	if s.gateway.notes == nil {
		return nil, nil
	}
	notes, version := s.gateway.notes.Notes(caller)
	if len(notes) == 0 {
		return nil, nil
	}
	index, err := s.generation.Discovery.Lease.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.generation.seen().hinted(index, notes, version), nil
}

// answer is what is told of the results.
func (s *search) answer(call *tool.Call, r *find.Request, results *discovery.Results) *find.Answer {
	a := &find.Answer{Exact: results.Exact, More: results.More, Near: results.Near}
	for i := range results.Hits {
		h := &results.Hits[i]
		spec := s.field.specs[h.Index]
		found := find.Found{Spec: spec, Score: h.Score, Explained: h.Explained}
		found.Permission, found.With = s.outlook(spec, call.Caller)
		a.Tools = append(a.Tools, found)
	}
	if u, advice := s.unavailable(call, r.Query); u != nil {
		a.Unavailable, a.Advice, a.Near = append(a.Unavailable, *u), advice, nil
	}
	return a
}

// outlook is what becomes of the caller's calls of a tool, and with which tool it is
// called where it is not listed; empty where there is none, or where all calls that
// come that way are denied.
func (s *search) outlook(spec *tool.Spec, caller tool.Caller) (permission, with string) {
	engine := s.generation.Policy
	effect := engine.OutlookVia(spec, caller, tool.ViaDirect).Effect
	if with = s.wrapper(spec); with != "" {
		switch inside := engine.OutlookVia(spec, caller, tool.ViaCallTool).Effect; {
		case inside == policy.Deny:
			with = ""
		case inside != effect:
			effect = policy.Depends
		}
	}
	switch effect {
	case policy.Allow:
		return find.Allow, with
	case policy.Ask:
		return find.Ask, with
	}
	return find.Depends, with
}

// wrapper is the tool with which a tool is called that is not listed.
func (s *search) wrapper(spec *tool.Spec) string {
	for _, name := range [...]string{find.CallReadName, find.CallName} {
		if own, ok := s.generation.Tools.Lookup(name); ok && isFinder(own.Spec) && (name == find.CallName || spec.ReadOnly()) {
			return name
		}
	}
	return ""
}

// unavailable is the tool of which the query is the name, and what to do about it,
// where a rule that denies it says that it may be told, or where the caller may have it
// and it is not active in the chat; else nil.
func (s *search) unavailable(call *tool.Call, query string) (u *find.Unavailable, advice string) {
	g := s.generation
	entry, ok := g.Tools.Meant(query)
	if !ok || entry.Spec.Source == tool.SourceBuiltin || !g.has(call.Profile, entry.Spec) {
		return nil, ""
	}
	visibility, d := g.Policy.Visibility(entry.Spec, call.Caller)
	switch {
	case visibility == policy.Told:
		return &find.Unavailable{Name: entry.Spec.Name, Reason: cmp.Or(d.Reason, "the policy does not allow calling it")}, ""
	case visibility == policy.Shown && !entry.Spec.ActiveIn(g.Groups.inEffect(call.Chat).Groups):
		reason, advice := g.inactive(entry.Spec, call.Caller)
		return &find.Unavailable{Name: entry.Spec.Name, Reason: reason}, advice
	}
	return nil, ""
}

// keepWait is how long a search waits for what it found to be kept in its chat: the
// answer is of use without that.
const keepWait = time.Second

var errKeepSlow = errors.New("it took longer than " + tool.Span(keepWait))

// keep notes in the chat what was found and is not in its list.
func (s *search) keep(ctx context.Context, call *tool.Call, told []*tool.Spec) (added []string, err error) {
	if s.gateway.chats == nil {
		return nil, nil
	}
	var names []string
	for _, spec := range told {
		if spec.Deferred && !slices.Contains(call.Chat.Found, spec.Name) {
			names = append(names, spec.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, keepWait, errKeepSlow)
	defer stop()
	return s.gateway.chats.Find(ctx, call.Caller.ID, call.Chat, names, func(name string) bool {
		entry, ok := s.generation.Tools.Lookup(name)
		return ok && s.generation.Policy.Lists(entry.Spec, call.Caller)
	})
}

// spared is about how many tokens the schemas of the deferred tools take that the
// caller may find, without those that this answer has.
func (s *search) spared(sent []*tool.Spec) int {
	size := s.field.size
	for _, spec := range sent {
		if spec.Deferred {
			size -= find.Characters(spec)
		}
	}
	return size / 4
}

// learn tells what was found, where searches are learned from.
func (s *search) learn(call *tool.Call, r *find.Request, results *discovery.Results) {
	if s.gateway.notes == nil || !s.generation.Discovery.Learn || len(results.Hits) == 0 {
		return
	}
	names := make([]string, len(results.Hits))
	for i := range results.Hits {
		names[i] = results.Hits[i].Name
	}
	s.gateway.notes.Searched(call.Caller, call.Chat, s.generation.Masker.Text(r.Query), names)
}

// noteUse tells that a call went well, where searches are learned from.
func (p *passage) noteUse(err error) {
	d := p.generation.Discovery
	if err != nil || p.gateway.notes == nil || d == nil || !d.Learn || p.entry.Spec.Source == tool.SourceBuiltin {
		return
	}
	p.gateway.notes.Called(p.call.Caller, p.call.Chat, p.call.Tool)
}
