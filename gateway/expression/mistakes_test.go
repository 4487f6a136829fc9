package expression

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
)

// onOneLine is a configuration whose only value starts at column 1 and has no
// quotes.
func onOneLine([]string) (diag.Spot, bool) {
	return diag.Spot{Key: diag.Place{Line: 1, Column: 1}, Value: diag.Place{Line: 1, Column: 1}, Plain: func() int { return 0 }}, true
}

// goType is what the name of a Go type looks like.
var goType = regexp.MustCompile(`interface ?\{|map\[|\[\]|\*?(json|big|ast|expression|reflect|vm)\.[A-Z]|\bfunc\(|\b(int64|float64|string|bool)\b`)

// TestMistakes runs testdata/mistakes.txt. Of several mistakes the first is
// compared.
func TestMistakes(t *testing.T) {
	data, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		source, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("line %d: no =>", i+1)
		}
		var report diag.Report
		p := Compile(diag.NewCursor(&report, onOneLine), source, testEnv(), WantBool)
		problems := report.Problems()
		if p != nil || len(problems) == 0 {
			t.Errorf("line %d: %s compiles", i+1, source)
			continue
		}
		got := fmt.Sprintf("%d: %s", problems[0].Place.Column, problems[0].Text)
		if hint := problems[0].Hint; hint != "" {
			got += " (" + hint + ")"
		}
		if got != want {
			t.Errorf("line %d: %s\n got %s\nwant %s", i+1, source, got, want)
		}
		if goType.MatchString(got) {
			t.Errorf("line %d: %s names a Go type", i+1, got)
		}
	}
}

// TestAllMistakes: every mistake is reported, not the first alone.
func TestAllMistakes(t *testing.T) {
	p, problems := compileTest("tool.nme == 1 || arg.y == 2 && tool.name > 3", testEnv(), WantBool)
	want := []string{"tool has no field nme", "tool.name is text and 3 is a number", "unknown variable arg"}
	var got []string
	for _, problem := range problems {
		got = append(got, problem.Text)
	}
	if diff := cmp.Diff(want, got, cmp.Transformer("sorted", sorted)); diff != "" || p != nil {
		t.Error(diff)
	}
}

// TestClosed: the members of a Closed value are known by name only.
func TestClosed(t *testing.T) {
	env := NewEnv(Var{Name: "args", Type: Closed([]string{"amount", "user-id"})})
	for source, want := range map[string]string{
		"args.amount > 3":                       "",
		`args["user-id"] == "x"`:                "",
		"args.amount.currency == 'EUR'":         "",
		"args[args.amount] == 1":                "",
		"args.amout > 3":                        "args has no field amout (did you mean amount?)",
		"args.user-id == 'x'":                   `unknown variable id (for a name with a dash write args["user-id"])`,
		"any(args.nothing, # == 1)":             "args has no field nothing (it has amount, user-id)",
		"{a: 1}.b == 1":                         "{a: 1} has no field b (did you mean a?)",
		"args == 5":                             "args is an object and 5 is a number",
		"(args.amount > 3 ? args : args).x > 1": "",
	} {
		_, problems := compileTest(source, env, WantBool)
		if got := problems.Error(); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
	if _, problems := compileTest("args.x == 1", NewEnv(Var{Name: "args", Type: Closed(nil)}), WantBool); problems.Error() != "args has no field x (it has none)" {
		t.Error(problems)
	}
}

// TestPosition: lines and columns count characters, and the line breaks of a
// block text.
func TestPosition(t *testing.T) {
	for _, test := range []struct {
		text         string
		char         int
		line, column int
	}{
		{"abc", 0, 1, 1},
		{"abc", 2, 1, 3},
		{"żół", 2, 1, 3},
		{"a\nbc", 1, 1, 2},
		{"a\nbc", 2, 2, 1},
		{"a\r\nżó\nx", 7, 3, 2},
		{"a", 9, 1, 2},
	} {
		line, column := newSource(diag.Cursor{}, test.text).position(test.char)
		if line != test.line || column != test.column {
			t.Errorf("%q, %d: got %d:%d, want %d:%d", test.text, test.char, line, column, test.line, test.column)
		}
	}
}

// TestLimits: a source has a most length and a most number of parts, and none
// within them breaks the parser.
func TestLimits(t *testing.T) {
	for source, want := range map[string]string{
		strings.Repeat(" ", MaxSource) + "1":                           "the expression has 16385 bytes, more than 16384 (split it into several)",
		strings.Repeat("!", MaxNodes+1) + "args.x":                     "the expression has too many parts (at most 1000 names, values and operators)",
		strings.Repeat("(", MaxSource/2) + strings.Repeat(")", 10):     "unexpected )",
		strings.Repeat("[", MaxSource):                                 "the expression ends too early",
		strings.Repeat("args.x ? true : ", MaxNodes/5-1) + "true":      "",
		strings.Repeat("!", MaxNodes-10) + "args.x":                    "",
		strings.Repeat("let a = ", MaxNodes) + "1":                     "the expression ends too early",
		strings.Repeat("if true {", MaxNodes/2) + "1":                  "the expression ends too early",
		"args.x" + strings.Repeat(".x", (MaxNodes-10)/2) + " == true":  "",
		"args.x == " + strings.Repeat("1 + ", 400) + "1":               "",
		strings.Repeat("any(args.x, ", 300) + strings.Repeat(")", 300): "unexpected )",
	} {
		p, problems := compileTest(source, testEnv(), WantBool)
		if got := problems.Error(); got != want {
			t.Errorf("%.30s…: got %s, want %s", source, got, want)
		}
		if p != nil {
			p.Early(testEnv().Vars(nil))
			_, _ = p.Bool(testEnv().Vars(nil))
		}
	}
}

// TestReads: a variable counts as read wherever it stands.
func TestReads(t *testing.T) {
	p, problems := compileTest("let x = args.a; any(tool.tags, # == x) ?? count", testEnv(), WantAny)
	if p == nil {
		t.Fatal(problems)
	}
	for name, want := range map[string]bool{"args": true, "tool": true, "count": true, "caller": false, "x": false} {
		if got := p.Reads(name); got != want {
			t.Errorf("Reads(%q) = %v", name, got)
		}
	}
}

func sorted(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		set[text] = true
	}
	return set
}
