package config

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// mustParse parses a file without errors.
func mustParse(t testing.TB, name, text string) *Config {
	t.Helper()
	c, problems := Parse(name, []byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryKey compares what a file with every key becomes, as JSON, with its
// golden form.
func TestEveryKey(t *testing.T) {
	data, err := os.ReadFile("testdata/good/all.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, problems := load(memory{"/etc/toolgate/tools.yaml": string(data), "/etc/toolgate/tools.d/a.yaml": "networks: {}\n"}, Options{Files: []string{"/etc/toolgate/tools.yaml"}})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/good/all.golden.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

// TestParametersVerbatim looks at the bytes that the golden file re-indents.
func TestParametersVerbatim(t *testing.T) {
	c := mustParse(t, "tools.yaml", `
version: 1
tools:
  a:
    expr: "1"
    parameters: {z: 1.10, a: 12345678901234567890123, m: [0x1F, 0o17, 1e400, -0, "<&>", 2024-01-01, 'a"b', ~], "1": True}
`)
	want := `{"z":1.10,"a":12345678901234567890123,"m":[31,15,1e400,-0,"<&>","2024-01-01","a\"b",null],"1":true}`
	if got := string(c.Tools["a"].Parameters); got != want {
		t.Errorf("parameters\n got %s\nwant %s", got, want)
	}
}

func TestDefaults(t *testing.T) {
	c := mustParse(t, "/etc/toolgate/tools.yaml", "version: 1\ntools: {a: {expr: '1'}}\n")
	a := c.Tools["a"]
	got := []any{c.Server.Listen, c.Store.URL, c.Policy == nil, a.On(), a.Output, a.Timeout, a.MaxOutput, a.Parameters == nil}
	want := []any{
		"127.0.0.1:8080", "sqlite:/etc/toolgate/gateway.db", true, true, tool.OutputAuto, tool.DefaultTimeout,
		tool.Size(tool.DefaultMaxOutput), true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// TestJSON loads the same configuration from YAML and from JSON.
func TestJSON(t *testing.T) {
	fromYAML := mustParse(t, "/x/tools.yaml", "version: 1\ntools: {a: {title: \"\U0001f600\", expr: '1', parameters: {b: 1.10, a: [true, null]}}}\n")
	fromJSON := mustParse(t, "/x/tools.json", `{"version": 1, "tools": {"a": {"title": "\ud83d\ude00", "expr": "1", "parameters": {"b": 1.10, "a": [true, null]}}}}`)
	got, _ := json.Marshal(fromJSON)
	want, _ := json.Marshal(fromYAML)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("JSON against YAML (-want +got):\n%s", diff)
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "tools.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nstore: {url: 'sqlite:a/b.db'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, problems := LoadFile(file)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	if want := "sqlite:" + filepath.Join(folder, "a", "b.db"); c.Store.URL != want {
		t.Errorf("store.url is %s, want %s", c.Store.URL, want)
	}
}

func TestLoadFailures(t *testing.T) {
	folder := t.TempDir()
	large := filepath.Join(folder, "large.yaml")
	if err := os.WriteFile(large, make([]byte, maxFileSize+10), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "missing.yaml")
	for path, want := range map[string]string{
		missing: missing + ": there is no such file (create it, or name another one with --config)",
		folder:  folder + ": the file cannot be read: it is a folder, a pipe or a device, not a file",
		large:   large + ": the file is larger than 16 MiB",
	} {
		if c, problems := LoadFile(path); c != nil || problems.Error() != want {
			t.Errorf("got %v %q, want %q", c, problems, want)
		}
	}
}

// TestBytes has the files that a text archive cannot hold.
func TestBytes(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\n# \x00":          "t.yaml:2:3: the control character U+0000 cannot stand in a file (remove it, or write it as an escape in double quotes)",
		"\ufeffversion: 1 # é\xff":    "t.yaml:1:15: the byte 0xff here is not UTF-8 (save the file as UTF-8)",
		"\xff\xfev\x00":               "t.yaml:1:1: the byte 0xff here is not UTF-8 (save the file as UTF-8)",
		"\ufeffversion: 1\nx: 1\n":    "t.yaml:2:1: x: unknown key (known here: admit, approvals, chats, code_interpreter, defaults, discovery, groups, hooks, include, inject, log, networks, policy, profiles, secrets, server, sources, store, tools, upstreams, version)",
		"version: 1\r\nx: 1\r\n":      "t.yaml:2:1: x: unknown key (known here: admit, approvals, chats, code_interpreter, defaults, discovery, groups, hooks, include, inject, log, networks, policy, profiles, secrets, server, sources, store, tools, upstreams, version)",
		"version: 1\nserver: [\x07]n": "t.yaml:2:10: the control character U+0007 cannot stand in a file (remove it, or write it as an escape in double quotes)",
	} {
		if _, problems := Parse("t.yaml", []byte(text)); problems.Error() != want {
			t.Errorf("%q\n got %s\nwant %s", text, problems, want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "7d": 7 * day, "1d12h": 36 * time.Hour, "500ms": time.Second / 2,
		"106751d": 106751 * day,
		"":        0, "0s": 0, "-1s": 0, "1d-1h": 0, "d": 0, "1.5d": 0, "106752d": 0, "106751d24h": 0, "5": 0, "1w": 0, "1h1d": 0, "1d1d": 0, "+-1s": 0,
	} {
		if got, err := ParseDuration(text); got != want && err == nil || (err != nil) != (want == 0) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestPlaces looks up where values stand and whether a column inside a text
// can be told.
func TestPlaces(t *testing.T) {
	c := mustParse(t, "t.yaml", `version: 1
tools:
  a: {title: "größer ☃", description: 'it is', expr: args.x + 1}
  b:
    title: "a\tb"
    description: 'it''s'
    tags: [read_only, "two", &x three]
    expr: |
      block
  c:
    expr: two
      lines
    tags: [*x]
`)
	for _, test := range []struct {
		path []string
		want spot
	}{
		{nil, spotOf(1, 1, 1, 1, -1)},
		{[]string{"tools"}, spotOf(2, 1, 3, 3, -1)},
		{[]string{"tools", "a", "title"}, spotOf(3, 7, 3, 14, 1)},
		{[]string{"tools", "a", "description"}, spotOf(3, 26, 3, 39, 1)},
		{[]string{"tools", "a", "expr"}, spotOf(3, 48, 3, 54, 0)},
		{[]string{"tools", "b", "title"}, spotOf(5, 5, 5, 12, -1)},
		{[]string{"tools", "b", "description"}, spotOf(6, 5, 6, 18, -1)},
		{[]string{"tools", "b", "tags"}, spotOf(7, 5, 7, 11, -1)},
		{[]string{"tools", "b", "tags", "0"}, spotOf(7, 12, 7, 12, 0)},
		{[]string{"tools", "b", "tags", "1"}, spotOf(7, 23, 7, 23, 1)},
		{[]string{"tools", "b", "tags", "2"}, spotOf(7, 30, 7, 30, -1)},
		{[]string{"tools", "b", "expr"}, spotOf(8, 5, 8, 11, -1)},
		{[]string{"tools", "c", "expr"}, spotOf(11, 5, 11, 11, -1)},
		{[]string{"tools", "c", "tags", "0"}, spotOf(7, 30, 7, 30, -1)},
	} {
		found, ok := c.spot(test.path)
		got := spot{found.Key, found.Value, found.Plain()}
		if diff := cmp.Diff(test.want, got); diff != "" || !ok {
			t.Errorf("%v (-want +got):\n%s", test.path, diff)
		}
	}
	for _, path := range [][]string{{"x"}, {"tools", "a", "title", "x"}, {"tools", "b", "tags", "3"}, {"tools", "b", "tags", "-1"}} {
		if _, ok := c.spot(path); ok {
			t.Errorf("%v has a place", path)
		}
	}
}

// spot is a diag.Spot, asked.
type spot struct {
	Key, Value diag.Place
	Plain      int
}

func spotOf(keyLine, keyColumn, valueLine, valueColumn, plain int) spot {
	return spot{
		Key:   diag.Place{File: "t.yaml", Line: keyLine, Column: keyColumn},
		Value: diag.Place{File: "t.yaml", Line: valueLine, Column: valueColumn}, Plain: plain,
	}
}

// TestReportsOfOwners shows that what the owners of blocks report through
// cursors is sorted in with what loading found.
func TestReportsOfOwners(t *testing.T) {
	c, _ := Parse("t.yaml", []byte("version: 1\ntools:\n  a: {expr: 'args.y'}\n  b: {titel: x, expr: '1'}\n"))
	c.At().Key("tools").Key("a").Key("expr").Inside(1, 6, "args has no y", "")
	c.At().Key("tools").Key("a").Key("command").Errorf("is missing")
	want := `t.yaml:3:3: tools.a.command: is missing
t.yaml:3:19: tools.a.expr: args has no y
t.yaml:4:7: tools.b.titel: unknown key (did you mean title?)`
	if got := c.Problems().Error(); got != want {
		t.Errorf("problems\n got %s\nwant %s", got, want)
	}
}

func TestBroken(t *testing.T) {
	c, problems := Parse("t.yaml", []byte(`version: 1
tools:
  bad: {timeout: 30, http: {url: "https://example.com", bodi: {}}}
  good: {expr: "1"}
  shared: &s {expr: "1", title: 5}
  uses: *s
`))
	if len(problems) != 3 {
		t.Errorf("problems: %v", problems)
	}
	for path, want := range map[[3]string]bool{
		{}: true, {"tools"}: true, {"tools", "bad"}: true, {"tools", "bad", "timeout"}: true, {"tools", "bad", "http"}: true,
		{"tools", "good"}: false, {"tools", "shared"}: true, {"tools", "uses"}: true, {"policy"}: false, {"tools", "bad", "command"}: false,
	} {
		var keys []string
		for _, key := range path {
			if key != "" {
				keys = append(keys, key)
			}
		}
		if got := c.Broken(keys...); got != want {
			t.Errorf("Broken(%v) is %v", keys, got)
		}
	}
	if got := c.Tools["bad"]; got.HTTP == nil || got.HTTP.URL != "https://example.com" {
		t.Errorf("what is readable of a broken tool is lost: %+v", got)
	}
}

func TestTooManyProblems(t *testing.T) {
	text := []byte("version: 1\ntools:\n")
	for i := range 2 * maxProblems {
		text = append(text, []byte("  t"+string(rune('a'+i%26))+itoa(i)+": {x: 1, expr: '1'}\n")...)
	}
	_, problems := Parse("t.yaml", text)
	last := problems[len(problems)-1]
	if len(problems) != maxProblems+1 || last.Text != "too many problems; from here on some are not shown" {
		t.Errorf("%d problems, the last is %v", len(problems), last)
	}
}

// TestNetworks reads the one list whose items are not text.
func TestNetworks(t *testing.T) {
	c := mustParse(t, "t.yaml", "version: 1\nnetworks: {allow: [10.0.0.0/8, 'fd00::/8']}\n")
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	if diff := cmp.Diff(want, c.Networks.Allow, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("networks (-want +got):\n%s", diff)
	}
}

// TestTextBomb has aliases to one long text: few values, much memory.
func TestTextBomb(t *testing.T) {
	text := "version: 1\ntools:\n  a:\n    expr: '1'\n    parameters:\n    - &a " + strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("    - *a\n", 1<<10)
	_, problems := Parse("t.yaml", []byte(text))
	if want := "t.yaml:22:7: tools.a.parameters: with this alias there are more than 1048576 values"; problems.Error() != want {
		t.Errorf("got %v, want %s", problems, want)
	}
}

// TestOwnConfig is a Config that no file made.
func TestOwnConfig(t *testing.T) {
	var c Config
	c.At().Key("tools").Errorf("a problem")
	if got := c.Problems().Error(); got != "tools: a problem" || c.Broken("tools") {
		t.Errorf("problems: %s", got)
	}
}
