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

// docPage is a page of the documentation: its path from this folder, and its text.
type docPage struct{ path, text string }

// pages are the README and the pages under docs/.
func pages(t *testing.T) (all []docPage) {
	t.Helper()
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, path := range append([]string{"../../README.md"}, paths...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, docPage{path, string(data)})
	}
	return all
}

// documentation is the text of all pages.
func documentation(t *testing.T) (text []byte) {
	t.Helper()
	for _, p := range pages(t) {
		text = append(text, p.text...)
	}
	return text
}

// blocks are the texts of the code blocks of a page whose first line says exactly info.
func (p docPage) blocks(info string) (texts []string) {
	pattern := regexp.MustCompile("(?ms)^```" + regexp.QuoteMeta(info) + "\n(.*?)^```")
	for _, b := range pattern.FindAllStringSubmatch(p.text, -1) {
		texts = append(texts, b[1])
	}
	return texts
}

// complete is the text of a block of YAML with the version that fragments leave out.
func complete(block string) []byte {
	if !strings.HasPrefix(block, "version:") {
		block = "version: 1\n" + block
	}
	return []byte(block)
}

// TestDocsConfigurations: every complete configuration of every page, which begins with its
// version, lints without a warning, and every piece of one without an error. A block of
// other YAML says so behind the word yaml.
func TestDocsConfigurations(t *testing.T) {
	all := pages(t)
	document, err := os.ReadFile("../../examples/openapi/github.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("github.yaml", document, 0o600), os.WriteFile("crm.yaml", document, 0o600)); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range all {
		if filepath.Base(p.path) == "library.md" {
			continue // its file has rules about tools that a Go program brings; the program's tests check it
		}
		for _, block := range p.blocks("yaml") {
			found++
			if err := os.WriteFile("tools.yaml", complete(block), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := gatewayOutput(t, "lint"); err != nil || out != "" && strings.HasPrefix(block, "version:") {
				t.Errorf("%s: %v\n%s\n%s", p.path, err, block, out)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d configurations", found)
	}
}

// TestReadmeDiscovery: the configuration of the page on discovery is one as it
// stands, with the file that it names, and its searches are answered as it says.
func TestReadmeDiscovery(t *testing.T) {
	data, err := os.ReadFile("../../docs/discovery.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		found := docPage{text: string(data)}.blocks(language)
		if len(found) == 0 {
			t.Fatalf("no block of %s", language)
		}
		return found[0]
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
			t.Errorf("%s (-page +answer):\n%s", member, diff)
		}
	}
}

func gatewayOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, talk bytes.Buffer
	err := run(t.Context(), append([]string{"gateway"}, args...), streams{http.NoBody, &out, &talk})
	return out.String(), err
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
	for _, sub := range c.VisibleCommands() {
		patterns = append(patterns, path+` (\w+\|)*`+sub.Name+`\b`) // such as "tools list|show"
		patterns = append(patterns, namesOf(sub, path+" "+sub.Name)...)
	}
	return patterns
}
