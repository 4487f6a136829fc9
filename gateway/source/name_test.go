package source_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
)

// legal is a name that models can call.
var legal = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// names are the names of items, in their order; of those that are left out why.
func names(prefix string, items ...source.Item) []string {
	var report diag.Report
	cfg := source.Config{Namespace: "unused", Prefix: &prefix, Reserved: []string{"call_tool", "read_result"}}
	var out []string
	for _, c := range source.Choose(diag.NewCursor(&report, nil), cfg, items) {
		if c.Left != "" {
			c.Name = c.Left
		}
		out = append(out, c.Name)
	}
	for _, p := range report.Problems() {
		out = append(out, p.String())
	}
	return out
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long_", 20)
	tests := []struct {
		name   string
		prefix string
		items  []source.Item
		want   []string
	}{
		{"legal ones stay", "gh", []source.Item{op("listIssues", "GET /a"), op("a-b__c", "GET /b"), op("1st", "GET /c"), op("-x_", "GET /d")}, []string{
			"gh-listIssues", "gh-a-b__c", "gh-1st", "gh--x_",
		}},
		{"other characters", "gh", []source.Item{
			op("issues/create", "GET /a"), op("a.b..c", "GET /b"), op("Get the pets!", "GET /c"), op("{x}", "GET /d"), op("a - b", "GET /e"), op("größe", "GET /f"), op("a_/_z", "GET /g"),
		}, []string{"gh-issues_create", "gh-a_b_c", "gh-Get_the_pets", "gh-x", "gh-a_b", "gh-gr_e", "gh-a_z"}},
		{"without operationId", "gh", []source.Item{
			op("", "GET /orgs/{org}/repos"), op("", "GET /"), op("", "POST /v1.0/Pets/{petId}"), op("", "DELETE /a-b/{c}.json"), op("", "GET /x?m=1#y"), op("日本語", "PUT /q"),
		}, []string{"gh-get_orgs_org_repos", "gh-get", "gh-post_v1_0_Pets_petId", "gh-delete_a-b_c_json", "gh-get_x_m_1_y", "gh-put_q"}},
		{"nothing left", "gh", []source.Item{{Original: "日本語", Name: "日本語"}, {}}, []string{"gh-tool_77710a", "gh-tool_e3b0c4"}},
		{"no prefix", "", []source.Item{op("listIssues", "GET /a"), op("1st", "GET /b"), op("-x", "GET /c"), op("_", "GET /d")}, []string{"listIssues", "_1st", "_-x", "_"}},
		{"reserved", "", []source.Item{op("call_tool", "POST /a"), op("readResult", "GET /b"), op("read", "GET /c")}, []string{
			"call_tool_2b9647", "readResult_db789e", "read",
		}},
		{"reserved with a prefix", "call", []source.Item{op("tool", "GET /a")}, []string{"call-tool_f302df"}},
		{"too long", "github", []source.Item{op(long, "GET /a"), op(long, "GET /b"), op(long+"x", "GET /c"), op(strings.Repeat("a", 57), "GET /d"), op(strings.Repeat("a", 58), "GET /e")}, []string{
			"github-long_long_long_long_long_long_long_long_long_long_f302df", "github-long_long_long_long_long_long_long_long_long_long_db789e",
			"github-long_long_long_long_long_long_long_long_long_long_247925", "github-" + strings.Repeat("a", 57), "github-" + strings.Repeat("a", 50) + "_c7c8a1",
		}},
		{"the exact one stays", "gh", []source.Item{op("get/pet", "GET /a"), op("getPet", "GET /b"), op("get pet", "GET /c")}, []string{"gh-get_pet_f302df", "gh-getPet", "gh-get_pet_247925"}},
		{"two exact ones", "gh", []source.Item{op("get_pet", "GET /a"), op("getPet", "GET /b")}, []string{"gh-get_pet_f302df", "gh-getPet_db789e"}},
		{"none exact", "gh", []source.Item{op("", "GET /pets/{id}"), op("", "GET /pets/id")}, []string{"gh-get_pets_id_895c8d", "gh-get_pets_id_4aaf0f"}},
		{"one item twice", "gh", []source.Item{{Original: "a", Name: "a"}, {Original: "a", Name: "a"}}, []string{"gh-a_ca9781", "its name is that of a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, names(tt.prefix, tt.items...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNamesAreStable: what a document gains, the order of its operations and what
// is left out change no name but of those that are alike.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	old := []source.Item{op("get/pet", "GET /pet"), op("getPet", "GET /x"), op("", "GET /a/{b}"), op(strings.Repeat("x", 80), "GET /y")}
	grown := append([]source.Item{op("new", "GET /new"), op("", "GET /"), op(strings.Repeat("x", 81), "GET /z")}, old[3], old[2], old[1], old[0])
	was, is := names("gh", old...), names("gh", grown...)
	for i := range old {
		if was[i] != is[len(is)-1-i] {
			t.Errorf("%s was %s and is %s", old[i].Original, was[i], is[len(is)-1-i])
		}
	}
	cfg := source.Config{Namespace: "gh", Include: []source.Include{{Operation: "getPet", Exclude: true}}}
	if got := chosen(cfg, old...); got[0] != was[0]+" read_only,network" {
		t.Errorf("with its like left out, %s is %s", was[0], got[0])
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for pattern, cases := range map[string]struct{ fit, not []string }{
		"/repos":              {[]string{"/repos"}, []string{"/repos/", "/repos/a", "/", "/Repos"}},
		"/repos/*":            {[]string{"/repos/a", "/repos/{owner}", "/repos/"}, []string{"/repos", "/repos/a/b"}},
		"/repos/**":           {[]string{"/repos", "/repos/", "/repos/a", "/repos/a/b"}, []string{"/reposx", "/a/repos"}},
		"/**":                 {[]string{"/", "/a", "/a/b"}, nil},
		"/**/issues":          {[]string{"/issues", "/a/issues", "/a/b/issues"}, []string{"/a/issues/b", "/xissues"}},
		"/a/**/b/**/c":        {[]string{"/a/b/c", "/a/x/b/y/b/z/c", "/a/b/b/c"}, []string{"/a/c", "/a/x/c", "/b/c"}},
		"/repos/{owner}/*":    {[]string{"/repos/{owner}/a"}, []string{"/repos/me/a"}},
		"/files/*.json":       {[]string{"/files/{id}.json", "/files/.json"}, []string{"/files/a.xml", "/files/a/b.json"}},
		"/v?/x":               {[]string{"/v1/x", "/v2/x"}, []string{"/v10/x", "/v/x"}},
		"/x?m=1":              {[]string{"/x?m=1"}, []string{"/x"}},
		"/**/**/**/**/**/**/": {[]string{"/", "/a/b/c/"}, []string{"/a", "/" + strings.Repeat("a/", 500) + "b"}},
	} {
		p, err := source.ParsePath(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		for _, path := range cases.fit {
			if !p.Match(path) {
				t.Errorf("%s does not fit %s", path, pattern)
			}
		}
		for _, path := range cases.not {
			if p.Match(path) {
				t.Errorf("%s fits %s", path, pattern)
			}
		}
	}
	for _, pattern := range []string{"", "repos", "**", "/a**", "/**b/c", "/***"} {
		if _, err := source.ParsePath(pattern); err == nil {
			t.Errorf("%q is taken", pattern)
		}
	}
}

// FuzzName: whatever a document calls its operations, their names are legal, told
// apart, and the same in any order.
func FuzzName(f *testing.F) {
	for _, seed := range [][5]string{
		{"gh", "issues/list", "/issues", "issues_list", "/other"},
		{"", "1st", "/a", "", "/a/{b}"},
		{"call", "tool", "/", "call_tool", "/b"},
		{"a-prefix-of-thirty-two-charact__", strings.Repeat("x", 80), "/x", strings.Repeat("x", 80), "/y"},
		{"", "日本語", "/日本", "\xff\x00", "/\xff"},
		{"", "__", "/", "_-", "/-"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	legalPrefix := regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_-]{0,31})?$`)
	f.Fuzz(func(t *testing.T, prefix, id1, path1, id2, path2 string) {
		if !legalPrefix.MatchString(prefix) || path1 == path2 {
			return
		}
		one, two := op(id1, "GET /"+path1), op(id2, "GET /"+path2)
		got := names(prefix, one, two)
		if len(got) != 2 || !legal.MatchString(got[0]) || !legal.MatchString(got[1]) {
			t.Fatalf("names %q", got)
		}
		if tool.FoldName(got[0]) == tool.FoldName(got[1]) {
			t.Errorf("%q and %q are alike", got[0], got[1])
		}
		if turned := names(prefix, two, one); turned[0] != got[1] || turned[1] != got[0] {
			t.Errorf("%q, in the other order %q", got, turned)
		}
	})
}
