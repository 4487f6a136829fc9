package main

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// report prints a line for each thing measured, ratios first, and keeps the rows.
type report struct {
	table *tabwriter.Writer
	rows  *row.File
}

func newReport(rows *row.File) *report {
	r := &report{tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight), rows}
	_, _ = fmt.Fprintln(r.table, "rules\t\tx expr\tx cedar\t|\tours\texpr\tcedar\tours/s\tallocations\texpr's\tcedar's\t")
	return r
}

func (r *report) flush() error { return r.table.Flush() }

func (r *report) decisions(kind string, rules int, of []sample) {
	r.line("decide: "+kind, rules, of)
	r.both(fmt.Sprintf("decide: %s, %s", kind, count(rules)), of, "ns", time.Nanosecond)
}

// lists has no Cedar: it decides about requests, and a list is made before there is one.
func (r *report) lists(rules int, of []sample) {
	r.line("list 1,000 tools", rules, of)
	r.both(fmt.Sprintf("list 1,000 tools, %s", count(rules)), of, "µs", time.Microsecond)
}

// compiled tells what the schemas of tools add beside rules by themselves.
func (r *report) compiled(rules int, of []sample, against sample) {
	r.line("compile", rules, of)
	r.both("compile "+count(rules), of, "µs", time.Microsecond)
	r.line("compile against 1,000 tools", rules, []sample{against})
	r.rows.Add(row.Row{
		Bench: "policy", What: fmt.Sprintf("compile %s against 1,000 tools", count(rules)), Unit: "µs",
		Ours: micros(against), Reference: micros(of[0]), Note: "the same rules by themselves; the schemas are decoded and read, and every rule is held against every tool",
	})
}

func micros(s sample) float64 { return float64(s.each) / float64(time.Microsecond) }

// together tells how decisions on all processors go beside those on one.
func (r *report) together(rules int, all, one sample) {
	_, _ = fmt.Fprintf(r.table, "%d\tdecide on all processors\t%.2f x one\t\t|\t\t\t\t%.0f\t\t\t\t\n", rules, all.rate/one.rate, all.rate)
	r.rows.Add(row.Row{
		Bench: "policy", What: fmt.Sprintf("decide on all processors, %s", count(rules)), Unit: "decisions/s",
		Ours: all.rate, Reference: one.rate, Note: "the same on one processor",
	})
}

func (r *report) line(what string, rules int, of []sample) {
	cells := [3]struct{ ratio, each, allocs string }{}
	for i := range cells {
		cells[i].ratio, cells[i].each, cells[i].allocs = "-", "-", "-"
		if i < len(of) {
			cells[i].ratio = fmt.Sprintf("%.2f", float64(of[0].each)/float64(of[i].each))
			cells[i].each, cells[i].allocs = of[i].each.String(), fmt.Sprintf("%.0f", of[i].allocs)
		}
	}
	_, _ = fmt.Fprintf(r.table, "%d\t%s\t%s\t%s\t|\t%s\t%s\t%s\t%.0f\t%s\t%s\t%s\t\n", rules, what, cells[1].ratio, cells[2].ratio,
		cells[0].each, cells[1].each, cells[2].each, of[0].rate, cells[0].allocs, cells[1].allocs, cells[2].allocs)
}

// both adds a row for each side that is not ours.
func (r *report) both(what string, of []sample, unit string, in time.Duration) {
	notes := []string{"", "hand-written loop, conditions by expr", "cedar-go"}
	names := []string{"", "expr", "Cedar"}
	for i := 1; i < len(of); i++ {
		r.rows.Add(row.Row{
			Bench: "policy", What: what + " / " + names[i], Unit: unit, Note: notes[i],
			Ours: float64(of[0].each) / float64(in), Reference: float64(of[i].each) / float64(in),
		})
	}
}

// count words a number of rules.
func count(rules int) string {
	if rules == 1 {
		return "1 rule"
	}
	if rules >= 1000 {
		return fmt.Sprintf("%d,%03d rules", rules/1000, rules%1000)
	}
	return fmt.Sprintf("%d rules", rules)
}
