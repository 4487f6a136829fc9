package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"
)

// completed are configurations of the tests of completion.
const completed = `version: 1
server: {callers: {ann: {token: "${secret.a}"}, bob: {token: "${secret.b}"}}}
secrets: {a: {env: A}, b: {env: B}}
tools:
  pay: {description: Pay., parameters: {type: object, properties: {note: {type: string}, amount: {type: number, description: In euros}, to: {type: string}}, required: [to, amount]}, expr: "1"}
  peek: {description: "Peek.\nAt it.", core: false, expr: "1"}
groups: {looks: {description: Looks., tools: [peek]}}
profiles: {few: {tools: [pay]}}
policy: {default: deny}
`

// TestComplete: what may stand in place of the last word. A bar stands between
// candidates, and words are split at single spaces.
func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"tools.yaml": completed, "other.yaml": strings.ReplaceAll(completed, "pay", "send"), "broken.yaml": "version: 1\ntools: {a: {}}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"ver", "version"},
		{"zzz", ""},
		{"tools ", "list|show|call|search|hints"},
		{"tools c", "call"},
		{"tools call p", "pay|peek"},
		{"tools show pe", "peek"},
		{"tools show pay ", ""},
		{"tools call --config other.yaml s", "send"},
		{"tools call -c other.yaml s", "send"},
		{"tools call --config=other.yaml s", "send"},
		{"tools call --set tools.pay=null p", "peek"},
		{"tools call --config broken.yaml p", ""},
		{"tools call --config absent.yaml p", ""},
		{"tools call pay ", "amount:=|to=|note="},
		{"tools call pay amount:=3 ", "to=|note="},
		{"tools call pay --json to=x ", "amount:=|note="},
		{"tools call pay to=", ":files"},
		{"tools call absent ", ""},
		{"policy explain pay to=1 a", "amount:="},
		{"policy explain --caller ", "ann|bob"},
		{"policy explain --caller b", "bob"},
		{"policy explain --via=c", "--via=call_tool|--via=code"},
		{"tools call --activate ", "looks"},
		{"lint --fo", "--format"},
		{"approvals deny --", "--note|--help|--config|--set|--json|--server"},
		{"approvals deny --config ", ":files"},
		{"log stats --st", "--status"},
		{"lint --format ", "text|json|sarif"},
		{"lint --format=s", "--format=sarif"},
		{"lint --config ", ":files"},
		{"lint -c ", ":files"},
		{"lint ", ""},
		{"mcp add cur", "cursor"},
		{"mcp add --fi", "--file"},
		{"python run ", ":files"},
		{"completion ", "bash|zsh|fish"},
		{"__", ""},
		{"lint --absent ", ""},
		{"tools list --config", "--config"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"gateway", completeName, "zsh"}, strings.Split(c.line, " ")...), streams{http.NoBody, &out, &out}); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			text, _, ok := strings.Cut(line, "\t")
			if !ok {
				t.Errorf("%s: a line %q", c.line, line)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q: %s", c.line, diff)
		}
	}
}

// TestCompleteInBash presses the key in a real bash, as far as one without a terminal
// can: it runs the function of the script with words split as bash splits them. What was
// typed is never run.
func TestCompleteInBash(t *testing.T) {
	t.Parallel()
	program, dir := build(t, "github.com/toolgate/toolgate/cmd/gateway"), t.TempDir()
	for name, text := range map[string]string{"tools.yaml": completed, "other.yaml": strings.ReplaceAll(completed, "pay", "send")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		words string // in the syntax of bash
		want  string
	}{
		{`lin`, "lint"},
		{`tools call ''`, `call_tool|discover_tools|pay|peek|read_result`},
		{`tools call p`, `pay|peek`},
		{`tools call pay ''`, `amount:=|to=|note=`},
		{`tools call pay amount := 3 t`, `to=`},
		{`tools call --config = other.yaml s`, `send`},
		{`lint --format = s`, `sarif`},
		{`lint --format = ''`, `text|json|sarif`},
		{`tools call '$(touch pwned)' '; touch pwned #' p`, ``},
		{`tools call 'pay' '"$(touch pwned)"' no`, `note=`},
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", `source <("$1" completion bash)
eval "COMP_WORDS=(\"\$1\" $2)"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_gateway
IFS='|'; printf '%s' "${COMPREPLY[*]}"`, "bash", program, c.words)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if want := c.want; string(out) != want && !(strings.Contains(c.words, "call ''") && strings.Contains(string(out), "pay|peek")) {
			t.Errorf("%s: got %s, want %s", c.words, out, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("what was typed was run")
	}
}

// TestHelpExamples: the help of every command has an example, and the commands and
// flags in each are there.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	r := root(streams{})
	var visit func(c *cli.Command)
	visit = func(c *cli.Command) {
		for _, sub := range c.VisibleCommands() {
			visit(sub)
		}
		if len(c.VisibleCommands()) > 0 {
			return
		}
		if !strings.Contains(c.Description, "gateway ") {
			t.Errorf("the help of %s has no example", c.FullName())
		}
		for _, line := range regexp.MustCompile(`(?m)^ *gateway .*$`).FindAllString(c.Description, -1) {
			line, _, _ = strings.Cut(line, " # ")
			words := strings.Fields(line)[1:]
			for i, w := range words {
				if !strings.HasPrefix(w, "--") {
					continue
				}
				name, _, _ := strings.Cut(w, "=")
				if at := read(r, append(words[:i:i], "")); at.command != c || at.flagNamed(strings.TrimLeft(name, "-")) == nil {
					t.Errorf("%s: %q has no flag %s", c.FullName(), line, name)
				}
			}
			if at := read(r, append(words, "")); at.command != c {
				t.Errorf("an example of %s is one of %s: %s", c.FullName(), at.command.FullName(), line)
			}
		}
	}
	visit(r)
}
