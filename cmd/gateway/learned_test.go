package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// learnedFile has two tools that a search finds alike, in the order in which they stand,
// and one that only words find which nothing here has.
const learnedFile = `version: 1
tools:
  one: {description: Settle an invoice., defer: true, expr: '"first"'}
  two: {description: Settle an invoice., defer: true, expr: '"second"'}
  far: {description: Water the plants., defer: true, expr: '"wet"'}
policy: {default: allow}
`

// learning is a configuration, and the store beside it.
type learning struct {
	t    *testing.T
	file string
}

// TestLearnedLocally: hints that are imported into the store count in a search that is
// made without a server, and without learn.
func TestLearnedLocally(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := &learning{t: t, file: filepath.Join(dir, "tools.yaml")}
	written := filepath.Join(dir, "hints.yaml")
	for path, text := range map[string]string{l.file: learnedFile, written: "- {tool: two, query: settle an invoice}\n- {tool: far, query: quench my ficus}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(query string, want ...string) {
		t.Helper()
		if got := l.searched(strings.Fields(query)...); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", query, got, want)
		}
	}
	check("settle an invoice", "one", "two")
	check("quench my ficus")
	l.hints("import", written)
	check("settle an invoice", "two", "one")
	check("quench my ficus", "far")
	l.hints("import", "--replace", "-")
	check("settle an invoice", "one", "two")
}

// searched is what a search without a server finds.
func (l *learning) searched(words ...string) []string {
	l.t.Helper()
	return foundIn(l.t, []byte(l.run(append([]string{"tools", "search", "--json", "--config", l.file}, words...))))
}

// hints runs a command about hints: of the store, unless a server is named.
func (l *learning) hints(args ...string) string {
	l.t.Helper()
	if !slices.Contains(args, "--server") {
		args = append(args, "--config", l.file)
	}
	return l.run(append([]string{"tools", "hints"}, args...))
}

// run runs a command, which reads nothing.
func (l *learning) run(args []string) string {
	l.t.Helper()
	var out, talk bytes.Buffer
	if err := run(l.t.Context(), append([]string{"gateway"}, args...), streams{http.NoBody, &out, &talk}); err != nil {
		l.t.Fatalf("%s: %v\n%s", args, err, talk.String())
	}
	return out.String()
}

// foundIn are the names in an answer.
func foundIn(t *testing.T, answer []byte) (names []string) {
	t.Helper()
	var found struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(answer, &found); err != nil || found.Tools == nil {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, tool := range found.Tools {
		names = append(names, tool.Name)
	}
	return names
}
