package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/rehearsal"
)

const (
	// maxDiff is the most lines of each side, without those that are equal at both ends,
	// that are compared line by line; of more, those of one side stand above the other's.
	maxDiff = 2000
	// keptLines are the lines around a difference that are shown.
	keptLines = 3
)

// verdictJSON is the outcome of a test as test --json prints it.
type verdictJSON struct {
	Kind        string           `json:"kind"`
	Tool        string           `json:"tool,omitempty"`
	Name        string           `json:"name"`
	File        string           `json:"file,omitempty"`
	Line        int              `json:"line,omitempty"`
	Column      int              `json:"column,omitempty"`
	OK          bool             `json:"ok"`
	Differences []differenceJSON `json:"differences,omitempty"`
}

type differenceJSON struct {
	Field string `json:"field,omitempty"`
	Want  string `json:"want,omitempty"`
	Got   string `json:"got"`
}

// printVerdicts prints how tests ended: those that failed, or all of them.
func printVerdicts(io streams, verdicts []verdict, asJSON, all bool) error {
	if asJSON {
		return printJSON(io.out, verdictsJSON(verdicts))
	}
	for i := range verdicts {
		if v := &verdicts[i]; all || len(v.differences) > 0 {
			if err := printVerdict(io.out, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func verdictsJSON(verdicts []verdict) []verdictJSON {
	list := make([]verdictJSON, 0, len(verdicts))
	for _, v := range verdicts {
		out := verdictJSON{v.kind, v.tool, v.name, v.place.File, v.place.Line, v.place.Column, len(v.differences) == 0, nil}
		for _, d := range v.differences {
			out.Differences = append(out.Differences, differenceJSON(d))
		}
		list = append(list, out)
	}
	return list
}

func printVerdict(w io.Writer, v *verdict) error {
	word := "ok   "
	if len(v.differences) > 0 {
		word = "FAIL "
	}
	text := word + plain(v.place.String()+": "+v.title()) + "\n"
	_, err := io.WriteString(w, text+explained(v.differences))
	return err
}

// explained shows what is different, one field below the other. What has several
// lines is shown as the lines that differ.
func explained(differences []rehearsal.Difference) string {
	width := 0
	for _, d := range differences {
		if !isLong(d) {
			width = max(width, utf8.RuneCountInString(d.Field))
		}
	}
	var b strings.Builder
	for _, d := range differences {
		switch {
		case d.Want == "":
			_, _ = fmt.Fprintf(&b, "  %s\n", indented(visible(cutText(strings.TrimSpace(d.Field+" "+d.Got))), "  "))
		case isLong(d):
			_, _ = fmt.Fprintf(&b, "  %s (-want +got)\n", visible(d.Field))
			for _, line := range cutDiff(lineDiff(strings.Split(d.Want, "\n"), strings.Split(d.Got, "\n"))) {
				_, _ = fmt.Fprintf(&b, "    %s\n", visible(line))
			}
		default:
			field, at := visible(d.Field), parting(d.Want, d.Got)
			_, _ = fmt.Fprintf(&b, "  %-*s  want %s\n", width, field, shownText(d.Want, at))
			_, _ = fmt.Fprintf(&b, "  %-*s  got  %s\n", width, "", shownText(d.Got, at))
		}
	}
	return b.String()
}

func isLong(d rehearsal.Difference) bool { return strings.Contains(d.Want+d.Got, "\n") }

// shownText is a text of one line; an empty one, and one with spaces at its ends, is
// quoted. at is the first byte that matters.
func shownText(text string, at int) string {
	part, note := around(text, at)
	if part == "" || strings.TrimSpace(part) != part {
		return fmt.Sprintf("%q", part) + note
	}
	return visible(part) + note
}

// visible is a text in which what could rewrite the lines of a terminal, or turn their
// direction, is escaped; line breaks stay.
func visible(text string) string {
	risky := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
	}
	if !strings.ContainsFunc(text, risky) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if risky(r) {
			_, _ = fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// indented puts space in front of every line but the first.
func indented(text, space string) string { return strings.ReplaceAll(text, "\n", "\n"+space) }

// lineDiff are the lines of both texts, with - in front of those that only the first
// has, + in front of those that only the second has, and long runs of equal lines cut.
func lineDiff(want, got []string) []string {
	start, end := 0, 0
	for start < min(len(want), len(got)) && want[start] == got[start] {
		start++
	}
	for end < min(len(want), len(got))-start && want[len(want)-1-end] == got[len(got)-1-end] {
		end++
	}
	lines := prefixed(" ", want[:start])
	if a, b := want[start:len(want)-end], got[start:len(got)-end]; len(a) > maxDiff || len(b) > maxDiff {
		lines = append(append(lines, prefixed("-", a)...), prefixed("+", b)...)
	} else {
		lines = append(lines, merged(a, b, common(a, b))...)
	}
	return cutEqual(append(lines, prefixed(" ", want[len(want)-end:])...))
}

func prefixed(mark string, lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, line := range lines {
		out = append(out, mark+line)
	}
	return out
}

// common gives, for every pair of ends of the two lists, how many lines they have in
// common in the same order.
func common(a, b []string) [][]uint16 {
	table := make([][]uint16, len(a)+1)
	for i := range table {
		table[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func merged(a, b []string, table [][]uint16) (out []string) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, " "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && table[i+1][j] >= table[i][j+1]:
			out = append(out, "-"+a[i])
			i++
		default:
			out = append(out, "+"+b[j])
			j++
		}
	}
	return out
}

// cutEqual leaves out equal lines that are far from any that differ.
func cutEqual(lines []string) (out []string) {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line[0] != ' ' {
			for k := max(0, i-keptLines); k <= min(len(lines)-1, i+keptLines); k++ {
				near[k] = true
			}
		}
	}
	for i, line := range lines {
		switch {
		case near[i]:
			out = append(out, line)
		case i == 0 || near[i-1]:
			out = append(out, " …")
		}
	}
	return out
}
