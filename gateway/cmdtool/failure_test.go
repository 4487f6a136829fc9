package cmdtool

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestRunFails(t *testing.T) {
	const long = 200 << 10 // more than one argument may have on Linux
	tests := []struct {
		name string
		argv expression.Texts
		args string
		mode tool.OutputMode
		code tool.Code
		text string // part of the message
	}{
		{"an option from outside", expression.Texts{"cat", "${args.a}"}, `{"a": "--version"}`, "", tool.InvalidArgs, `"--version" starts with -`},
		{"a lone hyphen", expression.Texts{"cat", "${args.a}"}, `{"a": "-"}`, "", tool.InvalidArgs, "starts with -"},
		{"an option inside a list", expression.Texts{"cat", "${args.a}"}, `{"a": ["x", "-e"]}`, "", tool.InvalidArgs, `"-e" starts with -`},
		{"a negative number", expression.Texts{"echo", "${args.a}"}, `{"a": -5}`, "", tool.InvalidArgs, `"-5" starts with -`},
		{"an option from two values", expression.Texts{"echo", "${args.a}${args.n}"}, `{"a": "", "n": "-x"}`, "", tool.InvalidArgs, `"-x" starts with -`},
		{"an option behind a hyphen", expression.Texts{"echo", "-${args.a}"}, `{"a": "-help"}`, "", tool.InvalidArgs, `"--help" starts with -`},
		{"-- from outside does not end options", expression.Texts{"echo", "${args.a}", "${args.n}"}, `{"a": "--", "n": "-x"}`, "", tool.InvalidArgs, `"--" starts with -`},
		{"an option behind a literal one", expression.Texts{"cat", "-n", "${args.a}"}, `{"a": "-e"}`, "", tool.InvalidArgs, `"-e" starts with -`},
		{"any option behind a hyphen", expression.Texts{"echo", "-${args.a}"}, `{"a": "rf"}`, "", tool.InvalidArgs, `"-rf" starts with -`},
		{"any option behind two hyphens", expression.Texts{"echo", "--${args.a}"}, `{"a": "rm"}`, "", tool.InvalidArgs, `"--rm" starts with -`},
		{"a value that ends an option's name", expression.Texts{"echo", "--out${args.a}"}, `{"a": "put=x"}`, "", tool.InvalidArgs, `"--output=x" starts with -`},
		{"a negative value behind an option letter", expression.Texts{"echo", "-o${args.a}"}, `{"a": "-x"}`, "", tool.InvalidArgs, `"-o-x" starts with -`},
		{"an empty value behind an option letter", expression.Texts{"echo", "-e${args.a}", "--", "x"}, `{"a": ""}`, "", tool.InvalidArgs, "the value of -e is empty"},
		{"an option that lost its value takes the end of options", expression.Texts{"echo", "-e", "${args.a}", "--", "${args.n}"}, `{"n": "-x"}`, "", tool.InvalidArgs, `"-x" starts with -`},
		{"an option that lost its list of values", expression.Texts{"echo", "-e", "${args.a}", "--", "${args.n}"}, `{"a": [], "n": "-x"}`, "", tool.InvalidArgs, `"-x" starts with -`},
		{"an option after trimming", expression.Texts{"echo", "${trim(args.a)}"}, `{"a": " -x"}`, "", tool.InvalidArgs, `"-x" starts with -`},
		{"an option in the other branch", expression.Texts{"echo", `${args.n == 1 ? "-l" : args.a}`}, `{"a": "-r"}`, "", tool.InvalidArgs, `"-r" starts with -`},
		{"an option that looks like two texts of the template", expression.Texts{"echo", `${args.a ?? ("-l" + "r")}`}, `{"a": "-l\" + \"r"}`, "", tool.InvalidArgs, "starts with -"},
		{"more arguments than a command may have", expression.Texts{"true", "${args.a}"}, `{"a": ["x"` + strings.Repeat(`, "x"`, maxArguments) + `]}`, "", tool.InvalidArgs, "longer than a command line"},
		{"a zero byte", expression.Texts{"echo", "x${args.a}"}, `{"a": "a\u0000b"}`, "", tool.InvalidArgs, "zero byte"},
		{"absent inside longer text", expression.Texts{"echo", "x${args.a}"}, `{}`, "", tool.InvalidArgs, "cannot be built"},
		{"a missing program", expression.Texts{"toolgate-has-no-such-program"}, `{}`, "", tool.UpstreamUnavailable, "the program toolgate-has-no-such-program is not installed"},
		{"a missing program of the folder", expression.Texts{"./missing"}, `{}`, "", tool.UpstreamUnavailable, "the program ./missing is not installed"},
		{"a program that may not run", expression.Texts{"/etc/passwd"}, `{}`, "", tool.UpstreamUnavailable, "the gateway may not run the program /etc/passwd"},
		{"an exit status", shell("echo partial; echo no such file >&2; exit 3"), `{}`, "", tool.UpstreamError, "the command ended with exit status 3: no such file\nIts output:\npartial"},
		{"an exit status and silence", expression.Texts{"false"}, `{}`, "", tool.UpstreamError, "the command ended with exit status 1"},
		{"a signal", shell("kill -TERM $$"), `{}`, "", tool.UpstreamError, "the command was ended by signal 15 (terminated)"},
		{"binary output under text", shell(`printf 'a\377\376'`), `{}`, tool.OutputText, tool.UpstreamError, "3 bytes that are not text"},
		{"zero bytes in the output under text", shell(`printf 'a\000b'`), `{}`, tool.OutputText, tool.UpstreamError, "3 bytes that are not text"},
		{"binary output under JSON", shell(`printf '\211PNG'`), `{}`, tool.OutputJSON, tool.UpstreamError, "not JSON"},
		{"output that is not JSON", expression.Texts{"echo", "{"}, `{}`, tool.OutputJSON, tool.UpstreamError, "not JSON"},
		{"one byte over the cap", shell("head -c 65537 /dev/zero | tr '\\0' x"), `{}`, "", tool.TooLarge, "more than the 65536 bytes"},
		{"arguments that do not fit", expression.Texts{"echo", "${args.a}"}, `{"a": ["` + strings.Repeat("x", long) + strings.Repeat(`", "`+strings.Repeat("x", long), 50) + `"]}`, "", tool.InvalidArgs, "longer than a command line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, Config{Argv: test.argv}, Deps{Output: test.mode, Dir: t.TempDir(), Args: []string{"a", "n"}})
			_, err := r.Run(t.Context(), input(t, test.args))
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Code != test.code || !strings.Contains(e.Message, test.text) {
				t.Errorf("got %v, want %s with %q", err, test.code, test.text)
			}
		})
	}
}

// TestWhatFailuresTell: the whole message, where programs explain themselves on
// either output or both.
func TestWhatFailuresTell(t *testing.T) {
	masker := secret.NewMasker(secret.NewValue("s3cret-t0ken"))
	for script, want := range map[string]string{
		"exit 1":                                               "",
		"echo FAIL: TestSum; exit 1":                           "\nIts output:\nFAIL: TestSum",
		"echo no >&2; printf ' \\n\\n'; exit 1":                ": no",
		"printf 'a\\000b'; echo no >&2; exit 1":                ": no",
		"echo s3cret-t0ken; echo s3cret-t0ken >&2; exit 1":     ": [secret]\nIts output:\n[secret]",
		"printf '{\"progress\": 1}\\nbroke\\n'; kill -KILL $$": "\nIts output:\nbroke",
	} {
		r := compile(t, Config{Argv: shell(script), Progress: JSONLines}, Deps{Dir: t.TempDir(), Masker: masker})
		_, err := r.Run(t.Context(), input(t, `{}`))
		start := "the command ended with exit status 1"
		if strings.Contains(script, "KILL") {
			start = "the command was ended by signal 9 (killed)"
		}
		if got := tool.AsError(err).Message; got != start+want {
			t.Errorf("%s: got %q, want %q", script, got, start+want)
		}
	}
}

func TestOutputIsKeptFromItsEnd(t *testing.T) {
	r := compile(t, Config{Argv: shell("head -c 30000 /dev/zero | tr '\\0' x; echo the end; exit 1")}, Deps{Dir: t.TempDir()})
	_, err := r.Run(t.Context(), input(t, `{}`))
	got := tool.AsError(err).Message
	if !strings.HasPrefix(got, "the command ended with exit status 1\nIts output:\n[…] xxx") || !strings.HasSuffix(got, "xxxthe end") || len(got) > maxSaid+100 {
		t.Errorf("got %d bytes: %.60s", len(got), got)
	}
}

func TestStderrIsKeptFromItsEnd(t *testing.T) {
	r := compile(t, Config{Argv: shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1")}, Deps{Dir: t.TempDir()})
	_, err := r.Run(t.Context(), input(t, `{}`))
	got := tool.AsError(err).Message
	if !strings.HasPrefix(got, "the command ended with exit status 1: […] xxx") || !strings.HasSuffix(got, "xxxthe end") || len(got) > maxSaid+100 {
		t.Errorf("got %d bytes: %.60s", len(got), got)
	}
}

// TestMuchWritten: a command that was stopped because it wrote too much may have
// done a part of what it does.
func TestMuchWritten(t *testing.T) {
	r := compile(t, Config{Argv: shell("head -c 65537 /dev/zero")}, Deps{Dir: t.TempDir()})
	act, read := input(t, `{}`), input(t, `{}`)
	spec := *read.Spec
	spec.Tags = []string{tool.TagReadOnly}
	read.Spec = &spec
	for want, in := range map[string]tool.Input{"Ask for less.": read, "Ask for less. It may have had an effect: check before you call it again.": act} {
		_, err := r.Run(t.Context(), in)
		if got := tool.AsError(err).Hint; got != want {
			t.Errorf("the hint is %q, want %q", got, want)
		}
	}
}
