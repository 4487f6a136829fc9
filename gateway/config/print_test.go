package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func printed(t *testing.T, c *Config, opts PrintOptions) string {
	t.Helper()
	var b strings.Builder
	if err := c.Print(&b, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkPrinted reads back what is printed of a configuration and compares: as
// YAML with and without origins, and as JSON.
func checkPrinted(t *testing.T, c *Config) {
	t.Helper()
	want := printed(t, c, PrintOptions{JSON: true})
	for name, text := range map[string]string{
		"t.yaml": printed(t, c, PrintOptions{}), "origins.yaml": printed(t, c, PrintOptions{Origins: true}), "t.json": want,
	} {
		again, problems := Parse(name, []byte(text))
		if again == nil {
			t.Fatalf("%s does not load: %v\n%s", name, problems, text)
		}
		if diff := cmp.Diff(want, printed(t, again, PrintOptions{JSON: true})); diff != "" {
			t.Errorf("%s (-printed +read back):\n%s\n%s", name, diff, text)
		}
	}
}

func TestPrintEveryKey(t *testing.T) {
	data, err := os.ReadFile("testdata/good/all.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "include:", "# include:", 1)
	checkPrinted(t, mustParse(t, "/etc/toolgate/tools.yaml", text))
}

// TestPrintTexts has texts that a YAML reader could take for something else.
func TestPrintTexts(t *testing.T) {
	texts := []string{
		"", " ", "a b", "a  b", " a", "a ", "a: b", "a #b", "#a", "- a", "-", "? a", "a:", "yes", "No", "null", "~", "1", "1.5", "0x1F", ".5", "true",
		"{a}", "[a", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`", "'a'", `"a"`, `a\b`, "a\nb\n", "a\tb", "a\u0085b", "a\u2028b", "\ufeffa", "\U0001f600", "größe",
		"${args.x}", "<<", "2024-01-01", "a,b", "/x", "=", "---", "...", strings.Repeat("long ", 300), strings.Repeat("\a", 900), "\u00a0a", "\u007f",
	}
	values := map[string]any{}
	for _, s := range texts {
		values["k"+s] = s
		values[s] = []any{s, map[string]any{s: s}, []any{}, map[string]any{}, []any{[]any{s}}}
	}
	data, err := json.Marshal(map[string]any{"version": 1, "tools": map[string]any{"a": map[string]any{"expr": "1", "parameters": values}}})
	if err != nil {
		t.Fatal(err)
	}
	checkPrinted(t, mustParse(t, "t.json", string(data)))
}

// TestPrintSecrets has secrets that stand where they do not belong.
func TestPrintSecrets(t *testing.T) {
	c, problems := Parse("t.yaml", []byte(`version: 1
secrets: {a: hunter2, b: {env: B, value: hunter2}, c: {file: [hunter2]}, d: [hunter2], e: {env: {x: hunter2}}}
`))
	if problems.Err() == nil {
		t.Fatal("the file loads")
	}
	for _, asJSON := range []bool{true, false} {
		if got := printed(t, c, PrintOptions{JSON: asJSON, Origins: true}); strings.Contains(got, "hunter2") || !strings.Contains(got, "B") {
			t.Errorf("printed:\n%s", got)
		}
	}
}

func TestPrintJSONOrigins(t *testing.T) {
	c := mustParse(t, "t.yaml", "version: 1\ntools: {a: {expr: '1', parameters: {\"x/y~\": [0x10, 0.5]}}}\n")
	var got struct {
		Config  map[string]any    `json:"config"`
		Origins map[string]string `json:"origins"`
	}
	if err := json.Unmarshal([]byte(printed(t, c, PrintOptions{JSON: true, Origins: true})), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"/version": "t.yaml:1:10", "/tools/a/expr": "t.yaml:2:19", "/tools/a/parameters/x~1y~0/0": "t.yaml:2:46", "/tools/a/parameters/x~1y~0/1": "t.yaml:2:52",
		"/server/listen": "default", "/store/url": "default", "/defaults/timeout": "default", "/defaults/max_output": "default", "/defaults/think_augment": "default",
	}
	if diff := cmp.Diff(want, got.Origins); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
}
