package discovery

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// leastLike is the least length, in bytes, of a word that another is looked for like.
	leastLike = 4
	// unlike is the likeness up to which mistakes in a word are not looked for.
	unlike = .15
	// maxLike is how many terms count as a word that no tool has.
	maxLike = 2
	// alikeBegin is how many bytes a word and one that looks like it begin with alike.
	alikeBegin = 3
	// nearness is the least likeness of a name that is suggested.
	nearness = .3
	// maxGrams is how many grams of a text are compared.
	maxGrams = 200
)

// grams finds names that look like a text: those that share with it many of the three
// bytes in a row, its ends included.
type grams struct {
	names    []string
	keys     []string             // what is compared of each
	mistakes bool                 // keys that differ by one are alike too
	lists    map[[3]byte][]uint32 // numbers of those that have a gram
	sizes    []uint8              // different grams of each
}

// newGrams compares names by keys, and with mistakes also by what typing makes of them.
func newGrams(names, keys []string, mistakes bool) *grams {
	g := &grams{names: names, keys: keys, mistakes: mistakes, lists: map[[3]byte][]uint32{}, sizes: make([]uint8, len(names))}
	for number, key := range keys {
		of := gramsOf(key)
		g.sizes[number] = uint8(len(of))
		for _, gram := range of {
			g.lists[gram] = append(g.lists[gram], uint32(number))
		}
	}
	return g
}

// gramsOf are the grams of a text, each once.
func gramsOf(text string) [][3]byte {
	padded := "\x00" + text + "\x00"
	var out [][3]byte
	for i := 0; i+3 <= len(padded) && len(out) < maxGrams; i++ {
		gram := [3]byte([]byte(padded[i : i+3]))
		if !slices.Contains(out, gram) {
			out = append(out, gram)
		}
	}
	return out
}

// lookalike is a name and how much it is like a text, in (0, 1]: twice the grams they
// share by the grams they have, or the share of letters that no mistake changed.
type lookalike struct {
	number   uint32
	likeness float64
}

// like are at most n names of which has is true that are at least so much like the text,
// the most alike first, equal ones in their alphabet. Shared is a 0 for every name, and
// is left so.
func (g *grams) like(text string, least float64, n int, shared []uint8, has func(number uint32) bool) []lookalike {
	of, letters := gramsOf(text), []rune(text)
	var found []uint32
	for _, gram := range of {
		for _, number := range g.lists[gram] {
			if shared[number] == 0 {
				found = append(found, number)
			}
			shared[number]++
		}
	}
	var out []lookalike
	for _, number := range found {
		likeness := 2 * float64(shared[number]) / float64(len(of)+int(g.sizes[number]))
		if g.mistakes && likeness > unlike {
			likeness = max(likeness, edited(letters, g.keys[number]))
		}
		shared[number] = 0
		if likeness >= least && has(number) {
			out = append(out, lookalike{number, likeness})
		}
	}
	slices.SortFunc(out, func(a, b lookalike) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(g.names[a.number], g.names[b.number]))
	})
	return out[:min(n, len(out))]
}

// kin reports whether a word that no tool has may mean another, because they begin alike
// or because it is mistyped. A word that is known, such as weather, is not mistyped, and
// one that differs in its first letter alone is another, as mouse and house are.
func kin(word, other string) bool {
	if strings.HasPrefix(other, word[:min(len(word), alikeBegin)]) {
		return true
	}
	_, known := words().like[word]
	return !known && word[1:] != other[min(1, len(other)):] && edited([]rune(word), other) > 0
}

// foldedNames are the names of the documents, to be compared without what people
// mistake in names.
func (x *Index) foldedNames() *grams {
	names, keys := make([]string, len(x.docs)), make([]string, len(x.docs))
	for i := range x.docs {
		names[i] = x.docs[i].name
		keys[i] = foldName(cut(names[i], maxWord*2))
	}
	return newGrams(names, keys, true)
}

// near are names of allowed documents that resemble the text.
func (s *Scope) near(text string, allowed bits) []string {
	folded := foldName(cut(text, maxWord*2))
	if folded == "" {
		return nil
	}
	g := s.index.likeNames()
	var out []string
	for _, a := range g.like(folded, nearness, MaxNear, make([]uint8, len(g.names)), allowed.has) {
		out = append(out, g.names[a.number])
	}
	return out
}
