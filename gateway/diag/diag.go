// Package diag words the problems of a configuration: where each one is, what
// is wrong, and what to write instead. All problems of a file are collected
// and reported at once, sorted by place.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Place is a position in a configuration. Line and Column count from 1, the
// column in characters; 0 means unknown. An Origin that is not a file, such as
// "env NAME", stands in File and has neither.
type Place struct {
	File   string
	Line   int
	Column int
}

// String writes file:line:col, or as much of it as is known.
func (p Place) String() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			s += ":" + strconv.Itoa(p.Column)
		}
	}
	return s
}

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Place   Place
	Key     string // dotted path of the key, list items by number: policy.rules.0.when
	Text    string // what is wrong, lower case, no final stop
	Hint    string // what to do, shown in parentheses; may be empty
	Warning bool   // the configuration still loads
	Class   Class  // of a warning; empty for an error
	// Tools are the names of all tools that it is about, where the text has room for a
	// few of them only; else empty. Spaces are between them: a list could not be compared.
	Tools string
}

// String writes "file:line:col: key.path: text (hint)"; a warning says so
// before its text. What cannot be printed is escaped, as in Go: names that others
// chose stand in it, and none may begin a line of its own, or rewrite one.
func (p Problem) String() string {
	var b strings.Builder
	if s := p.Place.String(); s != "" {
		b.WriteString(s + ": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	if p.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Text)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return printable(b.String())
}

// Classed writes the problem with its class behind it, in brackets, where it has one.
func (p Problem) Classed() string {
	if p.Class == "" {
		return p.String()
	}
	return p.String() + " [" + string(p.Class) + "]"
}

// printable is a text with escapes in place of what cannot be printed.
func printable(text string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Problems is a list of problems; as an error it reads one line each.
type Problems []Problem

// Error writes one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the problems that keep the configuration from loading.
func (ps Problems) Errors() Problems { return ps.filter(false) }

// Warnings returns the problems with which the configuration still loads.
func (ps Problems) Warnings() Problems { return ps.filter(true) }

func (ps Problems) filter(warning bool) Problems {
	var out Problems
	for _, p := range ps {
		if p.Warning == warning {
			out = append(out, p)
		}
	}
	return out
}

// Err returns the errors as one error, or nil when there are only warnings.
func (ps Problems) Err() error {
	if errs := ps.Errors(); len(errs) > 0 {
		return errs
	}
	return nil
}

// As returns the problems inside err, or nil.
func As(err error) Problems {
	ps, _ := errors.AsType[Problems](err)
	return ps
}

// Report collects problems. The zero value is ready; it is safe for concurrent
// use.
type Report struct {
	mu       sync.Mutex // guards problems
	problems Problems
}

// Add puts a problem on the report, once: the same text at the same place and
// key is kept a single time.
func (r *Report) Add(p Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.problems, p) {
		r.problems = append(r.problems, p)
	}
}

// Problems returns what was reported, sorted by file, line, column and key; what
// is alike in all of these in the order in which it was reported.
func (r *Report) Problems() Problems {
	r.mu.Lock()
	out := slices.Clone(r.problems)
	r.mu.Unlock()
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column), cmp.Compare(a.Key, b.Key),
		)
	})
	return out
}

// Spot is where one value of a configuration stands.
type Spot struct {
	Key   Place // where its key starts; for a list item, where the item starts
	Value Place // where its value starts; for a quoted text, at the quote
	// Plain gives the number of characters between Value and the first character
	// of a text that stands on one line as it is written, so that a column
	// inside the text can be told; -1 where it cannot (block texts, escapes), and
	// so does nil. It is asked only where there is something to report: it may
	// have to read the text again.
	Plain func() int
}

// Places finds the spot of the value at a path of keys and list indexes in
// decimal; ok is false when nothing stands there.
type Places func(path []string) (spot Spot, ok bool)

// Cursor points at one key of a configuration and reports problems there. It
// is a small value; Key and Index return cursors further in.
type Cursor struct {
	report *Report
	places Places
	path   []string
	class  Class // of the warnings that it reports
}

// NewCursor returns a cursor at the root.
func NewCursor(report *Report, places Places) Cursor {
	return Cursor{report: report, places: places}
}

// Key returns a cursor at the member of a map.
func (c Cursor) Key(name string) Cursor {
	c.path = append(slices.Clip(c.path), name)
	return c
}

// Index returns a cursor at an item of a list, counted from 0.
func (c Cursor) Index(i int) Cursor { return c.Key(strconv.Itoa(i)) }

// Onto returns a cursor at the same key that reports where another cursor does.
func (c Cursor) Onto(other Cursor) Cursor {
	c.report = other.report
	return c
}

// Pass reports a problem that another report holds, as it is.
func (c Cursor) Pass(p Problem) { c.report.Add(p) }

// As returns a cursor at the same key that reports warnings of a class.
func (c Cursor) As(class Class) Cursor {
	c.class = class
	return c
}

// Path is the dotted path, as problems show it.
func (c Cursor) Path() string { return strings.Join(c.path, ".") }

// Place is where the key stands: its own place, else that of the nearest
// enclosing key that is in the configuration.
func (c Cursor) Place() Place {
	for n := len(c.path); n >= 0; n-- {
		if spot, ok := c.spot(c.path[:n]); ok {
			return spot.Key
		}
	}
	return Place{}
}

// Present reports whether the key is written in the configuration.
func (c Cursor) Present() bool { _, ok := c.spot(c.path); return ok }

func (c Cursor) spot(path []string) (Spot, bool) {
	if c.places == nil {
		return Spot{}, false
	}
	return c.places(path)
}

// Errorf reports an error at the key.
func (c Cursor) Errorf(format string, args ...any) {
	c.add(Problem{Place: c.Place(), Text: fmt.Sprintf(format, args...)})
}

// Hintf reports an error at the key with a hint of what to do.
func (c Cursor) Hintf(hint, format string, args ...any) {
	c.add(Problem{Place: c.Place(), Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Warnf reports a warning at the key with a hint, which may be empty.
func (c Cursor) Warnf(hint, format string, args ...any) {
	c.add(Problem{Place: c.Place(), Text: fmt.Sprintf(format, args...), Hint: hint, Warning: true})
}

// WarnTools reports a warning at the key about several tools, with the names of all of
// them for programs.
func (c Cursor) WarnTools(tools []string, hint, format string, args ...any) {
	c.add(Problem{Place: c.Place(), Text: fmt.Sprintf(format, args...), Hint: hint, Warning: true, Tools: strings.Join(tools, " ")})
}

// Inside reports an error at a line and column (both from 1, columns in
// characters) of the text that is the value of the key. Where the text stands
// on one line the place is exact; elsewhere it is that of the key.
func (c Cursor) Inside(line, column int, text, hint string) {
	p := Problem{Place: c.Place(), Text: text, Hint: hint}
	if spot, ok := c.spot(c.path); ok && line == 1 && column > 0 && spot.Plain != nil {
		if plain := spot.Plain(); plain >= 0 {
			p.Place = spot.Value
			p.Place.Column += plain + column - 1
		}
	}
	c.add(p)
}

func (c Cursor) add(p Problem) {
	p.Key = c.Path()
	if p.Warning {
		p.Class = cmp.Or(c.class, OtherWarning)
	}
	c.report.Add(p)
}
