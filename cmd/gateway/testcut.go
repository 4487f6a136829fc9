package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What is shown of a difference: it says where to look, and must not drown what else is
// printed. test --json has texts whole.
const (
	maxShownLine  = 200 // characters of one line
	maxShownLines = 60  // lines of one difference
	maxShownRun   = 25  // lines that follow each other and are of the same side
	shownBefore   = 60  // characters in front of the first that differs, where a line is cut
)

// around is the part of a line that is shown, and a note of what is left out; at is the
// first byte that matters.
func around(text string, at int) (part, note string) {
	all := utf8.RuneCountInString(text)
	if all <= maxShownLine {
		return text, ""
	}
	start := at
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	for range shownBefore {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	end := start
	for range maxShownLine {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	part = text[start:end]
	note = fmt.Sprintf(" (%d characters are left out)", all-utf8.RuneCountInString(part))
	if start > 0 {
		part = "…" + part
	}
	if end < len(text) {
		part += "…"
	}
	return part, note
}

// parting is the first byte in which two texts differ.
func parting(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// cutLine is a line from a byte on that matters, with its note.
func cutLine(line string, at int) string {
	part, note := around(line, at)
	return part + note
}

// cutText is a text of any lines from its start.
func cutText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines[:min(len(lines), maxShownLines)] {
		lines[i] = cutLine(lines[i], 0)
	}
	return strings.Join(cutEnd(lines), "\n")
}

// cutDiff shortens the lines of a difference, each with its mark. Of lines that stand in
// place of others, the parts are shown in which they differ.
func cutDiff(lines []string) (out []string) {
	for len(lines) > 0 {
		n := runLength(lines)
		block, other := lines[:n], []string(nil)
		if lines[0][0] == '-' && n < len(lines) && lines[n][0] == '+' {
			other = lines[n : n+runLength(lines[n:])]
		}
		out = append(append(out, cutRun(block, other)...), cutRun(other, block)...)
		lines = lines[n+len(other):]
	}
	return cutEnd(out)
}

// runLength counts the first lines that have the same mark.
func runLength(lines []string) int {
	n := 1
	for n < len(lines) && lines[n][0] == lines[0][0] {
		n++
	}
	return n
}

func cutRun(block, other []string) (out []string) {
	for i, line := range block {
		if i == maxShownRun {
			return append(out, fmt.Sprintf("%c… (%d lines are left out)", line[0], len(block)-i))
		}
		at := 0
		if i < len(other) {
			at = parting(line[1:], other[i][1:])
		}
		out = append(out, line[:1]+cutLine(line[1:], at))
	}
	return out
}

func cutEnd(lines []string) []string {
	if n := len(lines) - maxShownLines; n > 0 {
		return append(lines[:maxShownLines:maxShownLines], fmt.Sprintf("… (%d lines are left out)", n))
	}
	return lines
}
