package cmdtool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

func TestConformance(t *testing.T) {
	tooltest.Run(t, tooltest.Subject{
		Echo:    backend("${args.text}", "cat"),
		Stuck:   backend("", "sleep", "1000"),
		Stalled: backend("", "sh", "-c", "echo a first part; exec sleep 1000"),
		Flood:   backend("", "yes"),
		Broken:  backend("", "false"),
		Blocks: func(t *testing.T) tool.Runner {
			json := tooltest.BlocksJSON
			return compile(t, Config{Argv: expression.Texts{"cat"}, Stdin: &json}, Deps{Output: tool.OutputContent, Dir: t.TempDir()})
		},
		Binary: func(data []byte) tooltest.Backend {
			return func(t *testing.T) tool.Runner {
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "data"), data, 0o600); err != nil {
					t.Fatal(err)
				}
				return compile(t, Config{Argv: expression.Texts{"cat", "data"}}, Deps{Dir: dir})
			}
		},
		Steps: func(t *testing.T) tool.Runner {
			return compile(t, Config{
				Argv:     shell(`for i in 1 2 3; do echo '{"progress": '$i', "total": 3}'; sleep 0.15; done; echo done`),
				Progress: JSONLines,
			}, Deps{Dir: t.TempDir()})
		},
		BrokenCode: tool.UpstreamError,
	})
}

func backend(stdin string, argv ...string) tooltest.Backend {
	return func(t *testing.T) tool.Runner {
		return compile(t, Config{Argv: argv, Stdin: &stdin}, Deps{Dir: t.TempDir(), Args: []string{"text"}})
	}
}

func compile(t *testing.T, cfg Config, deps Deps) tool.Runner {
	t.Helper()
	var report diag.Report
	r := New(diag.NewCursor(&report, nil).Key("command"), cfg, deps)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

func input(t *testing.T, args string) tool.Input {
	t.Helper()
	in := tooltest.Input("")
	in.Args = nil
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	if err := d.Decode(&in.Args); err != nil {
		t.Fatal(err)
	}
	return in
}

// show prints each of its arguments in brackets.
const show = `for a; do printf '[%s]' "$a"; done`

func shell(script string, args ...string) expression.Texts {
	return append(expression.Texts{"sh", "-c", script, "sh"}, args...)
}

func TestRun(t *testing.T) {
	from := func(text string) *string { return &text }
	tests := []struct {
		name  string
		argv  expression.Texts
		stdin *string
		args  string
		mode  tool.OutputMode
		want  string
	}{
		{"a plain command", expression.Texts{"echo", "hello"}, nil, `{}`, "", "hello\n"},
		{"a value is one argument", shell(show, "${args.a}"), nil, `{"a": "x y; $(id) 'z'"}`, "", "[x y; $(id) 'z']"},
		{"a value in longer text", shell(show, "<${args.a}>"), nil, `{"a": "-x"}`, "", "[<-x>]"},
		{"numbers keep their digits", shell(show, "n=${args.n}", "${args.n}"), nil, `{"n": 12345678901234567890}`, "", "[n=12345678901234567890][12345678901234567890]"},
		{"a truth", shell(show, "${args.a}"), nil, `{"a": true}`, "", "[true]"},
		{"a list is several arguments", shell(show, "${args.a}", "end"), nil, `{"a": ["x", "y z", ""]}`, "", "[x][y z][][end]"},
		{"an empty list is none", shell(show, "${args.a}", "end"), nil, `{"a": []}`, "", "[end]"},
		{"absent is left out", shell(show, "${args.a}", "end"), nil, `{}`, "", "[end]"},
		{"an option with a value", shell(show, "--x=${args.a}", "end"), nil, `{"a": "-1"}`, "", "[--x=-1][end]"},
		{"an option without a value is left out", shell(show, "--x=${args.a}", "end"), nil, `{}`, "", "[end]"},
		{"an option with an empty value", shell(show, "--x=${args.a}", "end"), nil, `{"a": ""}`, "", "[--x=][end]"},
		{"null is left out", shell(show, "${args.a}", "end"), nil, `{"a": null}`, "", "[end]"},
		{"an empty value stays an argument", shell(show, "${args.a}", "end"), nil, `{"a": ""}`, "", "[][end]"},
		{"an option's value", shell(show, "--level=${args.a}"), nil, `{"a": "-3"}`, "", "[--level=-3]"},
		{"behind the end of options", shell(show, "--", "${args.a}"), nil, `{"a": "-rf"}`, "", "[--][-rf]"},
		{"an option the template names", shell(show, `${args.a == true ? "-l" : nil}`), nil, `{"a": true}`, "", "[-l]"},
		{"an option left out by the template", shell(show, `${args.a == true ? "-l" : nil}`), nil, `{"a": false}`, "", ""},
		{"an option letter before a value", shell(show, "-n${args.a}"), nil, `{"a": 3}`, "", "[-n3]"},
		{"a number behind a hyphen", shell(show, "-${args.a}"), nil, `{"a": 3}`, "", "[-3]"},
		{"a letter that the template names", shell(show, `-${args.a ? "l" : "r"}`), nil, `{"a": true}`, "", "[-l]"},
		{"a value of an option that may have one", shell(show, `--color${args.a == nil ? "" : "=" + args.a}`), nil, `{"a": "-x"}`, "", "[--color=-x]"},
		{"an option that may have a value", shell(show, `--color${args.a == nil ? "" : "=" + args.a}`), nil, `{}`, "", "[--color]"},
		{"another hyphen is no hyphen", shell(show, "${args.a}", "${args.n}"), nil, `{"a": "\u2010x", "n": "\u2212rf"}`, "", "[\u2010x][\u2212rf]"},
		{"a space before a hyphen", shell(show, "${args.a}"), nil, `{"a": " -x"}`, "", "[ -x]"},
		{"a file's name behind @", shell(show, "${args.a}"), nil, `{"a": "@x"}`, "", "[@x]"},
		{"a line break in a value", shell(show, "${args.a}"), nil, `{"a": "x\n-y"}`, "", "[x\n-y]"},
		{"wildcards and variables in a value", shell(show, "${args.a}"), nil, `{"a": "* ~ $HOME %PATH% \u0060id\u0060"}`, "", "[* ~ $HOME %PATH% `id`]"},
		{"a list inside longer text is one argument", shell(show, "x=${args.a}"), nil, `{"a": ["-1", "b"]}`, "", `[x=["-1","b"]]`},
		{"an object is one argument", shell(show, "${args.a}"), nil, `{"a": {"b": "-c d"}}`, "", `[{"b":"-c d"}]`},
		{"a literal ${", shell(show, "$${args.a}"), nil, `{}`, "", "[${args.a}]"},
		{"stdin", expression.Texts{"wc", "-c"}, from("${args.a}"), `{"a": "12345"}`, tool.OutputJSON, "5"},
		{"stdin of several parts", expression.Texts{"cat"}, from("a=${args.a}\n"), `{"a": "-x"}`, "", "a=-x\n"},
		{"absent stdin is empty", expression.Texts{"cat"}, from("${args.a}"), `{}`, "", ""},
		{"no stdin is empty", expression.Texts{"cat"}, nil, `{}`, "", ""},
		{"stdin nobody reads", expression.Texts{"true"}, from("${args.a}"), `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "", ""},
		{"stdin that is read in part", expression.Texts{"head", "-c", "3"}, from("${args.a}"), `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "", "xxx"},
		{"stdin that is closed unread", shell("exec <&-; echo closed; sleep 0.1"), from("${args.a}"), `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "", "closed\n"},
		{"stdin of more than a pipe holds", shell("wc -c | tr -d ' '"), from("${args.a}"), `{"a": "` + strings.Repeat("x", 3<<20) + `"}`, "", "3145728\n"},
		{"stdin and output at once, both more than a pipe holds", expression.Texts{"head", "-c", "65536"}, from("${args.a}"), `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "", strings.Repeat("x", 1<<16)},
		{"stdin with zero bytes", shell("tr '\\0' -"), from("${args.a}"), `{"a": "a\u0000b"}`, "", "a-b"},
		{"stdin with a list", expression.Texts{"cat"}, from("${args.a}"), `{"a": [1.50, "x"]}`, "", `[1.50,"x"]`},
		{"a flood on standard error", shell("head -c 3000000 /dev/zero >&2; echo out"), nil, `{}`, "", "out\n"},
		{"floods on both", shell("head -c 3000000 /dev/zero >&2 & head -c 60000 /dev/zero | tr '\\0' x; wait"), nil, `{}`, "", strings.Repeat("x", 60000)},
		{"output as JSON", expression.Texts{"echo", `{"n": 1.50}`}, nil, `{}`, tool.OutputJSON, `{"n": 1.50}`},
		{"stderr of a success is not shown", shell("echo out; echo err >&2"), nil, `{}`, "", "out\n"},
		{"exactly the cap", shell("head -c 65536 /dev/zero | tr '\\0' x"), nil, `{}`, "", strings.Repeat("x", tooltest.MaxOutput)},
		{"secrets reach the process", shell(show, "${secret.key}"), nil, `{}`, "", "[s3cret]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{Argv: test.argv, Stdin: test.stdin}, Deps{
				Output: test.mode, Dir: t.TempDir(), Args: []string{"a", "n"},
				SecretNames: []string{"key"}, Secrets: map[string]secret.Value{"key": secret.NewValue("s3cret")},
			})
			out, err := r.Run(t.Context(), input(t, test.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
