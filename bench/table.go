package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// A table stands in a document between two marks that name the benchmark, and what is
// said of the machine between two more.
const (
	beginMark   = "<!-- figures: %s -->\n"
	endMark     = "<!-- end: %s -->\n"
	machineName = "machine"
)

// checkMarks reports what a document lacks of the marks.
func checkMarks(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, name := range append(names(), machineName) {
		if _, err := replace(string(text), name, ""); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// replace puts a text between the marks of a name.
func replace(document, name, text string) (string, error) {
	first, last := fmt.Sprintf(beginMark, name), fmt.Sprintf(endMark, name)
	head, rest, ok := strings.Cut(document, first)
	_, tail, closed := strings.Cut(rest, last)
	if !ok || !closed {
		return "", fmt.Errorf("the lines %q and %q are missing", strings.TrimSpace(first), strings.TrimSpace(last))
	}
	return head + first + text + last + tail, nil
}

// publish writes the tables into a document, or prints them.
func publish(path string, results []result) error {
	if path == "-" {
		fmt.Printf("%s\n", machine())
		for i := range results {
			fmt.Printf("\n## %s\n\n%s", results[i].name, results[i].table())
		}
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	document, err := replace(string(text), machineName, "\nThe last run: "+machine()+".\n\n")
	for i := range results {
		if err == nil {
			document, err = replace(document, results[i].name, "\n"+results[i].table()+"\n")
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(document), 0o644)
}

// table is a result in Markdown, ended by a line end.
func (r *result) table() string {
	var out strings.Builder
	switch {
	case r.absent != nil:
		fmt.Fprintf(&out, "Not run: %v.\n", r.absent)
		return out.String()
	case r.failed != nil:
		fmt.Fprintf(&out, "Failed: %v.\n", r.failed)
		return out.String()
	}
	fmt.Fprintf(&out, "On %s in %.0f s; load average %s before, %s after.\n\n", r.began.Format(time.DateOnly), r.took.Seconds(), r.before, r.after)
	out.WriteString("| | ratio | ours | reference | unit | beside |\n|---|--:|--:|--:|---|---|\n")
	for _, one := range r.rows {
		ratio, reference := "-", "-"
		if one.Reference != 0 {
			ratio, reference = figure(one.Ratio), figure(one.Reference)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", cell(one.What), ratio, figure(one.Ours), reference, cell(one.Unit), cell(one.Note))
	}
	for _, text := range r.lacking {
		fmt.Fprintf(&out, "\nOn this machine: %s.\n", text)
	}
	for _, w := range r.worse {
		fmt.Fprintf(&out, "\nWorse than before: %s has ratio %s, and had %s (%s).\n", w.what, figure(w.now), figure(w.was), w.from)
	}
	return out.String()
}

// cell keeps a text from ending its cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// digits is how many of a figure say something.
const digits = 3

// rounded leaves of a figure the digits that say something.
func rounded(f float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
	if err != nil {
		return f // not possible
	}
	return out
}

// figure writes a figure with the digits that say something, those of thousands apart.
func figure(f float64) string {
	if r := rounded(f); math.Abs(r) < 1000 {
		return strconv.FormatFloat(r, 'f', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', 0, 64)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
