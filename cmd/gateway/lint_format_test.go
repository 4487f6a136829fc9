package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
)

// lintIn runs lint in a folder that holds one file and returns what it prints.
func lintIn(t *testing.T, name, text string, flags ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"gateway", "lint", "--config", name}, flags...), streams{http.NoBody, &out, new(bytes.Buffer)})
	if err != nil && report(new(bytes.Buffer), err) != exitUsage {
		t.Fatal(err)
	}
	return out.String()
}

const badLint = `version: 1
tools:
  total: {expr: "größer + args.x", titel: T}
polcy: {}
policy:
  rules:
    - {name: none, tools: [totl], action: deny}
`

// TestLintSARIF compares a log with its golden form, but for the program's
// version.
func TestLintSARIF(t *testing.T) {
	golden, err := filepath.Abs("testdata/lint.sarif")
	if err != nil {
		t.Fatal(err)
	}
	got := lintIn(t, "conf dir/tools.yaml", badLint, "--format", "sarif")
	checkSARIF(t, got)
	got = strings.Replace(got, `"version": "`+currentVersion()+`"`, `"version": "VERSION"`, 1)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// TestLintSARIFShapes has logs of problems that a file cannot hold.
func TestLintSARIFShapes(t *testing.T) {
	t.Parallel()
	for name, problems := range map[string]diag.Problems{
		"none":     nil,
		"no file":  {{Place: diag.Place{File: "gone.yaml"}, Text: "there is no such file", Hint: "create it"}},
		"no place": {{Text: "no configuration file is named"}},
		"setting":  {{Place: diag.Place{File: "env TOOLGATE_X"}, Key: "x", Text: "unknown key"}},
		"warnings": {
			{Place: diag.Place{File: "/srv/a.yaml", Line: 1, Column: 2}, Key: "tools.a", Text: "a", Warning: true},
			{Place: diag.Place{File: "/other/b.yaml", Line: 3, Column: 4}, Key: "tools.b", Text: "b", Warning: true},
		},
	} {
		data, err := json.Marshal(newSARIF(problems, "/srv"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { checkSARIF(t, string(data)) })
	}
	for path, want := range map[string]string{
		"tools.yaml": "tools.yaml", "./a/../b c.yaml": "b%20c.yaml", "/srv/x/tools.yaml": "x/tools.yaml",
		"/other/tools.yaml": "file:///other/tools.yaml", "../tools.yaml": "../tools.yaml", "a:b.yaml": "./a:b.yaml",
	} {
		if got := artifactURI(path, "/srv"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// sarifLike reads what SARIF 2.1.0 requires of a log, with pointers where a
// member has to be there.
type sarifLike struct {
	Version string `json:"version"` // 3.13.2
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string `json:"name"` // 3.19.8
				Rules []struct {
					ID string `json:"id"` // 3.49.3
				} `json:"rules"`
			} `json:"driver"` // 3.18.2
		} `json:"tool"` // 3.14.6
		ColumnKind string `json:"columnKind"`
		Results    *[]struct {
			RuleID    string `json:"ruleId"`
			RuleIndex *int   `json:"ruleIndex"`
			Level     string `json:"level"`
			Message   struct {
				Text string `json:"text"`
			} `json:"message"` // 3.27.11
			Locations []struct {
				Physical *struct {
					Artifact struct {
						URI string `json:"uri"`
					} `json:"artifactLocation"`
					Region *struct {
						Line   int `json:"startLine"`
						Column int `json:"startColumn"`
					} `json:"region"`
				} `json:"physicalLocation"`
			} `json:"locations"`
		} `json:"results"` // 3.14.23: there even when empty
	} `json:"runs"` // 3.13.4
}

var uriReference = regexp.MustCompile(`^(file:///)?[A-Za-z0-9._~!$&'()*+,;=:@/%-]+$`)

// checkSARIF holds a log against what the standard requires.
func checkSARIF(t *testing.T, text string) {
	t.Helper()
	var log sarifLike
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Results == nil || log.Runs[0].Tool.Driver.Name == "" || log.Runs[0].ColumnKind != "unicodeCodePoints" {
		t.Fatalf("not a log: %s", text)
	}
	rules := log.Runs[0].Tool.Driver.Rules
	seen := map[string]bool{}
	for _, r := range rules {
		if r.ID == "" || seen[r.ID] {
			t.Errorf("rule %q is empty or there twice", r.ID)
		}
		seen[r.ID] = true
	}
	for i, r := range *log.Runs[0].Results {
		if r.RuleIndex == nil || *r.RuleIndex < 0 || *r.RuleIndex >= len(rules) || rules[*r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %d: the rule %q is not the one at its index", i, r.RuleID)
		}
		if r.Level != "error" && r.Level != "warning" || (r.Level == "error") != strings.HasSuffix(r.RuleID, "/error") || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("result %d: %+v", i, r)
			continue
		}
		p := r.Locations[0].Physical
		if p == nil {
			continue
		}
		if !uriReference.MatchString(p.Artifact.URI) || p.Region != nil && (p.Region.Line < 1 || p.Region.Column < 1) {
			t.Errorf("result %d: %+v", i, p)
		}
	}
}

// TestLintFormats: --json is --format json, and what is no format is refused.
func TestLintFormats(t *testing.T) {
	want := lintIn(t, "tools.yaml", badLint, "--json")
	for _, flags := range [][]string{{"--format", "json"}, {"--format", "json", "--json"}} {
		if got := lintIn(t, "tools.yaml", badLint, flags...); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%v: %s", flags, got)
		}
	}
	if got := lintIn(t, "tools.yaml", badLint, "--format", "text"); got != lintIn(t, "tools.yaml", badLint) || !strings.HasPrefix(got, "tools.yaml:3:") {
		t.Errorf("text: %s", got)
	}
	for want, flags := range map[string][]string{
		`--format must be one of text, json, sarif, got "xml"`: {"--format", "xml"},
		"give either --json or --format sarif, not both":       {"--format", "sarif", "--json"},
	} {
		err := run(t.Context(), append([]string{"gateway", "lint"}, flags...), streams{http.NoBody, new(bytes.Buffer), new(bytes.Buffer)})
		if err == nil || err.Error() != want || report(new(bytes.Buffer), err) != exitUsage {
			t.Errorf("%v: %v", flags, err)
		}
	}
}

// TestLintTouchesNothing lints a configuration that names a listener in every
// place where an address can stand and programs that leave a trace. Neither
// sees anything.
func TestLintTouchesNothing(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	touched := make(chan struct{})
	go func() {
		defer close(touched)
		if conn, err := listener.Accept(); err == nil {
			t.Error("lint opened a connection")
			_ = conn.Close()
		}
	}()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for _, program := range []string{"git", "trap", "sh"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\necho "+program+" >> "+trace+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	text := strings.NewReplacer("ADDRESS", "http://"+listener.Addr().String(), "TRAP", filepath.Join(dir, "trap")).Replace(touchy)
	for _, flags := range [][]string{nil, {"--json"}, {"--format", "sarif"}} {
		if got := lintIn(t, "tools.yaml", text, flags...); strings.Contains(got, "error") || flags == nil && got != "" {
			t.Errorf("%v: %s", flags, got)
		}
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	<-touched
	if data, err := os.ReadFile(trace); err == nil {
		t.Errorf("lint started %s", data)
	}
}

const touchy = `version: 1
secrets: {token: {env: TOOLGATE_TEST_NEVER_SET}, key: {file: TRAP}}
networks: {allow: [127.0.0.0/8]}
tools:
  fetch:
    description: Fetch.
    tags: [read_only]
    requires: {env: [HOME], command: [git, TRAP], url: ["ADDRESS/health"]}
    http: {url: "ADDRESS", headers: {Authorization: "Bearer ${secret.token}"}}
  late:
    description: Late.
    tags: [read_only]
    requires: {command: [trap], url: ["ADDRESS/health"], check: call}
    http: {url: "ADDRESS/late"}
  trap: {description: Trap., tags: [read_only], command: {argv: [TRAP, "${secret.key}"]}}
  git: {description: Git., tags: [read_only], command: {argv: [git, status]}}
hooks:
  before: [{name: ask, http: {url: "ADDRESS/before"}}]
  after: [{name: tell, http: {url: "ADDRESS/after"}}]
policy: {rules: [{name: reads, tags: [read_only], action: allow}]}
`
