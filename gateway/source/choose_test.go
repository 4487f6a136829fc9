package source_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/source"
)

// op is an operation: its operationId, or nothing, METHOD and path, and its tags.
func op(id, place string, tags ...string) source.Item {
	method, path, _ := strings.Cut(place, " ")
	if id == "" {
		id = place
	}
	return source.Item{Original: id, Name: id, Method: method, Path: path, Tags: tags}
}

// chosen writes the choices as "name tags" or "place: why it is left out", and the
// problems below them.
func chosen(cfg source.Config, items ...source.Item) []string {
	if cfg.Namespace == "" {
		cfg.Namespace = "s"
	}
	var report diag.Report
	at := diag.NewCursor(&report, nil)
	var out []string
	for i, c := range source.Choose(at, cfg, items) {
		switch {
		case c.Index != i:
			out = append(out, fmt.Sprintf("the index of %d is %d", i, c.Index))
		case c.Left != "":
			out = append(out, items[i].Original+": "+c.Left)
		default:
			line := c.Name + " " + strings.Join(c.Tags, ",")
			if c.Key != "" {
				line += " by " + c.Key
			}
			if c.Hide != nil {
				hide, _ := json.Marshal(c.Hide)
				line += " hides " + string(hide)
			}
			if c.Defer {
				line += " deferred"
			}
			out = append(out, line)
		}
	}
	for _, p := range report.Problems() {
		out = append(out, p.String())
	}
	return out
}

func set(tags ...string) *source.Set { return &source.Set{Tags: tags} }

func values(text string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

// repository is a small document.
var repository = []source.Item{
	op("issues/list", "GET /repos/{owner}/issues", "issues"),
	op("issues/create", "POST /repos/{owner}/issues", "issues"),
	op("repos/get", "GET /repos/{owner}", "repos"),
	op("repos/delete", "DELETE /repos/{owner}", "repos", "admin"),
	op("", "GET /meta"),
}

func TestInclude(t *testing.T) {
	t.Parallel()
	const out = ": no entry of include fits it"
	tests := []struct {
		name    string
		include []source.Include
		want    []string
	}{
		{"everything", nil, []string{
			"s-issues_list read_only,network", "s-issues_create network", "s-repos_get read_only,network", "s-repos_delete destructive,network", "s-get_meta read_only,network",
		}},
		{"one tag", []source.Include{{Tag: "issues"}}, []string{
			"s-issues_list read_only,network", "s-issues_create network", "repos/get" + out, "repos/delete" + out, "GET /meta" + out,
		}},
		{"only an exclusion", []source.Include{{Tag: "adm*", Exclude: true}}, []string{
			"s-issues_list read_only,network", "s-issues_create network", "s-repos_get read_only,network", "repos/delete: include.0 leaves it out", "s-get_meta read_only,network",
		}},
		{"the first that fits decides", []source.Include{
			{Method: "delete", Exclude: true}, {Path: "/repos/**", Set: set("a", "network")}, {Tag: "*", Set: set("b")}, {Name: "get_*", Set: set("c")},
		}, []string{
			"s-issues_list read_only,network,a", "s-issues_create network,a", "s-repos_get read_only,network,a", "repos/delete: include.0 leaves it out", "s-get_meta read_only,network,c",
			"include.2: warning: earlier entries decide about everything that this one fits, so it changes nothing (move it up, or remove it)",
		}},
		{"all texts must fit", []source.Include{{Method: "GET", Path: "/repos/{owner}/*", Tag: "issues", Operation: "issues/*", Name: "issues_l??t"}}, []string{
			"s-issues_list read_only,network", "issues/create" + out, "repos/get" + out, "repos/delete" + out, "GET /meta" + out,
		}},
		{"operation is about those with an id", []source.Include{{Operation: "*"}}, []string{
			"s-issues_list read_only,network", "s-issues_create network", "s-repos_get read_only,network", "s-repos_delete destructive,network", "GET /meta" + out,
		}},
		{"hidden arguments", []source.Include{{Tag: "issues", Set: &source.Set{Hide: values(`{"n": 1.0}`)}}, {Tag: "*", Exclude: true}}, []string{
			`s-issues_list read_only,network hides {"n":1.0}`, `s-issues_create network hides {"n":1.0}`,
			"repos/get: include.1 leaves it out", "repos/delete: include.1 leaves it out", "GET /meta" + out,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, chosen(source.Config{Include: tt.include}, repository...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIncludeNothing has entries that are about nothing. Another entry takes
// everything, so that only the problems differ.
func TestIncludeNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		entry source.Include
		want  string
	}{
		{source.Include{Tag: "isues"}, `include.0.tag: the source has nothing whose tag is "isues" (did you mean issues?)`},
		{source.Include{Tag: "Issues"}, `include.0.tag: the source has nothing whose tag is "Issues" (did you mean issues?)`},
		{source.Include{Tag: "people"}, `include.0.tag: the source has nothing whose tag is "people" (it has admin, issues, repos)`},
		{source.Include{Operation: "issue/list"}, `include.0.operation: the source has nothing whose operation is "issue/list" (did you mean issues/list?)`},
		{source.Include{Method: "PUTT"}, `include.0.method: the source has nothing whose method is "PUTT" (it has DELETE, GET, POST)`},
		{source.Include{Method: "OPTIONS"}, `include.0.method: the source has nothing whose method is "OPTIONS" (it has DELETE, GET, POST)`},
		{source.Include{Path: "/repo/{owner}"}, `include.0.path: the source has nothing whose path is "/repo/{owner}" (did you mean /repos/{owner}?)`},
		{source.Include{Name: "s-get_meta"}, `include.0.name: the source has nothing whose name is "s-get_meta" (did you mean get_meta?)`},
		{source.Include{Tag: "issues", Method: "DELETE"}, `include.0: the source has nothing that fits all of this together (see what the source has, and write an entry for each)`},
		{source.Include{Tag: "issues", Path: "/meta/x"}, `include.0.path: the source has nothing whose path is "/meta/x" (did you mean /meta?)`},
		{source.Include{}, `include.0: the entry does not say what it is about (write at least one of tag, operation, method, path and name)`},
		{source.Include{Path: "/a**"}, `include.0.path: ** stands for whole segments, and "a**" is none of them (write /repos/** or /repos/*/issues for example)`},
	}
	for _, tt := range tests {
		got := chosen(source.Config{Include: []source.Include{tt.entry, {Path: "/**"}}}, repository...)
		if diff := cmp.Diff([]string{tt.want}, got[len(repository):]); diff != "" {
			t.Errorf("%+v: %s", tt.entry, diff)
		}
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	tests := []struct {
		name string
		cfg  source.Config
		want []string // from the first that differs from what there is without overrides
	}{
		{"a name", source.Config{Tools: map[string]source.Override{"issues/list": {Name: "find"}}}, []string{"0 s-find read_only,network by issues/list"}},
		{"by method and path", source.Config{Tools: map[string]source.Override{"GET /meta": {Name: "Meta"}}}, []string{"4 s-Meta read_only,network by GET /meta"}},
		{"tags in place of all others", source.Config{
			Tags: []string{"code"}, Include: []source.Include{{Path: "/**", Set: set("x")}},
			Tools: map[string]source.Override{"issues/list": {Tags: []string{"slow", "slow"}}, "issues/create": {Tags: []string{}}},
		}, []string{
			"0 s-issues_list slow by issues/list", "1 s-issues_create  by issues/create", "2 s-repos_get read_only,network,code,x",
			"3 s-repos_delete destructive,network,code,x", "4 s-get_meta read_only,network,code,x",
		}},
		{"not enabled", source.Config{Tools: map[string]source.Override{"issues/list": {Enabled: &no}, "repos/get": {Enabled: &yes}}}, []string{
			"0 issues/list: it is not enabled under tools", "2 s-repos_get read_only,network by repos/get",
		}},
		{"deferred by one", source.Config{Tools: map[string]source.Override{"issues/list": {Defer: &yes}}}, []string{"0 s-issues_list read_only,network by issues/list deferred"}},
		{"deferred by the source, by an entry, and by one", source.Config{
			Defer:   true,
			Include: []source.Include{{Tag: "repos", Set: &source.Set{Defer: &no}}, {Path: "/**", Set: set("x")}},
			Tools:   map[string]source.Override{"issues/list": {Defer: &no}, "repos/get": {Defer: &yes}, "repos/delete": {Name: "remove"}},
		}, []string{
			"0 s-issues_list read_only,network,x by issues/list", "1 s-issues_create network,x deferred", "2 s-repos_get read_only,network by repos/get deferred",
			"3 s-remove destructive,network by repos/delete", "4 s-get_meta read_only,network,x deferred",
		}},
		{"hidden arguments", source.Config{
			Include: []source.Include{{Tag: "issues", Set: &source.Set{Hide: values(`{"a": 1, "b": 2}`)}}, {Path: "/**"}},
			Tools:   map[string]source.Override{"issues/list": {Hide: values(`{"b": 3, "c": 4}`)}, "repos/get": {Hide: values(`{"d": 5}`)}},
		}, []string{
			`0 s-issues_list read_only,network by issues/list hides {"a":1,"b":3,"c":4}`, `1 s-issues_create network hides {"a":1,"b":2}`,
			`2 s-repos_get read_only,network by repos/get hides {"d":5}`,
		}},
		{"of what is left out", source.Config{
			Include: []source.Include{{Method: "DELETE", Exclude: true}},
			Tools:   map[string]source.Override{"repos/delete": {Name: "remove"}},
		}, []string{
			"3 repos/delete: include.0 leaves it out",
			"tools.repos/delete: warning: this is left out, so the entry changes nothing: include.0 leaves it out",
		}},
		{"of nothing", source.Config{Tools: map[string]source.Override{
			"issues/lst": {}, "issues_list": {}, "s-repos_get": {}, "GET /repos/{owner}": {}, "ISSUES/CREATE": {}, "people": {}, "get /meta": {},
		}}, []string{
			"tools.GET /repos/{owner}: this operation has a name of its own in the source, which goes here (write repos/get)",
			"tools.ISSUES/CREATE: the source has nothing of this name; tools are named here as the source names them (write issues/create)",
			"tools.get /meta: the source has nothing of this name; tools are named here as the source names them (write GET /meta)",
			"tools.issues/lst: the source has nothing of this name (did you mean issues/list?)",
			"tools.issues_list: the source has nothing of this name; tools are named here as the source names them (write issues/list)",
			"tools.people: the source has nothing of this name (it has GET /meta, issues/create, issues/list, repos/delete, repos/get)",
			"tools.s-repos_get: the source has nothing of this name; tools are named here as the source names them (write repos/get)",
		}},
		{"names that cannot be", source.Config{Prefix: new(string), Reserved: []string{"call_tool"}, Tools: map[string]source.Override{
			"issues/list": {Name: "a b"}, "issues/create": {Name: "Call-Tool"}, "repos/get": {Name: strings.Repeat("x", 65)}, "GET /meta": {Name: "1st"},
		}}, []string{
			"0 issues_list read_only,network by issues/list", "1 issues_create network by issues/create", "2 repos_get read_only,network by repos/get",
			"3 repos_delete destructive,network", "4 get_meta read_only,network by GET /meta",
			`tools.GET /meta.name: "1st" is not a name that models can call (letters, digits, _ and - only, no digit or - at the start, with the prefix at most 64 characters)`,
			"tools.issues/create.name: Call-Tool is reserved for a tool of the gateway itself (choose another name)",
			`tools.issues/list.name: "a b" is not a name that models can call (letters, digits, _ and - only, no digit or - at the start, with the prefix at most 64 characters)`,
			`tools.repos/get.name: "` + strings.Repeat("x", 65) + `" is not a name that models can call (letters, digits, _ and - only, no digit or - at the start, with the prefix at most 64 characters)`,
		}},
		{"names that models confuse", source.Config{Tools: map[string]source.Override{
			"issues/list": {Name: "RepoS_get"}, "issues/create": {Name: "get_it"}, "repos/delete": {Name: "GetIt"},
		}}, []string{
			"0 s-RepoS_get read_only,network by issues/list", "1 s-get_it network by issues/create",
			"2 repos/get: its name is that of GET /repos/{owner}/issues", "3 repos/delete: its name is that of POST /repos/{owner}/issues",
			"tools.issues/list.name: GET /repos/{owner}/issues and GET /repos/{owner} would have the names s-RepoS_get and s-repos_get, which models confuse (choose another name)",
			"tools.repos/delete.name: POST /repos/{owner}/issues and DELETE /repos/{owner} would have the names s-get_it and s-GetIt, which models confuse (choose another name)",
		}},
		{"the name of what is left out", source.Config{
			Include: []source.Include{{Operation: "repos/get", Exclude: true}},
			Tools:   map[string]source.Override{"issues/list": {Name: "repos_get"}},
		}, []string{"0 s-repos_get read_only,network by issues/list", "2 repos/get: include.0 leaves it out"}},
	}
	plain := chosen(source.Config{}, repository...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for i, line := range chosen(tt.cfg, repository...) {
				switch {
				case i >= len(plain):
					got = append(got, line)
				case line != plain[i]:
					got = append(got, fmt.Sprintf("%d %s", i, line))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSameOperationId has a document with an operationId twice: METHOD and path
// tell the two apart.
func TestSameOperationId(t *testing.T) {
	t.Parallel()
	items := []source.Item{op("get", "GET /a"), op("get", "GET /b"), op("put", "PUT /a")}
	want := []string{
		"s-get_f302df read_only,network", "s-b read_only,network by GET /b", "s-put network",
		"tools.PUT /a: this operation has a name of its own in the source, which goes here (write put)",
		"tools.get: the source has 2 of this name (write one of GET /a, GET /b)",
	}
	got := chosen(source.Config{Tools: map[string]source.Override{"get": {Name: "x"}, "GET /b": {Name: "b"}, "PUT /a": {}}}, items...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMethods has every method of HTTP that a document can have.
func TestMethods(t *testing.T) {
	t.Parallel()
	const reads, removes, changes = "read_only,network", "destructive,network", "network"
	for method, want := range map[string]string{
		"GET": reads, "HEAD": reads, "OPTIONS": reads, "TRACE": reads, "QUERY": reads,
		"DELETE": removes, "POST": changes, "PUT": changes, "PATCH": changes, "COPY": changes, "get": changes,
	} {
		if got := chosen(source.Config{}, op("x", method+" /x", "read_only", "destructive")); got[0] != "s-x "+want {
			t.Errorf("%s: %v", method, got)
		}
	}
	if got := chosen(source.Config{Tags: []string{"files"}}, source.Item{Original: "read", Name: "read"}); got[0] != "s-read files" {
		t.Errorf("what is no operation: %v", got)
	}
}

// TestHostileTexts: what a document says is not written to a terminal as it is.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	got := chosen(source.Config{
		Include: []source.Include{{Tag: "isues"}, {Path: "/**"}}, Tools: map[string]source.Override{"lst": {}},
	}, op("lst\x1b", "GET /x", "isues\x1b"), op("a\nb", "GET /y"))
	if text := strings.Join(got[2:], ""); strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("got %q", text)
	}
}
