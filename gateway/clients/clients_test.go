package clients_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway/clients"
)

var update = flag.Bool("update", false, "write the golden files")

// place is a machine with nothing on it.
func place(system string) clients.Place {
	env := map[string]string{"APPDATA": "/home/ann/AppData/Roaming"}
	return clients.Place{
		OS: system, Home: "/home/ann", Dir: "/project",
		Getenv: func(name string) string { return env[name] },
		Exists: func(string) bool { return false },
	}
}

// servers are those that each client is told of.
func servers() []clients.Server {
	return []clients.Server{
		{Name: "toolgate", URL: "http://127.0.0.1:8080/mcp"},
		{Name: "toolgate", URL: "https://tools.example.com/p/support/mcp?a=1&b=2", TokenEnv: "TG_TOKEN"},
		{Name: "tool-gate_2", Command: []string{"/opt/my apps/gateway", "serve", "--stdio", "--config", "/project/it's.yaml"}},
	}
}

// TestSetups holds the whole of what is said of every client.
func TestSetups(t *testing.T) {
	var out strings.Builder
	for _, name := range clients.Names() {
		for _, s := range servers() {
			fmt.Fprintf(&out, "== %s %s%s\n", name, s.URL, strings.Join(s.Command, " "))
			setup, err := clients.New(name, s, place("linux"))
			if err != nil {
				fmt.Fprintf(&out, "error: %v\n\n", err)
				continue
			}
			fmt.Fprintf(&out, "%s, %s\nfile: %s\ncommand: %s\n%s\n", setup.Client, setup.Docs, setup.File, setup.Command, setup.Snippet)
		}
	}
	golden(t, "testdata/setups.golden", out.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestFiles holds where files are on other systems and with other environments.
func TestFiles(t *testing.T) {
	with := func(p clients.Place, name, value string) clients.Place {
		p.Getenv = func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}
		return p
	}
	commented := place("linux")
	commented.Exists = func(file string) bool { return strings.HasSuffix(file, "opencode.jsonc") }
	both := place("linux")
	both.Exists = func(string) bool { return true }
	nobody := with(place("linux"), "", "")
	nobody.Home = ""
	for _, c := range []struct {
		client string
		place  clients.Place
		want   string
	}{
		{"claude-desktop", place("linux"), ""},
		{"claude-desktop", place("darwin"), "/home/ann/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", place("windows"), "/home/ann/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"claude-desktop", with(place("windows"), "", ""), ""},
		{"codex", with(place("linux"), "CODEX_HOME", "/etc/codex"), "/etc/codex/config.toml"},
		{"opencode", with(place("linux"), "XDG_CONFIG_HOME", "/xdg"), "/xdg/opencode/opencode.json"},
		{"opencode", commented, "/home/ann/.config/opencode/opencode.jsonc"},
		{"opencode", both, "/home/ann/.config/opencode/opencode.json"},
		{"cursor", nobody, ""},
		{"vscode", nobody, "/project/.vscode/mcp.json"},
	} {
		setup, err := clients.New(c.client, servers()[2], c.place)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(setup.File); got != c.want {
			t.Errorf("%s: %q, want %q", c.client, got, c.want)
		}
	}
}

const (
	tokenEnvText = "the token's environment variable cannot be named so (write its name, not the token: letters, digits and _, with no digit first, such as TOOLGATE_TOKEN)"
	servedText   = "a gateway serves /mcp, /p/NAME/mcp for a profile and /chats/NAME/mcp for a chat"
)

// TestNotes holds which paths are taken with a note.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		path string
		odd  bool
	}{
		{"/mcp", false},
		{"/mcp?a=1", false},
		{"/p/support/mcp", false},
		{"/chats/c-17/mcp", false},
		{"/tools/mcp", false}, // behind a proxy
		{"/v1", true},
		{"/mcp/", true},
		{"//mcp", true},
		{"/p//mcp", true},
		{"/xmcp", true},
	} {
		setup, err := clients.New("cursor", clients.Server{Name: "a", URL: "http://host" + c.path}, place("linux"))
		if err != nil {
			t.Fatal(err)
		}
		if odd := setup.Note != ""; odd != c.odd || odd && !strings.Contains(setup.Note, servedText) {
			t.Errorf("%s: %q", c.path, setup.Note)
		}
	}
	if setup, err := clients.New("cursor", servers()[2], place("linux")); err != nil || setup.Note != "" {
		t.Error(setup, err)
	}
}

func TestRefusals(t *testing.T) {
	url := "http://127.0.0.1:8080/mcp"
	for _, c := range []struct {
		client string
		server clients.Server
		want   string
	}{
		{"curser", clients.Server{Name: "a", URL: url}, `no client is named "curser" (did you mean cursor?)`},
		{"emacs", clients.Server{Name: "a", URL: url}, `no client is named "emacs" (known: claude-code, claude-desktop, codex, cursor, gemini, opencode, vscode)`},
		{"cursor", clients.Server{Name: "a.b", URL: url}, `"a.b" cannot name a server (write a letter, then up to 63 letters, digits, _ and -)`},
		{"cursor", clients.Server{Name: "a"}, "a server has either a URL or a command"},
		{"cursor", clients.Server{Name: "a", URL: url, Command: []string{"x"}}, "a server has either a URL or a command"},
		{"cursor", clients.Server{Name: "a", URL: url, TokenEnv: "A-B"}, tokenEnvText},
		{"cursor", clients.Server{Name: "a", URL: url, TokenEnv: "my token"}, tokenEnvText},
		{"cursor", clients.Server{Name: "a", URL: "http://host:8080"}, "nothing speaks MCP at http://host:8080 (write http://host:8080/mcp; " + servedText + ")"},
		{"cursor", clients.Server{Name: "a", URL: "https://host/?a=1"}, "nothing speaks MCP at https://host/?a=1 (write https://host/mcp?a=1; " + servedText + ")"},
		{"cursor", clients.Server{Name: "a", Command: []string{"x"}, TokenEnv: "A"}, "a server that the client starts itself needs no token (leave out --token-env)"},
		{"cursor", clients.Server{Name: "a", URL: "127.0.0.1:8080"}, `"127.0.0.1:8080" is not the address of a server (write it as http://127.0.0.1:8080/mcp)`},
		{"cursor", clients.Server{Name: "a", URL: "ftp://x/mcp"}, `"ftp://x/mcp" is not the address of a server (write it as http://127.0.0.1:8080/mcp)`},
		{"cursor", clients.Server{Name: "a", URL: "https://ann:hunter2@x/mcp"}, "the address holds a credential, which would stand in the client's file (use --token-env)"},
	} {
		_, err := clients.New(c.client, c.server, place("linux"))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %+v: %v, want %s", c.client, c.server, err, c.want)
		}
	}
}

// TestMerge merges the first server, or the one that the file names, into the files of the folder.
// Each names its client, what was there before, and what comes of it: the file
// after, with what became of an entry of its name, or an error.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(string(ar.Comment), "\n")
			before := ar.Files[0].Data
			if strings.Contains(ar.Files[0].Name, "crlf") {
				before = bytes.ReplaceAll(before, []byte("\n"), []byte("\r\n"))
			}
			name, which, _ := strings.Cut(name, " ")
			server := servers()[map[string]int{"": 0, "token": 1, "command": 2}[which]]
			server.Name = "toolgate"
			setup, err := clients.New(name, server, place("linux"))
			if err != nil {
				t.Fatal(err)
			}
			kind, got := "after", ""
			merged, replaced, err := setup.Merge(before)
			if err != nil {
				kind, got = "error", err.Error()+"\n"
				if hand, ok := errors.AsType[*clients.ByHand](err); ok {
					got += hand.How + ":\n" + hand.Text
				}
			} else {
				got = strings.ReplaceAll(string(merged), "\r\n", "⏎\n")
				again, twice, err := setup.Merge(merged)
				if err != nil || twice != nil || !bytes.Equal(again, merged) {
					t.Errorf("merged again: %+v, %v\n%s", twice, err, again)
				}
				if replaced != nil {
					kind = fmt.Sprintf("after, address %v, kept %v, dropped %v", replaced.Address, replaced.Kept, replaced.Dropped)
				}
			}
			ar.Files = append(ar.Files[:1:1], txtar.File{Name: kind, Data: []byte(got)})
			golden(t, file, string(txtar.Format(ar)))
		})
	}
}
