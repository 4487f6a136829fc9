// Package registry holds the immutable set of tools of one configuration:
// their names, their order in lists, and what a mistyped name was meant to be.
package registry

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Entry is one tool of a configuration with what is needed to run it.
type Entry struct {
	Spec   *tool.Spec
	Schema *schema.Schema // of all arguments; Spec.Parameters is what models are shown of it
	Runner tool.Runner
}

// Registry is a set of tools; it does not change and is safe for concurrent
// use.
type Registry struct {
	entries []*Entry // in list order
	byName  map[string]*Entry
	folded  map[string]*Entry // by tool.FoldName
}

// New makes a registry. Two entries whose names are equal, or equal but for
// case, "-" and "_", are an error.
func New(entries []*Entry) (*Registry, error) {
	r := &Registry{
		entries: slices.Clone(entries),
		byName:  make(map[string]*Entry, len(entries)),
		folded:  make(map[string]*Entry, len(entries)),
	}
	slices.SortFunc(r.entries, inListOrder)
	for _, e := range r.entries {
		if err := r.add(e); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Registry) add(e *Entry) error {
	fold := tool.FoldName(e.Spec.Name)
	if other, ok := r.folded[fold]; ok {
		return fmt.Errorf("tools %q and %q have names that models confuse; rename one of them", other.Spec.Name, e.Spec.Name)
	}
	r.byName[e.Spec.Name], r.folded[fold] = e, e
	return nil
}

// inListOrder puts the gateway's own tools first, then declared ones, each group
// by name: a list that only grows at its end keeps prompt caches warm.
func inListOrder(a, b *Entry) int {
	return cmp.Or(
		cmp.Compare(rank(a.Spec), rank(b.Spec)),
		cmp.Compare(a.Spec.Name, b.Spec.Name),
	)
}

func rank(s *tool.Spec) int {
	switch {
	case s.Source == tool.SourceBuiltin, s.Source == tool.SourceInterpreter:
		return 0
	case s.Namespace == "":
		return 1
	}
	return 2
}

// Lookup finds the tool of exactly this name.
func (r *Registry) Lookup(name string) (*Entry, bool) {
	e, ok := r.byName[name]
	return e, ok
}

// Meant finds the tool whose name equals the given one when case and
// punctuation are ignored. It is for suggestions only, never for running.
func (r *Registry) Meant(name string) (*Entry, bool) {
	e, ok := r.folded[tool.FoldName(name)]
	return e, ok
}

// All returns every tool in list order. The caller must not change the slice.
func (r *Registry) All() []*Entry { return r.entries }
