package reload_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/reload"
)

// base is what every case of TestDifference starts from.
const base = `version: 1
secrets: {key: {env: HOME}, other: {env: PATH}}
upstreams: {far: {url: "https://far.example", timeout: 5s, headers: {X-Key: "${secret.key}"}}}
profiles: {few: {tools: [pay]}}
groups: {some: {description: Some., tools: ["f*"]}}
inject: [{tools: [find], set: {user: caller.id}}]
hooks:
  before: [{name: cap, tools: [find], set: {args.n: "min(args.n ?? 1, 5)"}}, {name: no, tools: [pay], when: "args.n > 9", refuse: No.}]
policy:
  default: deny
  data: {most: 3}
  rules:
    - {name: reads, tags: [read_only], action: allow}
    - {name: pays, tools: [pay], when: args.n < data.most, action: allow}
  tests: [{name: one, call: pay, args: {n: 1}, expect: allow}]
tools:
  find: {description: Find., tags: [read_only], parameters: {type: object, properties: {n: {type: integer}, user: {type: string}}}, http: {upstream: far, path: /find, query: {n: "${args.n}"}}}
  pay: {description: Pay., tags: [destructive], parameters: {type: object, properties: {n: {type: integer}}, required: [n]}, expr: args.n}
  off: {description: Off., enabled: false, expr: "1"}
`

// TestDifference: what a change of the file is told as, whether it makes another
// generation, and whether anyone's list is another one.
func TestDifference(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, old, new string
		want           string // the changes; empty for none, and no swap
		list           bool
	}{
		{"a comment", "version: 1", "# hello\n\nversion: 1", "", false},
		{"a test of the policy", "args: {n: 1}, expect: allow", "args: {n: 9}, expect: deny", "", false},
		{"a test of a tool", "required: [n]}, expr: args.n}", "required: [n]}, expr: args.n, tests: [{name: t, args: {n: 1}, result: 1}]}", "", false},
		{"a test of the hooks", "refuse: No.}]", "refuse: No.}]\n  tests: [{name: t, call: pay, args: {n: 10}, expect: {refuse: No}}]", "", false},
		{"a tool that is off", "description: Off.", "description: Still off.", "", false},
		{"a tool that is switched on, and allowed", "Off., enabled: false", "On., tags: [read_only]", `{"tools":{"added":["off"]}}`, true},
		{"one that is on, and denied", "Off., enabled: false", "On.", `{"tools":{"added":["off"]}}`, false},
		{"a tool that is gone", "  off: {", "  found: {description: F., tags: [read_only], expr: '1'}\n  off: {", `{"tools":{"added":["found"]}}`, true},
		{"a description", "Find.", "Find it.", `{"tools":{"changed":{"find":["description"]}}}`, true},
		{"how it runs", "path: /find", "path: /search", `{"tools":{"changed":{"find":["http.path"]}}}`, false},
		{"a tag that is shown", "tags: [read_only], parameters", "tags: [read_only, network], parameters", `{"tools":{"changed":{"find":["tags"]}}}`, true},
		{"a schema", "properties: {n: {type: integer}, user", "properties: {n: {type: number}, user", `{"tools":{"changed":{"find":["parameters"]}}}`, true},
		{"what is injected", "set: {user: caller.id}", "set: {user: caller.name}", `{"settings":{"changed":{"inject":["value"]}}}`, false},
		{"what is injected no more", "inject: [{tools: [find], set: {user: caller.id}}]\n", "", `{"settings":{"changed":{"inject":["value"]}},"tools":{"changed":{"find":["parameters"]}}}`, true},
		{"a default", "version: 1", "version: 1\ndefaults: {timeout: 3s}", `{"settings":{"changed":{"defaults.timeout":["value"]}},"tools":{"changed":{"find":["timeout"],"pay":["timeout"]}}}`, false},
		{"a group", `tools: ["f*"]`, `tools: ["p*"]`, `{"groups":{"changed":{"some":["tools"]}},"tools":{"changed":{"find":["groups"],"pay":["groups"]}}}`, false},
		{"a profile", "{few: {tools: [pay]}}", "{few: {tools: [pay], tags: [read_only]}}", `{"profiles":{"changed":{"few":["tags"]}}}`, true},
		{"a profile that is new", "{few: {tools: [pay]}}", "{few: {tools: [pay]}, more: {tools: [find]}}", `{"profiles":{"added":["more"]}}`, false},
		{"a profile with another tool that is listed", "{few: {tools: [pay]}}", "{few: {groups: [some]}}", `{"profiles":{"changed":{"few":["groups","tools"]}}}`, true},
		{"a header, whose value is a secret's", "${secret.key}", "Bearer ${secret.key}", `{"upstreams":{"changed":{"far":["headers"]}}}`, false},
		{"an upstream's limit", "timeout: 5s", "timeout: 6s", `{"upstreams":{"changed":{"far":["timeout"]}}}`, false},
		{"a rule that denies", "tags: [read_only], action: allow}", "tags: [read_only], action: deny}", `{"rules":{"changed":{"reads":["action"]}}}`, true},
		{"a rule about arguments", "args.n < data.most", "args.n <= data.most", `{"rules":{"changed":{"pays":["when"]}}}`, false},
		{"data of rules", "most: 3", "most: 4", `{"settings":{"changed":{"policy.data":["value"]}}}`, false},
		{"the default of the policy", "default: deny", "default: allow", `{"settings":{"changed":{"policy.default":["value"]}}}`, false},
		{"the order of rules", "    - {name: reads, tags: [read_only], action: allow}\n", "    - {preset: ask_network}\n", `{"rules":{"added":["ask_network"],"removed":["reads"]}}`, true},
		{"a hook", "min(args.n ?? 1, 5)", "min(args.n ?? 1, 6)", `{"hooks":{"changed":{"before.cap":["set"]}}}`, false},
		{"a hook with another name", "name: no,", "name: nothing,", `{"hooks":{"added":["before.nothing"],"removed":["before.no"]}}`, false},
		{"where a secret comes from", "key: {env: HOME}", "key: {env: PWD}", `{"secrets":{"changed":{"key":["env","value"]}}}`, false},
		{"which networks", "version: 1", "version: 1\nnetworks: {allow: [10.0.0.0/8]}", `{"settings":{"changed":{"networks.allow":["value"]}}}`, false},
		{
			"who is let in", "version: 1", "version: 1\nserver: {token: '${secret.key}', callers: {bot: {token: '${secret.other}', may: [admin]}}, origins: ['https://a.example']}",
			`{"callers":{"added":["bot"]},"settings":{"changed":{"server.origins":["value"],"server.token":["value"]}}}`, false,
		},
		{"a tool that is deferred", "Find., tags", "Find., defer: true, tags", `{"tools":{"changed":{"find":["defer"]}}}`, true},
		{"what a tool is found by", "Find., tags", "Find., search_hint: seek, tags", `{"tools":{"changed":{"find":["search_hint"]}}}`, false},
		{"how tools are found", "version: 1", "version: 1\ndiscovery: {limit: 7, learn: true, golden: [{query: x, expect: find}]}", `{"settings":{"changed":{"discovery.learn":["value"],"discovery.limit":["value"]}}}`, false},
		{"what has to be found", "version: 1", "version: 1\ndiscovery: {golden: [{query: x, expect: find}]}", "", false},
		{"the log", "version: 1", "version: 1\nlog: {level: debug}", `{"settings":{"changed":{"log.level":["value"]}}}`, false},
		{"what is admitted", "version: 1", "version: 1\nadmit: {deny: [find]}", `{"settings":{"changed":{"admit.deny":["value"]}},"tools":{"removed":["find"]}}`, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := opened(t, map[string]string{"tools.yaml": base})
			if strings.Count(base, c.old) != 1 {
				t.Fatalf("%q is not once in the base", c.old)
			}
			h.write(map[string]string{"tools.yaml": strings.Replace(base, c.old, c.new, 1)})
			res, err := h.r.Reload(t.Context(), "request")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(res.Changes) > 0 {
				data, err := json.Marshal(res.Changes)
				if err != nil {
					t.Fatal(err)
				}
				got = string(data)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			generation, changed := 1, 0
			if c.want != "" {
				generation = 2
			}
			if c.list {
				changed = 1
			}
			if res.Generation != generation || h.changed != changed || res.ListChanged != c.list {
				t.Errorf("generation %d, list changed: %t, told %d times", res.Generation, res.ListChanged, h.changed)
			}
			if text := h.log.taken() + got; strings.Contains(text, os.Getenv("HOME")+" ") || strings.Contains(text, "secret.key") {
				t.Error(text)
			}
		})
	}
}

// TestLine: one line tells a person what a reload did.
func TestLine(t *testing.T) {
	t.Parallel()
	h := opened(t, map[string]string{"tools.yaml": base})
	text := strings.NewReplacer("Find.", "Find it.", "  pay: {", "  buy: {", "tools: [pay]", "tools: [buy]", "call: pay", "call: buy", "Off., enabled: false", "On., tags: [read_only]",
		"    - {name: reads, tags: [read_only], action: allow}\n", "", "tests:", "  - {name: reads, tags: [read_only], action: allow}\n  tests:",
		"version: 1", "version: 1\nserver: {listen: 127.0.0.1:9}").Replace(base)
	h.write(map[string]string{"tools.yaml": text})
	h.reload()
	const want = `level=INFO msg="configuration reloaded" cause=request generation=2 hooks=~before.no(tools) profiles=~few(tools) rules="~pays(tools) reordered" tools="+buy +off -pay ~find(description)" takes_effect_at_next_start=server.listen` + "\n"
	if diff := cmp.Diff(want, h.log.taken()); diff != "" {
		t.Error(diff)
	}
}

// TestLongLine: a change of everything is no page of text.
func TestLongLine(t *testing.T) {
	t.Parallel()
	names := strings.Fields(strings.Repeat("name ", 50))
	if got := (reload.Change{Added: names}).String(); !strings.HasSuffix(got, " +name +and 30 more") || strings.Count(got, "+name") != 20 {
		t.Error(got)
	}
}

// TestWatchedNeeds: a tool whose needs are watched comes in when the last of them
// is met, and goes when one was missed twice. The file is not read for that, and
// may be wrong.
func TestWatchedNeeds(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	up.Store(true)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer service.Close()
	defer http.DefaultClient.CloseIdleConnections()
	h := opened(t, map[string]string{"tools.yaml": head + "networks: {allow: [127.0.0.0/8]}\npolicy: {default: allow}\ntools:\n" + one +
		"  needs: {description: Needs., requires: {command: [./program], url: ['" + service.URL + "'], check: watch}, expr: '2'}\n" +
		"  loads: {description: Loads., requires: {command: [./program]}, expr: '3'}\n"})
	h.write(map[string]string{"tools.yaml": "not: valid\n"})
	program := filepath.Join(h.dir, "program")
	steps := []struct {
		name  string
		do    func() error
		tools string
		told  int // how often by then
	}{
		{"nothing is there", func() error { return nil }, "read_result one", 0},
		{"the program comes", func() error { return os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700) }, "read_result needs one", 1},
		{"nothing happens", func() error { return nil }, "read_result needs one", 1},
		{"the service is down", func() error { up.Store(false); return nil }, "read_result needs one", 1},
		{"and is up again", func() error { up.Store(true); return nil }, "read_result needs one", 1},
		{"the program goes", func() error { return os.Remove(program) }, "read_result needs one", 1},
		{"and is gone still", func() error { return nil }, "read_result one", 2},
		{"and still", func() error { return nil }, "read_result one", 2},
		{"it comes back", func() error { return os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700) }, "read_result needs one", 3},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
		h.r.Recheck(t.Context())
		if got := h.tools(); got != s.tools || h.changed != s.told {
			t.Errorf("%s: %s, told %d times", s.name, got, h.changed)
		}
	}
	if got := h.answer("needs"); got != "2" {
		t.Error(got)
	}
	if got := h.r.Status().Generation; got != 1 { // the configuration is the one of the start
		t.Error("generation", got)
	}
	log := h.log.taken()
	if strings.Count(log, "taken out") != 1 || strings.Count(log, "has what it needs") != 2 || strings.Contains(log, "not reloaded") {
		t.Error(log)
	}
}
