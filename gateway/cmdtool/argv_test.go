package cmdtool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

func TestNewReports(t *testing.T) {
	from := func(text string) *string { return &text }
	tests := []struct {
		name string
		cfg  Config
		want string // "key: start of the text" of the first problem, empty for none
	}{
		{"nothing wrong", Config{Argv: expression.Texts{"wc", "-w", "${args.id}"}}, ""},
		{"no program", Config{}, "command.argv: the command has no program"},
		{"an empty program", Config{Argv: expression.Texts{""}}, "command.argv.0: the name of the program is empty"},
		{"a program from outside", Config{Argv: expression.Texts{"${args.id}"}}, "command.argv.0: the program must be literal text"},
		{"a program partly from outside", Config{Argv: expression.Texts{"/bin/${args.id}"}}, "command.argv.0: the program must be literal text"},
		{"a program with a zero byte", Config{Argv: expression.Texts{"a\x00b"}}, "command.argv.0: the name of the program holds a zero byte"},
		{"an argument with a zero byte", Config{Argv: expression.Texts{"a", "b", "c\x00"}}, "command.argv.2: the argument holds a zero byte"},
		{"an unknown argument", Config{Argv: expression.Texts{"a", "${args.idd}"}}, "command.argv.1: "},
		{"an unknown secret", Config{Argv: expression.Texts{"a", "${secret.crn}"}}, "command.argv.1: "},
		{"an unknown argument in stdin", Config{Argv: expression.Texts{"a"}, Stdin: from("${args.idd}")}, "command.stdin: "},
		{"a template in a script", Config{Argv: expression.Texts{"/bin/bash", "-ec", "rm ${args.id}"}}, "command.argv.2: warning: a template inside a shell script"},
		{"a script's own argument", Config{Argv: expression.Texts{"sh", "-c", `rm "$1"`, "sh", "${args.id}"}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var report diag.Report
			at := diag.NewCursor(&report, listed).Key("command")
			r := New(at, test.cfg, Deps{Args: []string{"id"}, SecretNames: []string{"crm"}})
			problems := report.Problems()
			if (r == nil) != (problems.Err() != nil) {
				t.Errorf("got runner %v with %v", r, problems)
			}
			got := problems.Error()
			if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// listed says that every key stands in the configuration.
func listed([]string) (diag.Spot, bool) { return diag.Spot{Plain: -1}, true }

func TestOneTextInsteadOfAList(t *testing.T) {
	var report diag.Report
	alone := func(path []string) (diag.Spot, bool) { return diag.Spot{Plain: -1}, len(path) < 3 }
	New(diag.NewCursor(&report, alone).Key("command"), Config{Argv: expression.Texts{""}}, Deps{})
	want := diag.Problems{{Key: "command.argv", Text: "the name of the program is empty"}}
	if diff := cmp.Diff(want, report.Problems()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBefore(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"plain":           "plain",
		"${args.a}":       "",
		"--x=${args.a}":   "--x=",
		"$${b}-${args.a}": "${b}-",
		"$$${args.a}":     "$${args.a}",
		"$5":              "$5",
	} {
		if got := before(text); got != want {
			t.Errorf("before(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzCheck holds the rule of options: whatever a caller sends as the whole of
// an argument, the program does not see an option.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"", "x", "-", "--", "--x", "-\x00", "=-x", "\u2010x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		a := argument{source: "${args.a}", guarded: true}
		if a.check(value, nil) == nil && (strings.HasPrefix(value, "-") || strings.ContainsRune(value, 0)) {
			t.Errorf("%q was let through", value)
		}
	})
}
