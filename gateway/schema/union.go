package schema

import (
	"fmt"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// union words a value that fits no branch of anyOf or oneOf. The branches of
// another type, and those whose fixed members (kind: circle) differ, were not
// meant; when one branch remains its problems are told as they are.
func (w *worder) union(e *js.ValidationError, at location, v any) []problem {
	branches := make([][]problem, len(e.Causes))
	for i, cause := range e.Causes {
		branches[i] = w.problems(cause)
	}
	if p, ok := merged(branches, at, v); ok {
		return []problem{p}
	}
	meant := drop(branches, func(p problem) bool { return len(p.types) > 0 && at.compare(p.at) == 0 })
	meant = drop(meant, func(p problem) bool { return len(p.values) > 0 && len(p.at) <= len(at)+1 })
	if len(meant) == 1 {
		return meant[0]
	}
	if p, ok := w.discriminator(meant, at); ok {
		return []problem{p}
	}
	return []problem{closest(meant, len(branches), at)}
}

// discriminator words a union whose branches all ask for another value of the
// same member.
func (w *worder) discriminator(branches [][]problem, at location) (problem, bool) {
	if len(branches) == 0 {
		return problem{}, false
	}
	for _, p := range branches[0] {
		if len(p.values) == 0 || len(p.at) != len(at)+1 {
			continue
		}
		var values []any
		for _, b := range branches {
			i := slices.IndexFunc(b, func(q problem) bool { return len(q.values) > 0 && p.at.compare(q.at) == 0 })
			if i < 0 {
				return problem{}, false
			}
			values = append(values, b[i].values...)
		}
		return valueProblem(p.at, values, p.at.lookup(w.value)), true
	}
	return problem{}, false
}

// merged words a union of plain types or of plain values in one sentence.
func merged(branches [][]problem, at location, v any) (problem, bool) {
	var types []string
	var values []any
	for _, b := range branches {
		if len(b) != 1 || at.compare(b[0].at) != 0 {
			return problem{}, false
		}
		for _, t := range b[0].types {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		values = append(values, b[0].values...)
	}
	switch {
	case len(types) > 0 && len(values) == 0 && each(branches, func(p problem) bool { return len(p.types) > 0 }):
		return typeProblem(at, types, v), true
	case len(values) > 0 && len(types) == 0 && each(branches, func(p problem) bool { return len(p.values) > 0 }):
		return valueProblem(at, values, v), true
	}
	return problem{}, false
}

func each(branches [][]problem, f func(problem) bool) bool {
	return !slices.ContainsFunc(branches, func(b []problem) bool { return !f(b[0]) })
}

// drop leaves out the branches with such a problem, unless that is all.
func drop(branches [][]problem, f func(problem) bool) [][]problem {
	kept := slices.DeleteFunc(slices.Clone(branches), func(b []problem) bool { return slices.ContainsFunc(b, f) })
	if len(kept) == 0 {
		return branches
	}
	return kept
}

// closest words the branch with the fewest problems as one problem.
func closest(meant [][]problem, of int, at location) problem {
	if len(meant) == 0 {
		return problem{at: at, text: "fits none of the allowed forms"}
	}
	return problem{at: at, late: func() (string, string) {
		best := slices.MinFunc(meant, func(a, b []problem) int { return len(a) - len(b) })
		sortProblems(best)
		texts := make([]string, 0, maxSuggested+1)
		for _, p := range best[:min(len(best), maxSuggested)] {
			texts = append(texts, relative(p.worded(), at))
		}
		if more := len(best) - maxSuggested; more > 0 {
			texts = append(texts, fmt.Sprintf("and %d more", more))
		}
		return fmt.Sprintf("fits none of the %d allowed forms; the closest: %s", of, strings.Join(texts, "; ")), ""
	}}
}

// relative words a problem of a branch without the path it is told under.
func relative(p problem, at location) string {
	s := p.text
	if len(p.at) > len(at) {
		s = p.at[len(at):].String() + " " + p.text
	}
	if p.hint != "" {
		s += " (" + p.hint + ")"
	}
	return s
}
