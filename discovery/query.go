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
	joined uint32 // the word and the one before it written as one; none where the scope does not have that
	means  []meaning
	// distrust is the share of what the word counts that is taken from it, since tools
	// that searches with it led to do not have it; in [0, 1).
	distrust float64
}

// query is a text taken apart.
type query struct {
	terms   []term // each once, in the order of the text
	clauses int
	pairs   []pair // of neighbours, but for stop words between them; each once
}

// parse takes a text apart. Where it has nothing but stop words, these count; where the
// scope has none of its words, those that are made of some.
func (s *Scope) parse(text string) query {
	read := reader{levers: s.index.levers}
	clauses := clausesOf(s.index.levers.method(text))
	q := s.collect(&read, clauses, false)
	if len(q.terms) == 0 {
		q = s.collect(&read, clauses, true)
	}
	if !s.index.levers.noApart && !slices.ContainsFunc(q.terms, func(t term) bool { return s.has(t.number) }) {
		if text := s.apart(&read, q.terms); text != "" {
			q = s.collect(&read, []string{text}, false)
		}
	}
	return q
}

func (s *Scope) collect(read *reader, clauses []string, stops bool) query {
	var q query
	seen := map[string]bool{}
	for _, text := range clauses {
		found, before, plain := false, none, ""
		for _, w := range read.words(text) {
			number, ok := s.index.terms[w.term]
			if !ok || !s.has(number) {
				number = none
			}
			if w.stop && !stops || w.whole && number == none {
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
			q.terms = append(q.terms, term{word: w, number: number, joined: joined, clause: q.clauses})
		}
		if found {
			q.clauses++
		}
	}
	return q
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
