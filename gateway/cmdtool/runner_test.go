package cmdtool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

func TestConformance(t *testing.T) {
	tooltest.Run(t, tooltest.Subject{
		Echo:       backend("${args.text}", "cat"),
		Stuck:      backend("", "sleep", "1000"),
		Flood:      backend("", "yes"),
		Broken:     backend("", "false"),
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
		{"a literal ${", shell(show, "$${args.a}"), nil, `{}`, "", "[${args.a}]"},
		{"stdin", expression.Texts{"wc", "-c"}, from("${args.a}"), `{"a": "12345"}`, tool.OutputJSON, "5"},
		{"stdin of several parts", expression.Texts{"cat"}, from("a=${args.a}\n"), `{"a": "-x"}`, "", "a=-x\n"},
		{"absent stdin is empty", expression.Texts{"cat"}, from("${args.a}"), `{}`, "", ""},
		{"no stdin is empty", expression.Texts{"cat"}, nil, `{}`, "", ""},
		{"stdin nobody reads", expression.Texts{"true"}, from("${args.a}"), `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "", ""},
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
		{"a zero byte", expression.Texts{"echo", "x${args.a}"}, `{"a": "a\u0000b"}`, "", tool.InvalidArgs, "zero byte"},
		{"absent inside longer text", expression.Texts{"echo", "x${args.a}"}, `{}`, "", tool.InvalidArgs, "cannot be built"},
		{"a missing program", expression.Texts{"toolgate-has-no-such-program"}, `{}`, "", tool.UpstreamUnavailable, "the program toolgate-has-no-such-program is not installed"},
		{"a missing program of the folder", expression.Texts{"./missing"}, `{}`, "", tool.UpstreamUnavailable, "the program ./missing is not installed"},
		{"a program that may not run", expression.Texts{"/etc/passwd"}, `{}`, "", tool.UpstreamUnavailable, "the gateway may not run the program /etc/passwd"},
		{"an exit status", shell("echo partial; echo no such file >&2; exit 3"), `{}`, "", tool.UpstreamError, "the command ended with exit status 3: no such file"},
		{"an exit status and silence", expression.Texts{"false"}, `{}`, "", tool.UpstreamError, "the command ended with exit status 1"},
		{"a signal", shell("kill -TERM $$"), `{}`, "", tool.UpstreamError, "the command was ended by signal 15 (terminated)"},
		{"binary output", shell(`printf 'a\377\376'`), `{}`, "", tool.UpstreamError, "3 bytes that are not text"},
		{"zero bytes in the output", shell(`printf 'a\000b'`), `{}`, "", tool.UpstreamError, "3 bytes that are not text"},
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

func TestStderrIsKeptFromItsEnd(t *testing.T) {
	r := compile(t, Config{Argv: shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1")}, Deps{Dir: t.TempDir()})
	_, err := r.Run(t.Context(), input(t, `{}`))
	got := tool.AsError(err).Message
	if !strings.HasPrefix(got, "the command ended with exit status 1: […] xxx") || !strings.HasSuffix(got, "xxxthe end") || len(got) > maxStderr+100 {
		t.Errorf("got %d bytes: %.60s", len(got), got)
	}
}

func TestEnvironmentIsAFixedList(t *testing.T) {
	t.Setenv("TOOLGATE_TEST_CREDENTIAL", "leaked")
	t.Setenv("TZ", "UTC")
	out, err := compile(t, Config{Argv: expression.Texts{"env"}}, Deps{Dir: t.TempDir()}).Run(t.Context(), input(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(out.Text()) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
		if !slices.Contains(inherited, name) {
			t.Errorf("the process sees %s", line)
		}
	}
	if !slices.Contains(names, "PATH") || !slices.Contains(names, "TZ") {
		t.Errorf("the process sees only %v", names)
	}
}

func TestDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pwd, err := exec.LookPath("pwd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pwd, filepath.Join(dir, "where")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	for _, from := range []string{dir, filepath.Base(dir)} {
		out, err := compile(t, Config{Argv: expression.Texts{"./where"}}, Deps{Dir: from}).Run(t.Context(), input(t, `{}`))
		if got := strings.TrimSpace(out.Text()); err != nil || got != dir {
			t.Errorf("from %s: ran in %q, %v, want %q", from, got, err, dir)
		}
	}
}

// TestNothingIsLeftBehind runs commands that start others, and looks for those
// once the run is over. Each writes the process it leaves to the file "left";
// where a run does not end by itself, the file also says when to cancel it.
func TestNothingIsLeftBehind(t *testing.T) {
	tests := []struct {
		name, script string
		code         tool.Code // empty for a success
		text         string
	}{
		{"when cancelled", `sleep 60 & echo $! > left; wait`, tool.Cancelled, ""},
		{"deeper down", `sh -c 'sleep 60 & echo $! > left; wait' & wait`, tool.Cancelled, ""},
		{"that ignores what it is told", `sh -c 'trap "" TERM INT HUP PIPE; echo $$ > left; for i in 1 2 3 4 5 6 7 8 9; do sleep 5; done' & wait`, tool.Cancelled, ""},
		{"after a success that leaves its output open", `sleep 60 & echo $! > left; echo done`, "", "done\n"},
		{"after a success that leaves its output closed", `sleep 60 >/dev/null 2>&1 & echo $! > left; echo done`, "", "done\n"},
		{"after a failure", `sleep 60 & echo $! > left; exit 2`, tool.UpstreamError, ""},
		{"over the cap", `sleep 60 & echo $! > left; trap "" PIPE; i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); echo 0123456789012345678901234567890123456789 2>/dev/null; done`, tool.TooLarge, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			left := filepath.Join(dir, "left")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.code == tool.Cancelled {
				go func() { read(left); cancel() }()
			}
			out, err := compile(t, Config{Argv: shell(test.script)}, Deps{Dir: dir}).Run(ctx, input(t, `{}`))
			if test.code == "" && (err != nil || out.Text() != test.text) {
				t.Errorf("got %q, %v", out.Text(), err)
			} else if test.code != "" && (err == nil || tool.AsError(err).Code != test.code) {
				t.Errorf("got %v, want %s", err, test.code)
			}
			wantGone(t, read(left))
		})
	}
}

// read waits for a process id in a file, for some seconds.
func read(file string) int {
	for range 1000 {
		if text, err := os.ReadFile(file); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				return pid
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("the command never said what it leaves behind")
	}
	for end := time.Now().Add(2 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// running reports whether the process does more than wait to be collected.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
