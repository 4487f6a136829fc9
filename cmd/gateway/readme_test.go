package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestReadme holds the README to its word: every complete configuration in it
// lints without a warning, every piece of one fits into a configuration, and
// its first tool answers what it says.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(data, -1)
	if len(blocks) < 3 {
		t.Fatalf("%d YAML blocks", len(blocks))
	}
	document, err := os.ReadFile("../../examples/openapi/github.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"github.yaml", "crm.yaml"} {
		if err := os.WriteFile(name, document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks {
		text := string(b[1])
		if !strings.HasPrefix(text, "version:") {
			text = "version: 1\n" + text
		}
		if err := os.WriteFile("tools.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := gatewayOutput(t, "lint"); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, out)
		}
	}
	if err := os.WriteFile("tools.yaml", blocks[0][1], 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := gatewayOutput(t, "tools", "call", "slug", "title=Hello World")
	if err != nil || out != "hello-world\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestReadmeDiscovery: the configuration of the section on discovery is one as it
// stands, with the file that it names, and its searches are answered as it says.
func TestReadmeDiscovery(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Discovery\n")
	section, _, _ = strings.Cut(section, "\n## ")
	block := func(language string) string {
		found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(section)
		if found == nil {
			t.Fatalf("no block of %s", language)
		}
		return found[1]
	}
	document, err := os.ReadFile("../../examples/openapi/github.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("tools.yaml", []byte(block("yaml")), 0o600), os.WriteFile("github.yaml", document, 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := gatewayOutput(t, "lint"); err != nil || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
	t.Setenv("GITHUB_TOKEN", "t")
	if _, err := gatewayOutput(t, "discovery", "eval", "--min-recall", "1"); err != nil {
		t.Error(err)
	}
	out, err := gatewayOutput(t, "tools", "search", "--json", "give", "money", "back")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct{ Tools []map[string]any }
	var want, got answer
	if err := errors.Join(json.Unmarshal([]byte(block("json")), &want), json.Unmarshal([]byte(out), &got)); err != nil || len(want.Tools) != 1 || len(got.Tools) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	for member, value := range want.Tools[0] {
		if diff := cmp.Diff(value, got.Tools[0][member]); diff != "" {
			t.Errorf("%s (-README +answer):\n%s", member, diff)
		}
	}
}

func gatewayOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, talk bytes.Buffer
	err := run(t.Context(), append([]string{"gateway"}, args...), streams{http.NoBody, &out, &talk})
	return out.String(), err
}

// documentation is the README with the pages beside it.
func documentation(t *testing.T) (text []byte) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append([]string{"../../README.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, data...)
	}
	return text
}

// TestReadmeNames: the README and its pages name every command and flag, every path and every
// error_type of a call.
func TestReadmeNames(t *testing.T) {
	t.Parallel()
	readme := documentation(t)
	data, err := os.ReadFile("../../gateway/httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var api struct{ Paths map[string]any }
	if err := json.Unmarshal(data, &api); err != nil || len(api.Paths) == 0 {
		t.Fatal(err)
	}
	patterns := namesOf(root(streams{}), "gateway")
	for path := range api.Paths {
		fixed, _, _ := strings.Cut(path, "{") // examples have something else behind it
		patterns = append(patterns, regexp.QuoteMeta(fixed))
	}
	for _, code := range tool.Codes() {
		patterns = append(patterns, "`"+string(code)+"`")
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).Match(readme) {
			t.Errorf("the documentation does not name %s", pattern)
		}
	}
}

// namesOf are patterns of the flags of a command, and of the commands below it.
func namesOf(c *cli.Command, path string) (patterns []string) {
	for _, f := range c.Flags {
		patterns = append(patterns, `--`+f.Names()[0]+`\b`)
	}
	for _, sub := range c.Commands {
		patterns = append(patterns, path+` (\w+\|)*`+sub.Name+`\b`) // such as "tools list|show"
		patterns = append(patterns, namesOf(sub, path+" "+sub.Name)...)
	}
	return patterns
}
