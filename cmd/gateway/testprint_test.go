package main

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/rehearsal"
)

func TestLineDiff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ want, got, diff string }{
		{"a b c", "a b c", " …"},
		{"a b c", "a x c", " a/-b/+x/ c"},
		{"a", "a b", " a/+b"},
		{"a b", "b", "-a/ b"},
		{"1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 x", " …/ 6/ 7/ 8/-9/+x"},
		{"x 2 3 4 5 6 7 8 9", "y 2 3 4 5 6 7 8 9", "-x/+y/ 2/ 3/ 4/ …"},
	} {
		got := strings.Join(lineDiff(strings.Fields(tt.want), strings.Fields(tt.got)), "/")
		if got != tt.diff {
			t.Errorf("%s and %s: %s", tt.want, tt.got, got)
		}
	}
	long := strings.Split(strings.Repeat("a\n", maxDiff+1), "\n")
	if got := lineDiff(long, []string{"b"}); len(got) != len(long)+1 {
		t.Errorf("%d lines", len(got))
	}
}

// TestCut: whatever differs, what is shown is short, holds the place where it differs,
// and says how much is left out.
func TestCut(t *testing.T) {
	t.Parallel()
	long, many := strings.Repeat("ä", 4<<20), strings.Repeat("same\n", 100_000)
	for _, tt := range []struct {
		name, want, got string
		holds           []string
	}{
		{"the end", long + "x", long + "y", []string{"ääx (", "ääy (", "4194244 characters are left out"}},
		{"the middle", long + "x" + long, long + "y" + long, []string{"äxä", "äyä", "ä… ("}},
		{"the start", "x" + long, long, []string{"want xä", "got  ää"}},
		{"all of it", "x", long, []string{"want x\n", "4194104 characters are left out"}},
		{"space at the start", "x", " " + long, []string{`got  " ä`, "left out"}},
		{"half a character", long + "\xc3", long + "\xc4", []string{"left out"}},
		{"one line of many", many + "x\n" + many, many + "y\n" + many, []string{"\n    -x\n    +y\n"}},
		{"a long line of some", "a\n" + long + "x\nb", "a\n" + long + "y\nb", []string{"ääx (", "ääy ("}},
		{"every line", many, strings.ReplaceAll(many, "same", "other"), []string{"-same", "+other", "\n    -… (99975 lines are left out)", "\n    +… (99975 lines are left out)"}},
		{"every other line", strings.Repeat("a\nb\n", 900), strings.Repeat("a\nc\n", 900), []string{"-b", "+c", "\n    … (2641 lines are left out)"}},
		{"a text alone", "", many + long, []string{"  … (99941 lines are left out)"}},
		{"a long text alone", "", long, []string{"left out"}},
	} {
		v := verdict{kind: rehearsal.KindTool, name: "n", differences: []rehearsal.Difference{{Field: "result", Want: tt.want, Got: tt.got}}}
		got := explained(v.differences)
		for _, text := range tt.holds {
			if !strings.Contains(got, text) {
				t.Errorf("%s: no %q in\n%.2000s", tt.name, text, got)
			}
		}
		data, err := junit([]verdict{v})
		if lines := strings.Count(got, "\n"); err != nil || lines > maxShownLines+3 || len(got) > 30_000 || len(data) > 60_000 {
			t.Errorf("%s: %d lines, %d and %d bytes, %v", tt.name, lines, len(got), len(data), err)
		}
	}
}

// TestJUnit: what comes out is XML whatever stands in a test, its counts are those of
// its cases, and times have the form of the schema.
func TestJUnit(t *testing.T) {
	t.Parallel()
	verdicts := []verdict{
		{kind: rehearsal.KindTool, tool: "a", name: "ok"},
		{kind: rehearsal.KindTool, tool: "a", name: "<\x00&\x1b[2J\ufffe]]>\u202e", place: diag.Place{File: "tools.yaml", Line: 3}, differences: []rehearsal.Difference{
			{Field: "result\x01", Want: "\x02", Got: "]]>\x1b\xff\n<b>"},
		}},
		{kind: kindRule, name: "r", differences: []rehearsal.Difference{{Got: "expected deny"}}},
	}
	data, err := junit(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if strings.ContainsAny(string(data), "\x00\x01\x02\x1b\ufffe\u202e") {
		t.Errorf("characters that XML cannot hold, or that turn text: %q", data)
	}
	if got.Tests != 3 || got.Failures != 2 || len(got.Suites) != 2 || got.Time != "0.000" {
		t.Errorf("%+v", got)
	}
	for _, s := range got.Suites {
		failures := 0
		for _, c := range s.Cases {
			if c.Name == "" || c.Class == "" || c.Time != "0.000" {
				t.Errorf("%+v", c)
			}
			if c.Failure != nil {
				failures++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures {
			t.Errorf("%+v", s)
		}
	}
	if empty, err := junit(nil); err != nil || !strings.Contains(string(empty), `tests="0"`) {
		t.Errorf("%v %s", err, empty)
	}
	if fmt.Sprint(got.Suites[0].Cases[1].Failure.Type) != "difference" {
		t.Errorf("%+v", got.Suites[0].Cases[1])
	}
}
