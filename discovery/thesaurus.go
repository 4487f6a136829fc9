package discovery

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// lexicon is what is known of words beside their letters. Words are stems; those that
// are written as several have spaces.
type lexicon struct {
	like    map[string][]string // those that stand for the same, in the order of the file
	same    map[string][]string // of those, the other ways to write the very same
	phrases map[string][]string // by the first of their words, the longest first
	verbs   map[[2]string]string
}

// thesaurus has for the stem of a word the stems of those that stand for the same, in
// the order of the file.
func thesaurus() map[string][]string { return words().like }

// words is read once.
var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{like: map[string][]string{}, same: map[string][]string{}, phrases: map[string][]string{}, verbs: map[[2]string]string{}}
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if before, things, ok := strings.Cut(line, ":"); ok {
			l.readVerbs(stems(before), stems(things))
			continue
		}
		group, same := strings.CutPrefix(line, "=")
		for _, a := range stems(group) {
			l.enterPhrase(a)
			for _, b := range stems(group) {
				enter(l.like, a, b)
				if same {
					enter(l.same, a, b)
				}
			}
		}
	}
	return l
})

// stems are those of the words of a line, in which _ joins the words of one.
func stems(line string) []string {
	read := reader{levers: &levers{}}
	var out []string
	for _, w := range strings.Fields(line) {
		parts := strings.Split(w, "_")
		for i := range parts {
			parts[i] = read.stem(parts[i])
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

func enter(to map[string][]string, a, b string) {
	if a != b && !slices.Contains(to[a], b) {
		to[a] = append(to[a], b)
	}
}

func (l *lexicon) enterPhrase(word string) {
	if first, _, ok := strings.Cut(word, " "); ok && !slices.Contains(l.phrases[first], word) {
		l.phrases[first] = append(l.phrases[first], word)
		slices.SortStableFunc(l.phrases[first], func(a, b string) int { return strings.Count(b, " ") - strings.Count(a, " ") })
	}
}

// readVerbs reads that the verbs after the first, before one of the things, mean the
// first.
func (l *lexicon) readVerbs(verbs, things []string) {
	for _, verb := range verbs[1:] {
		for _, thing := range things {
			l.verbs[[2]string{verb, thing}] = verbs[0]
		}
	}
}
