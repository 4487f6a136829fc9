package assembly

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/registry"
)

const (
	// WatchInterval is how often what tools with "requires.check: watch" need is
	// to be looked at again: see [Assembly.Recheck].
	WatchInterval = 30 * time.Second
	// lacksToLeave is after how many looks in a row that find a lack a tool is
	// taken out. One may be a hiccup, and every change of a list costs its
	// readers the cache of their prompts.
	lacksToLeave = 2
)

// lookout is what is known of the needs that are watched.
type lookout struct {
	surroundings surroundings
	wanted       map[need]bool
	lacking      map[need]int // looks in a row that found a lack; absent when met
}

// mayBeServed are the candidates that are registered and those that may come in
// later because what they need is watched.
func mayBeServed(registered, all []*candidate) []*candidate {
	out := slices.Clone(registered)
	for _, c := range all {
		if c.admitted && c.isWatched() && !slices.Contains(registered, c) {
			out = append(out, c)
		}
	}
	return out
}

// watchNeeds starts the record with what was found when the tools were
// registered. It is nil where nothing is watched.
func (b *builder) watchNeeds(all []*candidate) *lookout {
	if b.mode != Resolved {
		return nil
	}
	l := &lookout{surroundings: b.surroundings, wanted: map[need]bool{}, lacking: map[need]int{}}
	for _, c := range all {
		if !c.admitted || !c.isWatched() {
			continue
		}
		for _, n := range c.needs {
			l.wanted[n] = true
			if b.lacks[n] != nil {
				l.lacking[n] = lacksToLeave
			}
		}
	}
	if len(l.wanted) == 0 {
		return nil
	}
	return l
}

// Watches reports whether some tool's needs are to be looked at again.
func (a *Assembly) Watches() bool { return a.lookout != nil }

// Recheck looks for what tools with "requires.check: watch" need. When other
// tools than before have all they need it returns a generation with those,
// which shares all else with the one it follows, and says by name which came
// and, for each that went, why; LeftOut is then up to date. Otherwise, and when
// the context is over, the generation is nil. It is for one goroutine at a time.
func (a *Assembly) Recheck(ctx context.Context) (next *gateway.Generation, came []string, went map[string]string) {
	if a.lookout == nil {
		return nil, nil, nil
	}
	lacks := a.lookout.look(ctx)
	if ctx.Err() != nil {
		return nil, nil, nil
	}
	leftOut := maps.Clone(a.LeftOut)
	went = map[string]string{}
	for _, c := range a.all {
		if !c.admitted || !c.isWatched() {
			continue
		}
		name := c.entry.Spec.Name
		_, out := leftOut[name]
		switch why := short(c.needs, lacks); {
		case why == "" && out:
			delete(leftOut, name)
			came = append(came, name)
		case why != "" && !out:
			leftOut[name], went[name] = why, why
		}
	}
	if len(came) == 0 && len(went) == 0 {
		return nil, nil, nil
	}
	return a.regroup(leftOut), came, went
}

// look finds out which needs are not met; one that was met is taken for that
// until it was missed lacksToLeave times.
func (l *lookout) look(ctx context.Context) map[need]*lack {
	found := l.surroundings.lookAll(ctx, l.wanted)
	if ctx.Err() != nil {
		return nil // what is cut short finds nothing
	}
	for n := range l.wanted {
		switch {
		case found[n] == nil:
			delete(l.lacking, n)
		case l.lacking[n] < lacksToLeave:
			if l.lacking[n]++; l.lacking[n] < lacksToLeave {
				delete(found, n)
			}
		}
	}
	return found
}

// regroup is the generation with all admitted tools but those left out.
func (a *Assembly) regroup(leftOut map[string]string) *gateway.Generation {
	var in []*candidate
	for _, c := range a.all {
		if _, out := leftOut[c.entry.Spec.Name]; c.admitted && !out {
			in = append(in, c)
		}
	}
	tools, err := registry.New(a.withBuiltins(entriesOf(in)))
	if err != nil {
		return nil // the names of all tools were compared when the file was read
	}
	a.LeftOut = leftOut
	next := *a.Generation
	next.Tools = tools
	a.Generation = a.generation(next)
	return a.Generation
}
