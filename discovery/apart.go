package discovery

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// leastPiece is the least length, in bytes, of a piece of a word.
	leastPiece = 3
	// maxPieces is how many words one may be made of.
	maxPieces = 5
)

// apart is a text whose words nobody knows with spaces in those that are made of known
// words, such as listpods; empty where there are none.
func (s *Scope) apart(read *reader, terms []term) string {
	var out []string
	found := false
	for _, t := range terms {
		if t.whole {
			continue
		}
		pieces := s.pieces(read, t.plain)
		if pieces == nil {
			pieces = []string{t.plain}
		}
		found = found || len(pieces) > 1
		out = append(out, pieces...)
	}
	if !found {
		return ""
	}
	return strings.Join(out, " ")
}

// pieces takes a word apart into the fewest known ones; nil where it cannot be.
func (s *Scope) pieces(read *reader, plain string) []string {
	if first, _ := utf8.DecodeRuneInString(plain); unspaced(first) {
		return nil
	}
	var fewest, from [maxWord + 1]int // up to a byte, and where the last piece begins; 0 where there are none
	for end := leastPiece; end <= len(plain); end++ {
		for start := 0; start+leastPiece <= end; start++ {
			if start > 0 && fewest[start] == 0 || fewest[start] == maxPieces {
				continue
			}
			if n := fewest[start] + 1; (fewest[end] == 0 || n < fewest[end]) && s.tells(read, plain[start:end]) {
				fewest[end], from[end] = n, start
			}
		}
	}
	if fewest[len(plain)] == 0 {
		return nil
	}
	var out []string
	for end := len(plain); end > 0; end = from[end] {
		out = append(out, plain[from[end]:end])
	}
	slices.Reverse(out)
	return out
}

// tells reports whether a word is one of the scope that says something.
func (s *Scope) tells(read *reader, plain string) bool {
	number, ok := s.index.terms[read.stem(plain)]
	return ok && s.has(number) && !stopWords()[plain]
}

// method puts a verb in place of the method of HTTP with which a text begins, in
// capitals: who writes POST /orders wants to create one. GET and DELETE are verbs of
// tools as they are.
func (l *levers) method(text string) string {
	if l.noMethod {
		return text
	}
	first, rest, _ := strings.Cut(text, " ")
	switch first {
	case "POST":
		return "create " + rest
	case "PUT":
		return "put update " + rest
	case "PATCH":
		return "update " + rest
	}
	return text
}
