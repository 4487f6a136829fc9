package discovery

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// thesaurus has for the stem of a word the stems of those that stand for the same, in
// the order of the file.
var thesaurus = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	read := reader{levers: &levers{}}
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []string
		for _, w := range strings.Fields(line) {
			group = append(group, read.stem(w))
		}
		for _, a := range group {
			for _, b := range group {
				if a != b && !slices.Contains(out[a], b) {
					out[a] = append(out[a], b)
				}
			}
		}
	}
	return out
})
