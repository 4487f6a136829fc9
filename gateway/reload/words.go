package reload

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNamed is how many names of one kind a line of the log holds.
const maxNamed = 20

// String is a change on a part of a line: +added -removed ~changed(keys).
func (c Change) String() string {
	var words []string
	words = append(words, signed("+", c.Added)...)
	words = append(words, signed("-", c.Removed)...)
	changed := make([]string, 0, len(c.Changed))
	for _, name := range slices.Sorted(maps.Keys(c.Changed)) {
		changed = append(changed, fmt.Sprintf("%s(%s)", name, strings.Join(c.Changed[name], ",")))
	}
	words = append(words, signed("~", changed)...)
	if c.Reordered {
		words = append(words, "reordered")
	}
	return strings.Join(words, " ")
}

func signed(sign string, names []string) []string {
	var out []string
	for i, name := range names {
		if i == maxNamed {
			return append(out, fmt.Sprintf("%sand %d more", sign, len(names)-maxNamed))
		}
		out = append(out, sign+name)
	}
	return out
}
