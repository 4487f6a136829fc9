package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Glob is a pattern in which * stands for any text and ? for one character.
type Glob string

// ParseGlob checks a pattern. Brackets, braces and backslashes are refused:
// other tools give them meanings that a reader would expect here.
func ParseGlob(pattern string) (Glob, error) {
	if pattern == "" {
		return "", fmt.Errorf("the pattern is empty")
	}
	if i := strings.IndexAny(pattern, `[]{}\`); i >= 0 {
		return "", fmt.Errorf("bad pattern %q: %q has no meaning in it, only * and ? have", pattern, pattern[i:i+1])
	}
	return Glob(pattern), nil
}

// Match reports whether the whole text fits the pattern. It takes linear steps
// per star: on a mismatch it goes back to the last star only. Nothing is copied,
// for there may be a thousand rules with patterns, and each may be asked at every call.
func (g Glob) Match(s string) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(s) {
		if i < len(g) && g[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if p, t := g.step(i, s[j:]); p > 0 {
			i += p
			j += t
			continue
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(s[mark:])
		mark += size
		i, j = star+1, mark
	}
	for i < len(g) && g[i] == '*' {
		i++
	}
	return i == len(g)
}

// step compares one character: it gives the bytes of it in the pattern from i on and in
// the text, which is not empty; 0 where the two differ.
func (g Glob) step(i int, s string) (inPattern, inText int) {
	if i == len(g) {
		return 0, 0
	}
	p, inPattern := utf8.DecodeRuneInString(string(g[i:]))
	t, inText := utf8.DecodeRuneInString(s)
	if p != '?' && p != t {
		return 0, 0
	}
	return inPattern, inText
}

// Covers reports whether every text that fits the other pattern surely fits this one.
func (g Glob) Covers(other Glob) bool {
	return covers([]rune(g), []rune(other))
}

// covers goes through the other pattern as [Glob.Match] does through a text, where its
// wildcards are characters that only a * fits, or a ? too.
func covers(p, other []rune) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(other) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' && other[j] != '*' || p[i] == other[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// MatchAny reports whether the text fits one of the patterns.
func MatchAny(globs []Glob, s string) bool {
	return slices.ContainsFunc(globs, func(g Glob) bool { return g.Match(s) })
}
