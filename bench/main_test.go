package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// TestSmallest builds every benchmark and has it do the least that it can, so that none
// stops working without anybody noticing. How long anything takes is not looked at.
func TestSmallest(t *testing.T) {
	t.Chdir("..")
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			r := runOne(t.Context(), t.TempDir(), p, p.tiny)
			if r.absent != nil {
				t.Skip(r.absent)
			}
			if r.failed != nil {
				t.Fatal(r.failed)
			}
			seen := map[string]bool{}
			for _, one := range r.rows {
				if one.Bench != filepath.Base(p.folder) || one.Unit == "" || one.Ours <= 0 || one.Reference < 0 || seen[one.What] {
					t.Errorf("a row of %s that cannot be right, or is there twice: %+v", p.name, one)
				}
				seen[one.What] = true
			}
		})
	}
}

// TestDocument holds the document to the programs: each has its place in it, and the
// command for it alone.
func TestDocument(t *testing.T) {
	t.Chdir("..")
	if err := checkMarks(document); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs() {
		command := "go run ./" + p.folder
		if p.module {
			command = "go -C " + p.folder + " run ."
		}
		if !strings.Contains(string(text), "\n## "+p.name+"\n") || !strings.Contains(string(text), command) {
			t.Errorf("%s says nothing of %s, or not how to run it (%s)", document, p.name, command)
		}
	}
}

// TestBaseline holds the file to what is read of it.
func TestBaseline(t *testing.T) {
	t.Chdir("..")
	known, err := readBaseline("bench/baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("bench/baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	again, err := known.lines()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("written again it is another file:\n%s", diff)
	}
	for _, k := range known {
		if k.Ratio <= 0 || k.From == "" || k.What == "" {
			t.Errorf("%+v says too little", k)
		}
	}
}

func TestWorse(t *testing.T) {
	before := baseline{{"call", "time", 2, "then"}, {"call", "rate", .5, "then"}, {"call", "gone", 1, "then"}}
	tests := []struct {
		name string
		row  row.Row
		want bool
	}{
		{"the same", row.Row{What: "time", Unit: "µs p50", Ratio: 2}, false},
		{"a little slower", row.Row{What: "time", Unit: "µs p50", Ratio: 2.4}, false},
		{"slower", row.Row{What: "time", Unit: "µs p50", Ratio: 2.6}, true},
		{"faster", row.Row{What: "time", Unit: "µs p50", Ratio: 1}, false},
		{"fewer in a second", row.Row{What: "rate", Unit: "calls/s", Ratio: .3}, true},
		{"more in a second", row.Row{What: "rate", Unit: "calls/s", Ratio: .9}, false},
		{"fewer in a second, named by a clause", row.Row{What: "rate", Unit: "calls/s with 8", Ratio: .3}, true},
		{"unknown", row.Row{What: "other", Unit: "ms", Ratio: 100}, false},
		{"without a reference", row.Row{What: "time", Unit: "ms"}, false},
	}
	for _, tt := range tests {
		tt.row.Bench = "call"
		if got := len(before.worse([]row.Row{tt.row}, .25)) == 1; got != tt.want {
			t.Errorf("%s: told %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestKeep writes over what was measured again, adds what is new, and leaves the rest.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	before := baseline{{"call", "time", 2, "then"}, {"call", "gone", 1, "then"}}
	run := []result{{began: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), rows: []row.Row{
		{Bench: "call", What: "time", Ratio: 1.23456}, {Bench: "list", What: "new", Ratio: 3}, {Bench: "list", What: "without a reference"},
	}}}
	if err := before.keep(path, run); err != nil {
		t.Fatal(err)
	}
	got, err := readBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	want := baseline{{"call", "time", 1.23, "measured on 2026-01-31"}, {"call", "gone", 1, "then"}, {"list", "new", 3, "measured on 2026-01-31"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTable(t *testing.T) {
	began := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		of   result
		want string
	}{
		{"not run", result{absent: missing("there is no Node")}, "Not run: there is no Node.\n"},
		{"failed", result{failed: errors.New("exit status 1")}, "Failed: exit status 1.\n"},
		{"figures", result{
			began: began, took: 90 * time.Second, before: "0.10", after: "1.90", lacking: []string{"nothing beside Pyodide"},
			rows:  []row.Row{{What: "a|b", Ours: 12345.6, Reference: 4567.8, Unit: "ms", Ratio: 2.7027, Note: "other"}, {What: "alone", Ours: .01234, Unit: "MiB"}},
			worse: []worse{{"a|b", "then", 1, 2.7027}},
		}, `On 2026-01-31 in 90 s; load average 0.10 before, 1.90 after.

| | ratio | ours | reference | unit | beside |
|---|--:|--:|--:|---|---|
| a\|b | 2.7 | 12,346 | 4,568 | ms | other |
| alone | - | 0.0123 | - | MiB |  |

On this machine: nothing beside Pyodide.

Worse than before: a|b has ratio 2.7, and had 1 (then).
`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.of.table()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestReplace(t *testing.T) {
	const document = "a\n<!-- figures: x -->\nold\n<!-- end: x -->\nb\n"
	got, err := replace(document, "x", "new\n")
	if want := strings.Replace(document, "old", "new", 1); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := replace(document, "y", ""); err == nil {
		t.Error("a document without the marks is taken")
	}
}

func TestFigure(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 1: "1", .012345: "0.0123", 1.5: "1.5", 123.4: "123", 999.9: "1,000", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", 100000: "100,000"} {
		if got := figure(f); got != want {
			t.Errorf("%g is written %s, want %s", f, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		args []string
		want string // of -out; empty for an error
	}{
		{nil, document},
		{[]string{"-short"}, "-"},
		{[]string{"-short", "-out", "x"}, "x"},
		{[]string{"-only", "policy,start"}, document},
		{[]string{"-only", "polcy"}, ""},
	}
	for _, tt := range tests {
		flags := flag.NewFlagSet("bench", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		o, err := parse(flags, tt.args)
		if (err != nil) != (tt.want == "") || err == nil && o.out != tt.want {
			t.Errorf("%v: %+v, %v", tt.args, o, err)
		}
	}
}
