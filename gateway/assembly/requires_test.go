package assembly_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

func cliCaller() tool.Caller { return tool.Caller{ID: "local", Name: "local", Kind: tool.KindCLI} }

// upstream answers with a status and counts how often it is asked.
func upstream(t *testing.T, status int) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func requiring(requires string) string {
	return `
version: 1
networks: {allow: [127.0.0.0/8]}
tools:
  find: {description: F., tags: [read_only], expr: "1", requires: ` + requires + `}
  other: {description: O., expr: "1"}
policy: {default: deny, rules: [{name: a, tools: [find], action: allow}, {name: b, tools: [other], action: allow}]}
`
}

func TestRequiresAtLoad(t *testing.T) {
	t.Setenv("ASSEMBLY_SET", "x")
	t.Setenv("ASSEMBLY_EMPTY", "")
	well, asked := upstream(t, http.StatusNotFound)
	moved, _ := upstream(t, http.StatusFound)
	ill, _ := upstream(t, http.StatusBadGateway)
	tests := []struct{ requires, why string }{
		{`{}`, ""},
		{`{env: [ASSEMBLY_SET], command: [cat], url: ["` + well + `", "` + moved + `"]}`, ""},
		{`{env: [ASSEMBLY_SET, ASSEMBLY_UNSET]}`, "environment variable ASSEMBLY_UNSET is not set"},
		{`{env: [ASSEMBLY_EMPTY], check: load}`, "environment variable ASSEMBLY_EMPTY is empty"},
		{`{command: [no-such-program]}`, "program no-such-program is not found: executable file not found in $PATH"},
		{`{env: [ASSEMBLY_UNSET], command: [no-such-program]}`, "environment variable ASSEMBLY_UNSET is not set; program no-such-program is not found: executable file not found in $PATH"},
		{`{url: ["` + ill + `/health?key=1"]}`, ill + "/health does not answer: it answers with status 502"},
		{`{url: ["http://169.254.169.254/"]}`, `http://169.254.169.254/ does not answer: Get "http://169.254.169.254/"`},
	}
	for _, tt := range tests {
		a, problems := build(t, requiring(tt.requires), assembly.Resolved)
		if a.Generation == nil {
			t.Fatalf("%s: %s", tt.requires, problems)
		}
		left := !slices.Contains(names(a), "find")
		if left != (tt.why != "") || !slices.Contains(names(a), "other") {
			t.Errorf("%s: registered are %v", tt.requires, names(a))
		}
		if want := "tools.yaml:5:3: tools.find: warning: left out: " + tt.why; left && !strings.HasPrefix(problems, want) || !left && problems != "" {
			t.Errorf("%s:\n got %s\nwant %s", tt.requires, problems, want)
		}
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("the upstream was asked %d times", got)
	}
}

// TestRequiresIsNotLookedAt where a configuration is only checked or listed.
func TestRequiresIsNotLookedAt(t *testing.T) {
	t.Parallel()
	address, asked := upstream(t, http.StatusOK)
	for _, check := range []string{"load", "call"} {
		a, problems := build(t, requiring(`{env: [ASSEMBLY_UNSET], command: [no-such-program], url: ["`+address+`"], check: `+check+`}`), assembly.Declared)
		if problems != "" || len(names(a)) != 2 {
			t.Errorf("%s: %v, %s", check, names(a), problems)
		}
	}
	if got := asked.Load(); got != 0 {
		t.Errorf("the upstream was asked %d times", got)
	}
}

func TestRequiresMistakes(t *testing.T) {
	t.Parallel()
	_, problems := build(t, requiring(`{env: ["A=B"], command: [" "], url: [example.com, "https://${args.x}", "https://a:b@c"]}`), assembly.Resolved)
	var got []string
	for line := range strings.Lines(problems) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), "tools.find.requires.")
		got = append(got, rest)
	}
	want := []string{
		`env.0: "A=B" cannot be the name of an environment variable`,
		`command.0: " " cannot be the name of a program`,
		`url.0: the address must start with http:// or https:// and a host`,
		`url.1: the address must be literal: this key is no template`,
		`url.2: the address holds a user name or a password, which this key does not take`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// call runs a tool of an assembly without the gate.
func call(ctx context.Context, t *testing.T, a *assembly.Assembly, name string) (tool.Output, *tool.Error) {
	t.Helper()
	e, ok := a.Generation.Tools.Lookup(name)
	if !ok {
		t.Fatalf("no tool is named %s", name)
	}
	out, err := e.Runner.Run(ctx, tool.Input{Args: map[string]any{}, Call: &tool.Call{Tool: name}, Spec: e.Spec})
	if err == nil {
		return out, nil
	}
	failed, ok := errors.AsType[*tool.Error](err)
	if !ok {
		t.Fatal(err)
	}
	return out, failed
}

func TestRequiresAtCall(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	a, problems := build(t, requiring(`{command: [late-program], check: call}`), assembly.Resolved)
	if problems != "" {
		t.Fatal(problems)
	}
	_, err := call(t.Context(), t, a, "find")
	if err == nil || err.Code != tool.UpstreamUnavailable || err.Message != "find is not available: the program late-program is not installed where the gateway runs" {
		t.Fatalf("got %v", err)
	}
	if want := "program late-program is not found: executable file not found in $PATH"; err.Cause == nil || err.Cause.Error() != want {
		t.Errorf("cause %v, want %s", err.Cause, want)
	}
	// What was found out a moment ago is believed.
	if err := os.WriteFile(filepath.Join(dir, "late-program"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t.Context(), t, a, "find"); err == nil {
		t.Error("the program was looked for again at once")
	}
	a, _ = build(t, requiring(`{command: [late-program], check: call}`), assembly.Resolved)
	if out, err := call(t.Context(), t, a, "find"); err != nil || out.Text() != "1" {
		t.Errorf("got %q, %v", out.Text(), err)
	}
}

// TestRequiresURLAtCall asks once for several calls, and does not name the
// address to the model.
func TestRequiresURLAtCall(t *testing.T) {
	t.Parallel()
	ill, asked := upstream(t, http.StatusInternalServerError)
	a, problems := build(t, requiring(`{url: ["`+ill+`"], check: call}`), assembly.Resolved)
	if problems != "" || asked.Load() != 0 {
		t.Fatalf("asked %d times: %s", asked.Load(), problems)
	}
	gaveUp, stop := context.WithCancel(t.Context())
	stop()
	if _, err := call(gaveUp, t, a, "find"); err == nil || err.Code != tool.Cancelled {
		t.Errorf("got %v", err)
	}
	for range 3 {
		_, err := call(t.Context(), t, a, "find")
		if err == nil || err.Message != "find is not available: a service that it needs does not answer" {
			t.Fatalf("got %v", err)
		}
		if want := ill + " does not answer: it answers with status 500"; err.Cause.Error() != want {
			t.Errorf("cause %v, want %s", err.Cause, want)
		}
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("the upstream was asked %d times", got)
	}
}

// TestSecretsThatAreNeeded: only what is registered needs its secrets, and what
// a tool uses is found however it is written.
func TestSecretsThatAreNeeded(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, want string }{
		{"plain", `command: {argv: [cat], stdin: "${secret.one}"}`, "one"},
		{"brackets", `command: {argv: [cat, '${ secret["two"] }']}`, "two"},
		{"within an expression", `http: {url: "https://example.com", headers: {A: "Bearer ${upper( secret . one )}"}}`, "one"},
		{"in a body", `http: {url: "https://example.com", method: POST, body: {json: {a: [{b: "${secret.two}"}]}}}`, "two"},
		{"all of them", `command: {argv: [cat], stdin: "${secret}"}`, "one two"},
		{"chosen by an argument", `parameters: {type: object, properties: {k: {}}}, command: {argv: [cat], stdin: "${secret[args.k]}"}`, "one two"},
		{"an argument of that name", `parameters: {type: object, properties: {secret: {}}}, command: {argv: [cat], stdin: "${args.secret}"}`, ""},
		{"literal text", `command: {argv: [cat], stdin: "secret.one"}`, ""},
		{"no tool of its own", `expr: "1"`, ""},
		{"disabled", `enabled: false, command: {argv: [cat], stdin: "${secret.one}"}`, ""},
		{"left out", `requires: {env: [ASSEMBLY_NEVER_SET]}, command: {argv: [cat], stdin: "${secret.one}"}`, ""},
	}
	for _, tt := range tests {
		_, problems := build(t, `
version: 1
secrets:
  one: {env: ASSEMBLY_NEVER_ONE}
  two: {env: ASSEMBLY_NEVER_TWO}
tools:
  say: {description: S., `+tt.tool+`}
policy: {default: allow}
`, assembly.Resolved)
		var got []string
		for _, name := range []string{"one", "two"} {
			if strings.Contains(problems, "secrets."+name+": environment variable ASSEMBLY_NEVER_"+strings.ToUpper(name)+" is not set") {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != tt.want || tt.want == "" && strings.Contains(problems, "secrets.") {
			t.Errorf("%s: %s, want %q", tt.name, problems, tt.want)
		}
	}
}

// TestBuildFor: for one call only that tool's surroundings and secrets matter,
// but a hook may be about it.
func TestBuildFor(t *testing.T) {
	t.Parallel()
	address, asked := upstream(t, http.StatusOK)
	text := `
version: 1
networks: {allow: [127.0.0.0/8]}
secrets: {one: {env: ASSEMBLY_NEVER_ONE}, two: {env: ASSEMBLY_NEVER_TWO}}
tools:
  plain: {description: P., expr: "1"}
  say: {description: S., requires: {url: ["` + address + `"]}, command: {argv: [cat], stdin: "${secret.one}"}}
policy: {default: allow}
`
	for name, want := range map[string]string{
		"plain": "", "gone": "",
		"say": "tools.yaml:4:11: secrets.one: environment variable ASSEMBLY_NEVER_ONE is not set",
	} {
		cfg, _ := config.Parse("tools.yaml", []byte(text))
		a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Only: name})
		t.Cleanup(func() { _ = a.Close() })
		if got := cfg.Problems().Error(); got != want || (a.Generation == nil) != (want != "") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("the upstream was asked %d times", got)
	}
}

// TestHooksNeedSecrets: the secrets of an enabled hook are needed where it
// reaches a tool that is called.
func TestHooksNeedSecrets(t *testing.T) {
	t.Parallel()
	const text = `
version: 1
secrets: {one: {env: ASSEMBLY_NEVER_ONE}, two: {env: ASSEMBLY_NEVER_TWO}, three: {env: ASSEMBLY_NEVER_THREE}}
tools:
  plain: {description: P., expr: "1"}
  other: {description: O., tags: [far], expr: "1"}
hooks:
  before:
    - {name: d, tools: [oth*], http: {url: "https://example.com/${secret.three}"}}
    - {name: e, tags: [far], http: {url: "https://example.com/${secret.three}"}}
    - {name: a, http: {url: "https://example.com/${secret.one}"}}
    - {name: b, enabled: false, http: {url: "https://example.com/${secret.three}"}}
  after: [{name: c, http: {url: "https://example.com", headers: {Authorization: "Bearer ${secret.two}"}}}]
policy: {default: allow}
`
	cfg, _ := config.Parse("tools.yaml", []byte(text))
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Only: "plain"})
	t.Cleanup(func() { _ = a.Close() })
	want := `tools.yaml:3:11: secrets.one: environment variable ASSEMBLY_NEVER_ONE is not set
tools.yaml:3:43: secrets.two: environment variable ASSEMBLY_NEVER_TWO is not set`
	if got := cfg.Problems().Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWatchedSecrets: a tool that is left out until what it needs comes has its
// secrets from the start, for it is not built again when it comes.
func TestWatchedSecrets(t *testing.T) {
	t.Setenv("ASSEMBLY_KEY", "a value of some length")
	for check, wants := range map[string]bool{"watch": true, "load": false} {
		for name, set := range map[string]bool{"ASSEMBLY_KEY": true, "ASSEMBLY_UNSET": false} {
			_, problems := build(t, `
version: 1
secrets: {key: {env: `+name+`}}
tools: {a: {description: A., requires: {command: [no-such-program], check: `+check+`}, command: {argv: [cat], stdin: "${secret.key}"}}}
policy: {default: allow}
`, assembly.Resolved)
			if refused := strings.Contains(problems, "ASSEMBLY_UNSET is not set"); refused != (wants && !set) {
				t.Errorf("check: %s, %s: %v", check, name, problems)
			}
		}
	}
}
