package diag_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
)

func TestProblemsAreSortedAndWorded(t *testing.T) {
	t.Parallel()
	spots := map[string]diag.Spot{
		"":      {Key: diag.Place{File: "tools.yaml", Line: 1, Column: 1}},
		"a":     {Key: diag.Place{File: "tools.yaml", Line: 2, Column: 1}},
		"a.b":   {Key: diag.Place{File: "tools.yaml", Line: 3, Column: 3}, Value: diag.Place{File: "tools.yaml", Line: 3, Column: 6}, Plain: func() int { return 1 }},
		"a.c":   {Key: diag.Place{File: "tools.yaml", Line: 4, Column: 3}, Value: diag.Place{File: "tools.yaml", Line: 5, Column: 5}, Plain: func() int { return -1 }},
		"l":     {Key: diag.Place{File: "tools.yaml", Line: 9, Column: 1}},
		"l.0":   {Key: diag.Place{File: "tools.yaml", Line: 10, Column: 5}},
		"extra": {Key: diag.Place{File: "env TOOLGATE_X"}},
	}
	var report diag.Report
	root := diag.NewCursor(&report, func(path []string) (diag.Spot, bool) {
		s, ok := spots[strings.Join(path, ".")]
		return s, ok
	})
	root.Key("l").Index(0).Key("missing").Errorf("is required")
	root.Key("a").Key("b").Inside(1, 4, "unknown name x", "did you mean y?")
	root.Key("a").Key("b").Inside(1, 4, "unknown name x", "did you mean y?")
	root.Key("a").Key("c").Inside(2, 7, "unknown name x", "")
	root.Key("extra").Warnf("remove it", "unused")
	root.Key("a").Hintf("write z", "wrong %d", 1)
	root.Key("n\nforged.yaml:1:1: x").Warnf("\u202eh\u2028", "tag \x1b[2J\u009b日本 🙂")

	want := []string{
		"env TOOLGATE_X: extra: warning: unused (remove it)",
		`tools.yaml:1:1: n\nforged.yaml:1:1: x: warning: tag \x1b[2J\u009b日本 🙂 (\u202eh\u2028)`,
		"tools.yaml:2:1: a: wrong 1 (write z)",
		"tools.yaml:3:10: a.b: unknown name x (did you mean y?)",
		"tools.yaml:4:3: a.c: unknown name x",
		"tools.yaml:10:5: l.0.missing: is required",
	}
	problems := report.Problems()
	if d := cmp.Diff(want, strings.Split(problems.Error(), "\n")); d != "" {
		t.Error(d)
	}
	if got := len(problems.Warnings()); got != 2 {
		t.Errorf("%d warnings, want 2", got)
	}
	if err := problems.Err(); len(diag.As(err)) != 4 {
		t.Errorf("as an error: %v", err)
	}
	if err := problems.Warnings().Err(); err != nil {
		t.Errorf("warnings alone are an error: %v", err)
	}
	if !root.Key("a").Present() || root.Key("b").Present() {
		t.Error("Present is wrong")
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"body", "headers", "method", "path", "query", "result", "url"}
	tests := []struct{ word, want string }{
		{"metod", "method"},
		{"Method", "method"},
		{"mehtod", "method"},
		{"header", "headers"},
		{"uri", "url"},
		{"x", ""},
		{"completely", ""},
		{"", ""},
		{"quéry", "query"},
	}
	for _, tt := range tests {
		if got := diag.Nearest(tt.word, words); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := diag.DidYouMean("metod", words); got != "did you mean method?" {
		t.Errorf("got %q", got)
	}
	if got := diag.DidYouMean("zzzzzz", words); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestReportFromManySides loses no problem and keeps each once.
func TestReportFromManySides(t *testing.T) {
	t.Parallel()
	const sides, each = 8, 50
	var report diag.Report
	root := diag.NewCursor(&report, nil)
	var work sync.WaitGroup
	for side := range sides {
		work.Go(func() {
			for i := range each {
				root.Index(side).Errorf("wrong %d", i)
				root.Errorf("wrong at all")
				_ = report.Problems()
			}
		})
	}
	work.Wait()
	if got, want := len(report.Problems()), sides*each+1; got != want {
		t.Errorf("%d problems, want %d", got, want)
	}
}
