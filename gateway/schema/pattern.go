package schema

import (
	"fmt"
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// backtracking is a pattern that Go's own engine refuses, such as one that
// looks ahead. Its matches are bounded in time; one that takes longer counts
// as no match, and so does every further one when the budget is used up.
type backtracking struct {
	re     *regexp2.Regexp
	budget *budget
}

// String is the pattern as written.
func (p backtracking) String() string { return p.re.String() }

// MatchString reports whether text holds a match.
func (p backtracking) MatchString(text string) bool {
	if p.budget.pattern <= 0 {
		return false
	}
	start := time.Now()
	ok, err := p.re.MatchString(text)
	p.budget.pattern -= time.Since(start)
	return ok && err == nil
}

// compilePattern reads a regular expression of a schema: with Go's engine,
// whose time is linear in the text, else as ECMA-262 writes it.
func (b *budget) compilePattern(text string) (js.Regexp, error) {
	if len(text) > maxPatternSize {
		return nil, fmt.Errorf("the pattern of %d bytes is too long; at most %d bytes are accepted", len(text), maxPatternSize)
	}
	if re, err := regexp.Compile(text); err == nil {
		return re, nil
	}
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = maxMatchTime
	return backtracking{re: re, budget: b}, nil
}

// PatternCompiles reports whether a schema may have a regular expression as a
// "pattern" or a name under "patternProperties", so that [Compile] takes it.
func PatternCompiles(pattern string) bool {
	_, err := (&budget{}).compilePattern(pattern)
	return err == nil
}
