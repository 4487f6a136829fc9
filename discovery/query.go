package discovery

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// none is the number of a term that the index does not have.
const none = ^uint32(0)

// term is a word of a query.
type term struct {
	word
	number uint32 // none where the scope does not have it
	clause int    // which it is first in
	place  int    // among the terms that are no wholes; of a whole, that of its last part
	joined uint32 // the word and the one before it written as one; none where the scope does not have that
	means  []meaning
	// distrust is the share of what the word counts that is taken from it, since tools
	// that searches with it led to do not have it; in [0, 1).
	distrust float64
	// part is the share of what the word counts that is left to it beside a whole that
	// it is a part of; 0 for all of it.
	part float64
	verb string // what it means as a verb before the thing after it; mostly empty
}

// query is a text taken apart.
type query struct {
	terms   []term   // each once, in the order of the text
	all     []uint32 // words in the order of the text, also those that say nothing
	clauses int
	places  int    // words that are no wholes
	harm    bool   // it asks for something to be taken away
	pairs   []pair // of neighbours, but for stop words between them; each once
}

// parse takes a text apart. Where it has nothing but stop words, these count, the mute
// ones where there are no others; where the scope has none of its words, those that are
// made of some.
func (s *Scope) parse(text string) query {
	read := reader{levers: s.index.levers}
	clauses := clausesOf(s.index.levers.method(text))
	q := s.collect(&read, clauses, telling)
	for _, which := range []choice{notMute, anyWord} {
		if len(q.terms) == 0 {
			q = s.collect(&read, clauses, which)
		}
	}
	if !s.index.levers.noApart && !slices.ContainsFunc(q.terms, func(t term) bool { return s.has(t.number) || len(s.sameAs(t.term)) > 0 }) {
		if text := s.apart(&read, q.terms); text != "" {
			q = s.collect(&read, []string{text}, telling)
		}
	}
	q.harm = q.meansHarm()
	return q
}

// choice is which words of a query count.
type choice int

const (
	telling choice = iota // no stop words
	notMute               // also stop words, but for mute ones
	anyWord
)

func (c choice) takes(w *word) bool {
	return !w.stop || c == notMute && !mute()[w.plain] || c == anyWord
}

func (s *Scope) collect(read *reader, clauses []string, which choice) query {
	var q query
	seen := map[string]bool{}
	for _, text := range clauses {
		found, before, plain := false, none, ""
		all := read.words(text)
		for i, w := range all {
			number, ok := s.index.terms[w.term]
			if !ok || !s.has(number) {
				number = none
			}
			if !w.whole {
				q.all = append(q.all, number)
			}
			if !which.takes(&w) || w.whole && number == none && len(s.sameAs(w.term)) == 0 {
				continue
			}
			joined := none
			if !w.whole {
				q.pair(before, number)
				joined = s.joined(read, plain, w.plain)
				before, plain = number, w.plain
			}
			if seen[w.term] {
				continue
			}
			seen[w.term], found = true, true
			if !w.whole {
				q.places++
			}
			q.terms = append(q.terms, term{word: w, number: number, joined: joined, clause: q.clauses, place: q.places, verb: s.index.levers.verbOf(all[i:])})
			if w.whole {
				s.bound(&q, all[:i], &q.terms[len(q.terms)-1])
			}
		}
		if found {
			q.clauses++
		}
	}
	return q
}

// verbOf is what the first of the words means where it is a verb before a thing, such as
// open before an issue: empty where it means itself.
func (l *levers) verbOf(all []word) string {
	if l.verb == 0 || len(all) < 3 || all[1].plain != "a" && all[1].plain != "an" {
		return ""
	}
	for _, w := range all[2:min(len(all), 5)] {
		if verb := words().verbs[[2]string{all[0].term, w.term}]; verb != "" {
			return verb
		}
	}
	return ""
}

// bound lessens what the parts of a whole count to a share of what the whole does: who
// asks for GitHub asks for one thing, and that most tools are of it says little, however
// few of them write it so that it has halves.
func (s *Scope) bound(q *query, before []word, whole *term) {
	if s.index.levers.halves == 0 {
		return
	}
	left, sum := whole.parts, 0.0
	parts, numbers := map[string]bool{}, []uint32{}
	for i := len(before) - 1; i >= 0 && left > 0; i-- {
		if w := before[i]; !w.whole {
			parts[w.term] = true
			left--
		}
	}
	for i := range q.terms {
		t := &q.terms[i]
		if t.joined == whole.number {
			t.joined = none
		}
		if parts[t.term] && s.has(t.number) {
			sum += float64(s.idf[t.number])
			numbers = append(numbers, t.number)
		}
	}
	q.pairs = slices.DeleteFunc(q.pairs, func(p pair) bool {
		return slices.Contains(numbers, p.first) && slices.Contains(numbers, p.second)
	})
	most := s.index.levers.halves * s.ownRarity(whole)
	if sum <= most {
		return
	}
	for i := range q.terms {
		if t := &q.terms[i]; parts[t.term] {
			t.part = most / sum
		}
	}
}

// joined is the number of two words written as one, such as webhook.
func (s *Scope) joined(read *reader, a, b string) uint32 {
	if a == "" || len(a)+len(b) > maxWord {
		return none
	}
	number, ok := s.index.terms[read.stem(a+b)]
	if !ok || !s.has(number) {
		return none
	}
	return number
}

// maxPairs is how many pairs of neighbours of a query count.
const maxPairs = 63

// pair are two words, the second of which stands after the first.
type pair struct {
	first, second uint32
	idf           float64 // of both
	next          uint8   // one more than the pair before it that has the same end
}

// pair notes that b stands after a.
func (q *query) pair(a, b uint32) {
	known := func(p pair) bool { return p.first == a && p.second == b }
	if a != none && b != none && a != b && len(q.pairs) < maxPairs && !slices.ContainsFunc(q.pairs, known) {
		q.pairs = append(q.pairs, pair{first: a, second: b})
	}
}

// clausesOf splits a text at the ends of sentences and where it goes on to another
// thing.
func clausesOf(text string) []string {
	var out []string
	start := 0
	for i, c := range text {
		end := i + utf8.RuneLen(c)
		if c == utf8.RuneError {
			end = i + 1
		}
		switch c {
		case '.', '!', '?':
			next, _ := utf8.DecodeRuneInString(text[end:])
			if end < len(text) && !unicode.IsSpace(next) {
				continue
			}
		case ';', '\n', '。', '！', '？', '；':
		default:
			continue
		}
		out = append(out, text[start:end])
		start = end
	}
	return splitOn(append(out, text[start:]), ", ", " and ", " also ", " additionally ", " as well as ")
}

func splitOn(texts []string, marks ...string) []string {
	for _, mark := range marks {
		var out []string
		for _, text := range texts {
			for {
				i := strings.Index(text, mark)
				if i < 0 {
					break
				}
				out = append(out, text[:i])
				text = text[i+len(mark):]
			}
			out = append(out, text)
		}
		texts = out
	}
	return texts
}

// cut is the text as far as it is in the limit of bytes, up to the end of a word where
// there is one.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(limit, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if i := strings.LastIndexFunc(text[:end], unicode.IsSpace); i > 0 {
		end = i
	}
	return text[:end]
}
