package config

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/toolgate/toolgate/gateway/diag"
)

// pathSeparator joins the keys of a path to one text. No key holds it, because
// the tree refuses keys with this character.
const pathSeparator = "\x00"

// findings collects problems and remembers which paths have errors.
type findings struct {
	report diag.Report
	broken map[string]bool
	seen   map[sameProblem]bool
}

// sameProblem tells problems apart: a value that aliases put in several places
// has its mistakes once.
type sameProblem struct {
	place     diag.Place
	key, text string
}

func newFindings() *findings {
	return &findings{broken: map[string]bool{}, seen: map[sameProblem]bool{}}
}

// add puts a problem at a path on the report. Beyond maxProblems it says so
// once, and what looks for problems stops.
func (f *findings) add(path []string, p diag.Problem) {
	p.Key = shownPath(path)
	if !p.Warning {
		f.markBroken(path)
	}
	same := sameProblem{place: p.Place, text: p.Text}
	if len(path) > 0 {
		same.key = path[len(path)-1]
	}
	if f.seen[same] || f.full() {
		return
	}
	f.seen[same] = true
	switch {
	case len(f.seen) <= maxProblems:
		f.report.Add(p)
	default:
		f.report.Add(diag.Problem{
			Place: p.Place, Text: "too many problems; from here on some are not shown",
			Hint: "mend these first",
		})
	}
}

// full reports that no further problem will be shown: what finds them can stop.
func (f *findings) full() bool { return len(f.seen) > maxProblems }

// markBroken marks a path and all that it lies in.
func (f *findings) markBroken(path []string) {
	for i := len(path); i >= 0 && !f.isBroken(path[:i]); i-- {
		f.broken[strings.Join(path[:i], pathSeparator)] = true
	}
}

func (f *findings) isBroken(path []string) bool { return f.broken[strings.Join(path, pathSeparator)] }

// shownPath writes a path as problems show it. Keys come from the file, so long
// ones are cut and control characters escaped.
func shownPath(path []string) string {
	shown := make([]string, len(path))
	for i, key := range path {
		shown[i] = shorten(key, maxShownKey)
		if !printable(key) {
			shown[i] = strconv.Quote(shown[i])
		}
	}
	return strings.Join(shown, ".")
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
