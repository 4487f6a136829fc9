package result

import (
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxPattern = 500 // bytes
	// maxProgram bounds what a pattern becomes when its repetitions are written
	// out, in parts: the time of a search is this times the length of the text.
	maxProgram  = 2000
	patternHint = "Patterns are RE2: no look-around, no back-references. A backslash takes the meaning from . ( ) [ ] { } * + ? ^ $ |."
)

// compile makes the pattern of a search.
func compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, tool.Errorf(tool.InvalidArgs, "the pattern has %d bytes, more than %d", len(pattern), maxPattern).
			WithHint("Search for a shorter part of it.")
	}
	if ignoreCase {
		pattern = "(?i:" + pattern + ")"
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidArgs, "the pattern cannot be read: %s", err).WithHint(patternHint)
	}
	if weight(tree) > maxProgram {
		return nil, tool.Errorf(tool.InvalidArgs, "the pattern repeats too much").WithHint("Use smaller counts in braces, or * and +.")
	}
	if breaksLine(tree) {
		return nil, tool.Errorf(tool.InvalidArgs, "the pattern has a line break in it, and the search goes line by line").
			WithHint("Search for one line of it, and use context to see those around it.")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidArgs, "the pattern cannot be used: %s", err).WithHint(patternHint)
	}
	return re, nil
}

// breaksLine reports whether a line break is written in a pattern, which then
// could never match.
func breaksLine(e *syntax.Regexp) bool {
	return e.Op == syntax.OpLiteral && slices.Contains(e.Rune, '\n') || slices.ContainsFunc(e.Sub, breaksLine)
}

// weight is about how many instructions an expression becomes.
func weight(e *syntax.Regexp) int {
	n := 1 + len(e.Rune)
	if e.Op == syntax.OpCharClass {
		n = 1 // one instruction, however many ranges it has
	}
	for _, sub := range e.Sub {
		n += weight(sub)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(e.Min, e.Max, 1)
	}
	return n
}
