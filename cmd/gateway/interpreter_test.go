package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// TestNoInterpreter has a configuration whose interpreter is not installed: it lints,
// it is served, and the call says what to do.
func TestNoInterpreter(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	path := writeConfig(t, "version: 1\ncode_interpreter: {enabled: true, runtime: "+folder+"}\ntools: {one: {description: One., expr: '1'}}\n")
	var out, talk bytes.Buffer
	if err := run(t.Context(), []string{"gateway", "lint", "--config", path}, streams{http.NoBody, &out, &talk}); err != nil {
		t.Error(err)
	}
	install := "gateway python install --into " + folder
	if want := "code_interpreter is not available on this machine: no Python interpreter is installed in " + folder + " (run: " + install + ")\n"; !strings.HasPrefix(talk.String(), want) {
		t.Errorf("lint: got %s, want %s", talk.String(), want)
	}
	talk.Reset()
	err := run(t.Context(), []string{"gateway", "tools", "call", "--config", path, "code_interpreter", "code=1"}, streams{http.NoBody, &out, &talk})
	if exit, ok := errors.AsType[*exitError](err); !ok || exit.code != exitFailed || !strings.Contains(talk.String(), install) {
		t.Errorf("call: got %v, %s", err, talk.String())
	}
	h := openText(t, "version: 1\ncode_interpreter: {enabled: true, runtime: "+folder+"}\ntools: {one: {description: One., expr: '1'}}\n", discardLogger())
	caller := tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindHTTP}
	r := h.Gateway.Call(t.Context(), tool.Call{Tool: "code_interpreter", Arguments: []byte(`{"code":"1"}`), Caller: caller})
	if r.Error == nil || r.Error.Code != tool.UpstreamUnavailable || !r.Error.Retryable || !strings.Contains(r.Error.Hint, install) {
		t.Errorf("served: got %+v", r.Error)
	}
	if r := h.Gateway.Call(t.Context(), tool.Call{Tool: "one", Caller: caller}); r.Output.Text() != "1" {
		t.Errorf("another tool: got %+v", r)
	}
	if err := h.Gateway.Ready(); err != nil {
		t.Error(err)
	}
}

// TestRunFlags are calls of gateway python run that are wrong.
func TestRunFlags(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "s.py")
	if err := os.WriteFile(script, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{nil, "needs the path of a script", exitUsage},
		{[]string{"--memory", "1MiB", script}, `--memory must be 32MiB to 4GiB, got "1MiB"`, exitUsage},
		{[]string{"--timeout", "2h", script}, "--timeout must be more than 0 and at most 1h0m0s, got 2h0m0s", exitUsage},
		{[]string{"--package", script, script}, "is neither a wheel nor a folder", exitUsage},
		{[]string{"--files", script + "x", script}, "no such file", exitUsage},
		{[]string{script + "x"}, "no such file", exitUsage},
		{[]string{"--runtime", filepath.Dir(script), script}, "no Python interpreter is installed in", exitFailed},
	} {
		err := run(t.Context(), append([]string{"gateway", "python", "run"}, c.args...), streams{http.NoBody, io.Discard, io.Discard})
		var talk bytes.Buffer
		if code := report(&talk, err); code != c.code || !strings.Contains(talk.String(), c.want) {
			t.Errorf("%q: got %d %s, want %d %s", c.args, code, talk.String(), c.code, c.want)
		}
	}
}

// TestPythonRun runs scripts from the shell.
func TestPythonRun(t *testing.T) {
	t.Parallel()
	folder, bin, dir := pythontest.Runtime(t).Folder, build(t, "github.com/toolgate/toolgate/cmd/gateway"), t.TempDir()
	for _, c := range []struct {
		name, code string
		args       []string // before the script
		out, err   string
		exit       int
	}{
		{name: "prints", code: "import sys\nprint(sys.argv[1:])\nprint('e', file=sys.stderr)\n'no value'", out: "['a', '--b']\n", err: "e\n"},
		{name: "exits", code: "raise SystemExit(7)", exit: 7},
		{name: "raises", code: "x = 1\n1/0", exit: 1, err: "Traceback (most recent call last):\n  File \"raises.py\", line 2, in <module>\n    1/0\n"},
		{name: "does not compile", code: "def", exit: 1, err: "SyntaxError: invalid syntax"},
		{name: "endless", code: "print('so far')\nwhile True: pass", args: []string{"--timeout", "1s"}, out: "so far\n", exit: 1, err: "the program ran for longer than 1s and was ended"},
		{name: "reads", code: "print(open('/files/given/a.txt').read())", args: []string{"--files", filepath.Join(dir, "given")}, out: "hello\n"},
		{name: "leaves", code: "import os\nos.makedirs('/out/x')\nopen('/out/x/y', 'w').write('z')", args: []string{"--out", filepath.Join(dir, "out")}},
		{name: "loses", code: "open('/out/y', 'w').write('z')", err: "gateway: what it wrote to /out is lost: 1 file; --out DIR keeps it\n"},
		{name: "imports", code: "import shop\nprint(shop.total([10]))", args: []string{"--package", "../../examples/interpreter/helpers"}, out: "1200\n"},
	} {
		script := filepath.Join(dir, c.name+".py")
		if err := errors.Join(
			os.WriteFile(script, []byte(c.code), 0o600),
			os.MkdirAll(filepath.Join(dir, "given"), 0o700), os.WriteFile(filepath.Join(dir, "given", "a.txt"), []byte("hello"), 0o600),
		); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), bin, slices.Concat([]string{"python", "run", "--runtime", folder}, c.args, []string{script, "a", "--b"})...)
		var out, talk bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &talk
		_ = cmd.Run() // the code says it
		if got := cmd.ProcessState.ExitCode(); got != c.exit || out.String() != c.out || !strings.Contains(talk.String(), c.err) {
			t.Errorf("%s: got %d, %q, %q", c.name, got, out.String(), talk.String())
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out", "x", "y")); string(data) != "z" {
		t.Errorf("left %q, %v", data, err)
	}
}

// TestServesPrograms runs programs through a server, with the files of a chat, across a
// reload, and looks at what is counted.
func TestServesPrograms(t *testing.T) {
	t.Parallel()
	folder, bin := pythontest.Runtime(t).Folder, build(t, "github.com/toolgate/toolgate/cmd/gateway")
	dir := t.TempDir()
	config := func(timeout string) []byte {
		return []byte("version: 1\nserver: {listen: '127.0.0.1:0'}\ncode_interpreter: {enabled: true, timeout: " + timeout + ", runtime: " + folder + "}\n")
	}
	path := filepath.Join(dir, "tools.yaml")
	if err := os.WriteFile(path, config("1m"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	p := startCommand(t, &log, exec.CommandContext(t.Context(), bin, "serve", "--config", path))
	ask := func(method, path, body string) string {
		req, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Chat-Id", "c")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	program := func(code string, files ...string) string {
		args, _ := json.Marshal(map[string]any{"code": code, "files": append([]string{}, files...)}) // never null
		return ask(http.MethodPost, "/v1/tools/code_interpreter/call", string(args))
	}
	for _, c := range []struct{ code, want string }{
		{"print(1)", `"text":"1"`},
		{"open('/out/a.csv', 'w').write('a,b')\nNone", `a later call reads them with \"files\": [\"a.csv\"], and people get them by HTTP, as at /v1/chats/c/files/a.csv.`},
		{"1/0", `"error_type":"upstream_error"`},
		{"1 +", `"error_type":"invalid_args"`},
	} {
		if got := program(c.code); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s", c.code, got)
		}
	}
	if got := program("open('/files/a.csv').read()", "a.csv"); !strings.Contains(got, `"json":"a,b"`) {
		t.Errorf("a file of the chat: got %s", got)
	}
	if got := ask(http.MethodGet, "/v1/chats/c/files/a.csv", ""); got != "a,b" {
		t.Errorf("by HTTP: got %s", got)
	}
	if err := os.WriteFile(path, config("1s"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(http.MethodPost, "/v1/reload", "")
	if got := program("print('so far')\nwhile True: pass"); !strings.Contains(got, `"error_type":"timeout"`) || !strings.Contains(got, "so far") {
		t.Errorf("after a reload: got %s", got)
	}
	for _, want := range []string{
		`toolgate_interpreter_programs_total{outcome="ok"} 3`, `toolgate_interpreter_programs_total{outcome="error"} 1`,
		`toolgate_interpreter_programs_total{outcome="syntax"} 1`, `toolgate_interpreter_programs_total{outcome="timeout"} 1`,
	} {
		if got := ask(http.MethodGet, "/metrics", ""); !strings.Contains(got, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if text := log.String(); !strings.Contains(text, "the code interpreter is ready") || !strings.Contains(text, "confined_by=") {
		t.Errorf("the log has %s", text)
	}
}
