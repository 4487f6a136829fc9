package discovery

import (
	"slices"
	"sync"
)

// harmful are the stems of verbs of tools that take something away.
var harmful = sync.OnceValue(func() []string {
	return stems("delete remove destroy drop purge erase kill terminate wipe uninstall revoke cancel disable")
})

// harms are the words of a name that say that the tool takes something away.
func (x *Index) harms(title []uint32) []uint32 {
	var out []uint32
	for _, t := range title {
		if slices.Contains(harmful(), x.names[t]) {
			out = append(out, t)
		}
	}
	return out
}

// meansHarm reports whether a query asks for something to be taken away.
func (q *query) meansHarm() bool {
	return slices.ContainsFunc(q.terms, func(t term) bool {
		is := func(w string) bool { return slices.Contains(harmful(), w) }
		return is(t.term) || slices.ContainsFunc(thesaurus()[t.term], is)
	})
}

// harm is the share of a score that is lost where a tool takes away what was only named:
// who searches for pods may want to see them.
func (s *search) harm(i uint32) float64 {
	harms := s.scope.index.docs[i].harms
	if s.levers.harm == 0 || len(harms) == 0 || s.query.harm || slices.ContainsFunc(harms, func(t uint32) bool { return s.asked[t] > 0 }) {
		return 0
	}
	return s.levers.harm
}
