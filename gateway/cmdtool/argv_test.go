package cmdtool

import (
	"regexp"
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
		{"a shell script by the path of another shell", Config{Argv: expression.Texts{"/usr/bin/zsh", "-c", "${args.id}"}}, "command.argv.2: warning: a template inside"},
		{"a shell's variable", Config{Argv: expression.Texts{"ls", "$HOME/x"}}, "command.argv.1: warning: no shell puts a variable in place of $… here"},
		{"a shell's home folder", Config{Argv: expression.Texts{"ls", "~/x"}}, "command.argv.1: warning: no shell puts a home folder in place of ~ here"},
		{"a shell's variable in a script", Config{Argv: expression.Texts{"sh", "-c", "$EDITOR"}}, ""},
		{"a shell's variable in a variable", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"A": "$TOKEN"}}, "command.env.A: warning: no shell puts a variable"},
		{"a shell's home folder to run in", Config{Argv: expression.Texts{"a"}, Cwd: from("~/${args.id}")}, "command.cwd: warning: no shell puts a home folder"},
		{"prices and backups", Config{Argv: expression.Texts{"a", "$5", "$", "a~", "US$A", "$A-B", "~x~"}}, ""},
		{"an exit status with a sign", Config{Argv: expression.Texts{"a"}, Exit: map[string]string{"-1": "x"}}, `command.exit.-1: "-1" is no exit status`},
		{"an exit status too high", Config{Argv: expression.Texts{"a"}, Exit: map[string]string{"256": "x"}}, `command.exit.256: "256" is no exit status`},
		{"an exit status in another form", Config{Argv: expression.Texts{"a"}, Exit: map[string]string{"01": "x"}}, `command.exit.01: "01" is no exit status`},
		{"a range of exit statuses", Config{Argv: expression.Texts{"a"}, Exit: map[string]string{"1-3": "x"}}, `command.exit.1-3: "1-3" is no exit status`},
		{"every exit status", Config{Argv: expression.Texts{"a"}, Exit: map[string]string{"0": "x", "255": "${not a template}"}}, ""},
		{"a variable's name", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"A-B": "x"}}, `command.env.A-B: "A-B" is not the name of a variable`},
		{"a variable's name with =", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"A=B": "x"}}, `command.env.A=B: "A=B" is not the name of a variable`},
		{"a variable without a name", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"": "x"}}, `command.env.: "" is not the name of a variable`},
		{"a variable with a zero byte", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"A": "x\x00"}}, "command.env.A: the value holds a zero byte"},
		{"a variable's unknown argument", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"A": "${args.idd}"}}, "command.env.A: "},
		{"PATH from outside", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"PATH": "/bin:${args.id}"}}, "command.env.PATH: through PATH the caller could choose"},
		{"a library from outside", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"LD_PRELOAD": "${args.id}"}}, "command.env.LD_PRELOAD: through LD_PRELOAD"},
		{"git's ssh from outside", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"GIT_SSH_COMMAND": "${args.id}"}}, "command.env.GIT_SSH_COMMAND: through"},
		{"npm's configuration from outside", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"npm_config_script_shell": "${args.id}"}}, "command.env.npm_config_script_shell: through"},
		{"PATH from a secret", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"PATH": "${secret.crm}", "LD_LIBRARY_PATH": "/opt/lib"}}, ""},
		{"a harmless variable from outside", Config{Argv: expression.Texts{"a"}, Env: map[string]string{"PATHS": "${args.id}", "LANG": "${args.id}"}}, ""},
		{"any folder at all", Config{Argv: expression.Texts{"a"}, Cwd: from("/${args.id}")}, "command.cwd: the caller could choose any folder"},
		{"any folder in other words", Config{Argv: expression.Texts{"a"}, Cwd: from("/srv/../${args.id}")}, "command.cwd: the caller could choose any folder"},
		{"a folder without a name", Config{Argv: expression.Texts{"a"}, Cwd: from("")}, "command.cwd: the folder has no name"},
		{"a folder with a zero byte", Config{Argv: expression.Texts{"a"}, Cwd: from("a\x00")}, "command.cwd: the folder's name holds a zero byte"},
		{"an unknown argument in the folder", Config{Argv: expression.Texts{"a"}, Cwd: from("${args.idd}")}, "command.cwd: "},
		{"a folder below another", Config{Argv: expression.Texts{"a"}, Cwd: from("/srv/${args.id}")}, ""},
		{"a way to tell progress", Config{Argv: expression.Texts{"a"}, Progress: "bars"}, `command.progress: "bars" is no way to tell progress`},
		{"lines of progress", Config{Argv: expression.Texts{"a"}, Progress: JSONLines}, ""},
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
func listed([]string) (diag.Spot, bool) { return diag.Spot{}, true }

func TestOneTextInsteadOfAList(t *testing.T) {
	var report diag.Report
	alone := func(path []string) (diag.Spot, bool) { return diag.Spot{}, len(path) < 3 }
	New(diag.NewCursor(&report, alone).Key("command"), Config{Argv: expression.Texts{""}}, Deps{})
	want := diag.Problems{{Key: "command.argv", Text: "the name of the program is empty", Hint: "write its name or its path"}}
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

func TestQuotations(t *testing.T) {
	for text, want := range map[string][]string{
		`"a" ${args.x}`:                         nil,
		`${args.x ? "-l" : '-r'}`:               {"-l", "-r"},
		`${args.x ? "-l\"" : ` + "`-r`" + `}`:   {"-r"},
		`${args.x ?? "-l" + "b"}`:               {"-l", "b"},
		`it's ${args.x == "" ? nil : args.x}`:   {""},
		`${args.x ? "-l : nil}`:                 nil,
		`$${"a"} ${args.x ? "it's" : "so\\'s"}`: {"it's"},
	} {
		if diff := cmp.Diff(want, quotations(text)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

// FuzzArgv holds the rules of options. Whatever a caller sends, an element of
// the configuration stands for one argument, or for none where its value is
// absent, and a program is shown no option but those that the configuration
// wrote.
func FuzzArgv(f *testing.F) {
	for _, template := range []string{
		"${args.a}", "x${args.a}", "-${args.a}", "--${args.a}", "-n${args.a}", "--n${args.a}", "--n=${args.a}",
		"${args.a}${args.b}", `${args.a ?? ("-l" + "r")}`, `${args.a == "x" ? "-l" : args.b}`, `$${-${args.a}`, "-- ${trim(args.a)}",
	} {
		for _, value := range []string{"", "x", "-", "--", "--x", " -x", "-\x00", "=-x", "\u2010x", `-l" + "r`, "@x", "9", "-9"} {
			f.Add(template, value, "")
			f.Add(template, "", value)
		}
	}
	f.Fuzz(func(t *testing.T, template, x, y string) {
		var report diag.Report
		r, ok := New(diag.NewCursor(&report, nil), Config{Argv: expression.Texts{"p", template}}, Deps{Args: []string{"a", "b"}, Closed: true}).(*runner)
		if !ok || !r.args[0].template.Reads("args") {
			return
		}
		got, err := expand(r.args, r.env.Vars(map[string]any{"args": map[string]any{"a": x, "b": y}}), nil)
		if err != nil || len(got) == 0 && (r.args[0].template.Exact() || r.args[0].option != nil) {
			return
		}
		if len(got) != 1 {
			t.Fatalf("%q became %d arguments: %q", template, len(got), got)
		}
		if !written(before(template), template, got[0]) {
			t.Errorf("%q let the option %q through", template, got[0])
		}
	})
}

// written says in other words than [argument.check] whether the text is no
// option, or one that the configuration wrote.
func written(prefix, template, text string) bool {
	rest := strings.TrimPrefix(text, prefix)
	for _, q := range []string{`"`, "'", "`"} {
		if strings.Contains(template, q+text+q) && !strings.Contains(text, q) || rest != "" && strings.Contains(template, q+rest+q) && !strings.Contains(rest, q) {
			return true
		}
	}
	if !strings.HasPrefix(text, "-") || strings.Contains(prefix, "=") && prefix[0] == '-' {
		return true
	}
	if prefix == "-" && regexp.MustCompile(`^-[0-9]+$`).MatchString(text) {
		return true
	}
	return len(prefix) > 1 && prefix[0] == '-' && rest != "" && (prefix[1] != '-' && rest[0] != '-' || len(prefix) > 2 && rest[0] == '=')
}
