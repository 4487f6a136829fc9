package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/learn"
)

// FuzzHints reads any file as one of hints: it is refused with a place, or what was read
// says the same when it is written and read again.
func FuzzHints(f *testing.F) {
	for _, text := range []string{
		"", "\n", `{"tool": "pay", "query": "wire money"}`, "{\"tool\": \"pay\"}\n\n{\"query\": \"a\"}", `{"tool": 1}`, `{"tool": "a"`, `{} {}`, `{"weight": 1e999}`,
		"- tool: pay\n  query: wire money\n  weight: 0.5\n", "- {tool: pay, used: 2026-01-31T12:00:00Z}", "- a", "a: b", "- [1]", "--- a\n--- b", "- &a {tool: pay}\n- *a", "- {1: 2}", "\xff", "- .nan",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		hints, lines, err := parseHints("hints.yaml", data)
		if err != nil {
			if problems := diag.As(err); len(problems) != 1 || problems[0].Place.File != "hints.yaml" || problems[0].Text == "" {
				t.Errorf("%v", err)
			}
			return
		}
		if len(hints) != len(lines) {
			t.Fatalf("%d hints and %d lines", len(hints), len(lines))
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		for i := range hints {
			if err := enc.Encode(&hints[i]); err != nil {
				t.Fatal(err)
			}
		}
		again, _, err := parseHints("hints.jsonl", out.Bytes())
		if diff := cmp.Diff(hints, again); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
		book, err := learn.Visit(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := book.Import(t.Context(), hints, nil, false); err == nil && len(book.List(nil)) > len(hints) {
			t.Errorf("%d notes of %d hints", len(book.List(nil)), len(hints))
		}
	})
}

// TestHintsOverServer is the command that asks a server, which keeps what it is told.
func TestHintsOverServer(t *testing.T) {
	dir := groupsFolder(t, groupsFile)
	s, stop := serveGroups(t, dir)
	file := filepath.Join(dir, "hints.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := func(caller string, args ...string) (string, error) {
		t.Helper()
		t.Setenv(config.EnvToken, tokenOf(caller))
		var out, talk bytes.Buffer
		err := run(t.Context(), append(append([]string{"gateway", "tools", "hints"}, args...), "--server", s.url), streams{http.NoBody, &out, &talk})
		return out.String(), err
	}
	fails := func(want string, err error) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := command("agent", "export")
	fails("the gateway refuses: this needs the right admin, and the caller agent has call. Use the token of a caller that may admin (server.admin_token, or server.callers with may).", err)
	write(`{"tool": "payy", "query": "settle an invoice"}`)
	_, err = command("admin", "import", file)
	fails(`the gateway refuses: hint 1: there is no tool "payy". did you mean pay? with force it is taken in`, err)
	write(`{"tool": "pay", "query": "settle an invoice"}`)
	if _, err = command("admin", "import", file); err != nil {
		t.Fatal(err)
	}
	const want = `{"tool":"pay","query":"settle an invoice","weight":1}` + "\n"
	if got, err := command("admin", "export"); got != want || err != nil {
		t.Error(got, err)
	}
	stop()
	s, _ = serveGroups(t, dir)
	if got, err := command("admin", "export"); got != want || err != nil {
		t.Error(got, err)
	}
}
