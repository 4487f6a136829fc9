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
		"/server/listen": "default", "/store/url": "default", "/log/level": "default", "/log/format": "default", "/defaults/timeout": "default", "/defaults/max_output": "default", "/defaults/think_augment": "default",
	}
	if diff := cmp.Diff(want, got.Origins); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
}

// TestPrintCredentials has credentials that stand in the file itself, and what
// looks like one and is none.
func TestPrintCredentials(t *testing.T) {
	c := mustParse(t, "t.yaml", `version: 1
upstreams:
  a: {url: "https://joe:hunter2@x.com", auth: {bearer: hunter2}, headers: {X-Key: [hunter2], X-Team: agents}, proxy: "http://joe:hunter2@proxy:3128"}
  b: {url: "https://x.com", auth: {basic: {username: joe, password: hunter2}}, tls: {cert: own.pem, key: own.key}}
  c: {url: "https://x.com", auth: {header: {name: X-Key, value: hunter2}}, headers: {Authorization: "Bearer ${secret.crm}"}}
  d: {url: "https://x.com", auth: {query: {name: key, value: hunter2}}, proxy: "http://joe:${secret.crm}@other:3128"}
  e: {url: "https://x.com", auth: {oauth2: {token_url: "https://x.com/token", client_id: joe, client_secret: hunter2, scopes: [read]}}}
sources:
  a: {openapi: {spec: a@b.yaml, auth: {petstore: hunter2, b: {value: hunter2}, c: {username: joe, password: hunter2}}}}
  b: {openapi: {spec: "https://api.example.com/x.json", auth: {d: {client_id: joe, client_secret: hunter2, token_url: "https://id.example.com"}, e: "${secret.crm}"}}}
tools:
  a: {command: {argv: [a], env: {API_TOKEN: hunter2, LC_ALL: C}}}
  b: {http: {upstream: a, auth: {bearer: hunter2}, headers: {Cookie: hunter2}}}
`)
	for _, opts := range []PrintOptions{{}, {JSON: true}, {Origins: true}, {JSON: true, Origins: true}} {
		got := printed(t, c, opts)
		if strings.Contains(got, "hunter2") {
			t.Errorf("printed:\n%s", got)
		}
		for _, shown := range []string{
			"https://[secret]@x.com", "agents", "http://[secret]@proxy:3128", "own.key", "Bearer ${secret.crm}",
			"http://joe:${secret.crm}@other:3128", "https://x.com/token", "read", "LC_ALL", "X-Key",
			"a@b.yaml", "https://api.example.com/x.json", "https://id.example.com", "petstore", "${secret.crm}",
		} {
			if !strings.Contains(got, shown) {
				t.Errorf("%s is not in\n%s", shown, got)
			}
		}
	}
}

// TestPrintStrayCredentials has credentials where none can stand: the file is
// printed all the same.
func TestPrintStrayCredentials(t *testing.T) {
	for _, line := range []string{
		"auth: hunter2", "auth: [hunter2]", "auth: {basic: hunter2}", "auth: {bearer: {a: hunter2}}", "auth: {token: hunter2}", "auth: {a: {b: [hunter2]}}",
		"auth: {oauth2: {scopes: hunter2, id: hunter2}}", "headers: [hunter2]", "headers: hunter2", "headers: {A: {b: hunter2}}", "token: hunter2", "proxy: [hunter2]",
		"bearers: {a: hunter2}", "tls: {key: '-----BEGIN hunter2'}", "tls: {key: [hunter2]}",
	} {
		c, problems := Parse("t.yaml", []byte("version: 1\nupstreams:\n  a:\n    url: https://x.com\n    "+line+"\n"))
		if got := printed(t, c, PrintOptions{}); problems.Err() == nil || strings.Contains(got, "hunter2") || !strings.Contains(got, hiddenSecret) {
			t.Errorf("%s: printed\n%s", line, got)
		}
	}
}

// TestSourcesShowNoCredentials is TestPrintStrayCredentials and
// TestProblemsShowNoCredentials for sources.
func TestSourcesShowNoCredentials(t *testing.T) {
	for _, line := range []string{
		"auth: hunter2", "auth: [hunter2]", "auth: {petstore: [hunter2]}", "auth: {petstore: {token: hunter2}}",
		"auth: {petstore: {username: joe, password: *hunter2}}", "auth: {petstore: {value: [hunter2]}}", "auth: {petstore: {scopes: hunter2, client_id: a}}",
		"auth: {petstore: (hunter2, hunter3)}", "auth: {petstore: hunter2 #3}", "auth: {petstore: {value: hunter2: hunter3}}", "auth: {petstore: hunter2: hunter3}",
		"auth: {petstore: !hunter2 x}", "auth: {petstore: @hunter2}", "auth: {petstore: 'hunter2}",
		"auth:\n        petstore: hunter2: hunter3", "auth:\n        petstore: @hunter2", "auth:\n        petstore:\n          value: *hunter2",
		"base_url: 'https://joe:hunter2@x.com'", "base_url: 'ftp://joe:hunter2@x.com'",
	} {
		c, problems := Parse("t.yaml", []byte("version: 1\nsources:\n  a:\n    openapi:\n      spec: a.yaml\n      "+line+"\n"))
		if got := problems.Error(); problems.Err() == nil || strings.Contains(got, "hunter") {
			t.Errorf("%s: got %s", line, got)
		}
		if c == nil {
			continue
		}
		if got := printed(t, c, PrintOptions{}); strings.Contains(got, "hunter2") {
			t.Errorf("%s: printed\n%s", line, got)
		}
	}
}

// TestProblemsShowNoCredentials: whatever is wrong with a credential that stands
// in the file itself, it is not repeated.
func TestProblemsShowNoCredentials(t *testing.T) {
	for _, line := range []string{
		"auth: {bearer: [hunter2]}", "auth: {bearer: {hunter2}}", "auth: {basic: hunter2}", "auth: hunter2", "auth: [hunter2]",
		"auth: {basic: {username: joe, password: *hunter2}}", "auth: {basic: {username: joe, password: !hunter2 x}}",
		"auth: {basic: {username: joe, password: (hunter2, hunter3)}}", "auth: {basic: {username: joe, password: hunter2 #3}}",
		"auth: {bearer: hunter2: hunter3}", "auth: {oauth2: hunter2}", "auth: {oauth2: {scopes: hunter2}}", "auth: {query: {name: key, value: [hunter2]}}",
		"headers: [hunter2]", "headers: hunter2", "headers: {X-Key: {a: hunter2}}", "headers: {X-Key: [[hunter2]]}", "headers: {X-Key: @hunter2}",
		"proxy: {url: hunter2}", "proxy: [hunter2]", "proxy: 'http://hunter2: x", "proxy: http://joe: hunter2@x", "tls: {key: '-----BEGIN hunter2'}", "tls: {key: [hunter2]}",
	} {
		_, problems := Parse("t.yaml", []byte("version: 1\nupstreams:\n  a:\n    url: https://x.com\n    "+line+"\n"))
		if got := problems.Error(); problems.Err() == nil || strings.Contains(got, "hunter") {
			t.Errorf("%s: got %s", line, got)
		}
	}
}
