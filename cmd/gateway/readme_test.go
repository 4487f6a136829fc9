package main

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
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
	t.Chdir(t.TempDir())
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

func gatewayOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, talk bytes.Buffer
	err := run(t.Context(), append([]string{"gateway"}, args...), streams{http.NoBody, &out, &talk})
	return out.String(), err
}
