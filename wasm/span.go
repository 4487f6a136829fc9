package wasm

import (
	"cmp"
	"slices"
)

// span is a piece of a guest's memory, from the first byte to behind the last.
type span struct{ from, to uint64 }

// merge gives the spans of both in order, those in one that lie no more than gap bytes
// apart.
func merge(a, b []span, gap uint64) []span {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	var merged []span
	for _, s := range all {
		if n := len(merged) - 1; n >= 0 && s.from <= merged[n].to+gap {
			merged[n].to = max(merged[n].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// total is how many bytes the spans have, which do not overlap.
func total(spans []span) uint64 {
	var n uint64
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}
