package main

import (
	"os"
	"regexp"
	"testing"
)

// TestTestingPage: every configuration of the page on tests lints without a warning,
// and its tests pass.
func TestTestingPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(data, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d YAML blocks", len(blocks))
	}
	t.Chdir(t.TempDir())
	for _, b := range blocks {
		if err := os.WriteFile("tools.yaml", b[1], 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := gatewayOutput(t, "lint"); err != nil || out != "" {
			t.Errorf("%v\n%s\n%s", err, b[1], out)
		}
		if out, err := gatewayOutput(t, "test"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestExampleTests: the examples have tests of every kind, and they pass.
func TestExampleTests(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools.yaml", "contract.yaml"} {
		if out, err := gatewayOutput(t, "test", "--config", "../../examples/"+name, "--verbose"); err != nil || len(regexp.MustCompile(`(?m)^ok   .*: (tool|hook|rule)\b`).FindAllString(out, -1)) < 4 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
