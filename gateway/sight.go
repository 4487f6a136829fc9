package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

const (
	// maxSights is of how many callers it is kept what they see: each needs about eight
	// bytes for each of the tools.
	maxSights = 256
	// maxFields is how many different sets of tools are kept that callers may find.
	maxFields = 32
	// maxHints is how many sets of notes are kept as searches use them.
	maxHints = 16
)

// sights are what callers see of the tools of one generation at a time.
type sights struct {
	mu  sync.Mutex // guards what follows
	of  origin
	now *seen
}

// origin is what sights are made of, beside the view.
type origin struct {
	tools  *registry.Registry
	policy *policy.Engine
	groups *Groups
}

// seen is what callers saw of the tools of a generation. The policy is asked about
// each tool once for each of them, not for each list and each search.
type seen struct {
	mu     sync.Mutex // guards what follows
	views  recent[[sha256.Size]byte, func() *sight]
	fields recent[[sha256.Size]byte, *field]
	hints  recent[uint64, func() *discovery.Hints]
}

// seen is what is kept for the generation.
func (g *Generation) seen() *seen {
	k, own := &g.Discovery.kept, origin{g.Tools, g.Policy, g.Groups}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now == nil || k.of != own {
		k.of, k.now = own, &seen{}
	}
	return k.now
}

// sight is what one caller sees with these groups active. It does not change.
type sight struct {
	listed   []*tool.Spec // in list order, without what the chat found; not to be changed
	inactive missing      // the tools that a group would add
	field    *field
}

// field is a set of tools that a caller may find: those that it may be shown, but for
// the gateway's own. It is shared by callers with the same ones.
type field struct {
	specs    []*tool.Spec // all of the generation that can be found, by their positions in the index
	visible  []bool       // of them
	deferred []*tool.Spec // of those that are visible, in list order
	byName   map[string]*tool.Spec
	asked    *tool.Spec // discover_tools, as it is for these
	size     int        // characters of the deferred ones in a list

	scoping sync.Once
	scope   *discovery.Scope
}

// sight gives what a view shows.
func (g *Generation) sight(view tool.View) *sight {
	view.Chat = g.Groups.inEffect(view.Chat)
	key, ok := keyOf(&view)
	if g.Discovery == nil || !ok {
		return g.look(&view, newField)
	}
	return g.seen().view(key, func(shared fieldOf) *sight { return g.look(&view, shared) })
}

// fieldOf makes the field of these tools, or finds it.
type fieldOf func(specs []*tool.Spec, visible []bool) *field

// view gives what the view of the key shows.
func (k *seen) view(key [sha256.Size]byte, look func(fieldOf) *sight) *sight {
	k.mu.Lock()
	found := k.views.get(key, maxSights, func() func() *sight {
		return sync.OnceValue(func() *sight { return look(k.field) })
	})
	k.mu.Unlock()
	return found()
}

// keyOf tells views apart that may show different tools: by all that policy, profiles
// and groups go by before there is a call.
func keyOf(view *tool.View) (key [sha256.Size]byte, ok bool) {
	c := &view.Caller
	data, err := json.Marshal([]any{c.ID, c.Name, c.Kind, c.Groups, c.Claims, view.Profile, view.Chat.Groups})
	return sha256.Sum256(data), err == nil // a program may give claims that are no JSON
}

// look asks the policy about every tool.
func (g *Generation) look(view *tool.View, shared fieldOf) *sight {
	s := &sight{inactive: missing{}}
	asking, finders := -1, []int{}
	var specs []*tool.Spec
	var visible []bool
	for _, e := range g.Tools.All() {
		spec := e.Spec
		own := spec.Source == tool.SourceBuiltin
		lists := g.has(view.Profile, spec) && g.lists(spec, view.Caller)
		if lists && !spec.ActiveIn(view.Chat.Groups) {
			s.inactive.add(spec)
			lists = false
		}
		if !own {
			specs, visible = append(specs, spec), append(visible, lists)
		}
		switch {
		case !lists || spec.Deferred && !own:
			continue
		case isFinder(spec):
			finders = append(finders, len(s.listed))
		case spec.Name == activation.ToolName && own:
			asking = len(s.listed)
		}
		s.listed = append(s.listed, spec)
	}
	s.field = shared(specs, visible)
	s.placeAsking(g.Groups, asking)
	s.placeFinders(finders)
	return s
}

// lists is [policy.Engine.Lists], but that calls of call_tool are never judged: those
// inside of them are.
func (g *Generation) lists(s *tool.Spec, caller tool.Caller) bool {
	return isFinder(s) && find.Calls(s.Name) || g.Policy.Lists(s, caller)
}

// isFinder reports whether it is one of the gateway's own tools that models find and
// call others with.
func isFinder(s *tool.Spec) bool { return s.Source == tool.SourceBuiltin && find.Is(s.Name) }

// placeAsking puts the tool that asks for groups in its place, where there are any.
// Nothing in front of it goes or comes afterwards.
func (s *sight) placeAsking(groups *Groups, at int) {
	if at < 0 {
		return
	}
	if offered := groups.offered(s.inactive); len(offered) > 0 {
		s.listed[at] = groups.tools.For(offered)
		return
	}
	s.listed[at] = nil
}

// placeFinders puts the tools that models find others with in their places, where
// there is anything to find.
func (s *sight) placeFinders(at []int) {
	for _, i := range at {
		switch {
		case len(s.field.deferred) == 0:
			s.listed[i] = nil
		case s.listed[i].Name == find.ToolName:
			s.listed[i] = s.field.asked
		}
	}
	s.listed = slices.DeleteFunc(s.listed, func(spec *tool.Spec) bool { return spec == nil })
}

// appendFound adds what was found in the chat and may still be.
func (s *sight) appendFound(specs []*tool.Spec, found []string) []*tool.Spec {
	for i, name := range found {
		if spec := s.field.byName[name]; spec != nil && !slices.Contains(found[:i], name) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// field gives the one of these tools.
func (k *seen) field(specs []*tool.Spec, visible []bool) *field {
	bits := make([]byte, len(visible))
	for i, v := range visible {
		if v {
			bits[i] = 1
		}
	}
	key := sha256.Sum256(bits)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fields.get(key, maxFields, func() *field { return newField(specs, visible) })
}

func newField(specs []*tool.Spec, visible []bool) *field {
	f := &field{specs: specs, visible: visible, byName: map[string]*tool.Spec{}}
	for i, spec := range specs {
		if visible[i] && spec.Deferred {
			f.deferred = append(f.deferred, spec)
			f.byName[spec.Name] = spec
			f.size += find.Characters(spec)
		}
	}
	f.asked = find.NewSpec(f.deferred)
	return f
}

// searched gives the part of the index that these tools are, and waits for the index.
func (f *field) searched(ctx context.Context, lease *discovery.Lease) (*discovery.Scope, error) {
	index, err := lease.Index(ctx)
	if err != nil {
		return nil, err
	}
	if index.Len() != len(f.specs) {
		return nil, fmt.Errorf("the index has %d tools, and the configuration %d", index.Len(), len(f.specs))
	}
	f.scoping.Do(func() { f.scope = index.Scope(func(i int) bool { return f.visible[i] }) })
	return f.scope, nil
}

// hinted gives notes as searches of the index use them.
func (k *seen) hinted(index *discovery.Index, notes []discovery.Note, version uint64) *discovery.Hints {
	k.mu.Lock()
	made := k.hints.get(version, maxHints, func() func() *discovery.Hints {
		return sync.OnceValue(func() *discovery.Hints { return index.Hints(notes) })
	})
	k.mu.Unlock()
	return made()
}

// searches reports whether a view shows the tool that finds others.
func (g *Generation) searches(view tool.View) bool {
	entry, ok := g.Tools.Lookup(find.ToolName)
	return ok && isFinder(entry.Spec) && g.Policy.Lists(entry.Spec, view.Caller) && len(g.sight(view).field.deferred) > 0
}
