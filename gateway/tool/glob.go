package tool

import (
	"fmt"
	"slices"
	"strings"
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
// per star: on a mismatch it goes back to the last star only.
func (g Glob) Match(s string) bool {
	p, text := []rune(g), []rune(s)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(text) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == text[j]):
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
