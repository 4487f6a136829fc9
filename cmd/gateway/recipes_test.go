package main

import (
	"os"
	"regexp"
	"testing"
)

// TestRecipes: each recipe lints without a word, its tests pass, and they show both what it
// allows and what it does not.
func TestRecipes(t *testing.T) {
	data, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	recipes := docPage{text: string(data)}.blocks("yaml")
	if headings := len(anchors(string(data))) - 1; len(recipes) != headings {
		t.Errorf("%d recipes under %d headings", len(recipes), headings)
	}
	for _, recipe := range recipes {
		if err := os.WriteFile("tools.yaml", []byte(recipe), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := gatewayOutput(t, "lint"); err != nil || out != "" {
			t.Errorf("%v\n%s\n%s", err, out, recipe)
		}
		if out, err := gatewayOutput(t, "policy", "test"); err != nil {
			t.Errorf("%v\n%s\n%s", err, out, recipe)
		}
		for _, way := range []string{"expect: allow", "expect: (deny|ask)"} {
			if !regexp.MustCompile(way).MatchString(recipe) {
				t.Errorf("no test has %s:\n%s", way, recipe)
			}
		}
	}
}
