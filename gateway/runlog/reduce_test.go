package runlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestReducedArguments(t *testing.T) {
	const plain = `{"b": [1, "x", null, true], "a": {"c": 2.50}}`
	cases := []struct {
		how        tool.LogArguments
		args, want string
	}{
		{"", plain, plain},
		{tool.LogArgumentsFull, plain, plain},
		{tool.LogArgumentsNone, plain, ""},
		{tool.LogArgumentsMasked, plain, `{"a":{"c":"number"},"b":["number","string","null","boolean"]}`},
		{tool.LogArgumentsMasked, `secret text`, `"text that is not JSON"`},
		{tool.LogArgumentsMasked, `{} secret`, `"text that is not JSON"`},
		{tool.LogArgumentsMasked, ``, ``},
		// printf '%s' '{"a":"<","b":[1,2.50]}' | sha256sum
		{tool.LogArgumentsDigest, ` { "b": [1, 2.50], "a": "<" } `, `{"$sha256":"13b0a188e67429238d2b5bb45fb4c162e904baa1ff7eb3dffaf83d73f24e33a7"}`},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, string(reduced([]byte(c.args), c.how))); diff != "" {
			t.Errorf("%s of %q: %s", c.how, c.args, diff)
		}
	}
}

// TestReducedRecords looks for what is not to be recorded in the journal itself.
func TestReducedRecords(t *testing.T) {
	for _, how := range []tool.LogArguments{tool.LogArgumentsMasked, tool.LogArgumentsDigest, tool.LogArgumentsNone} {
		j := open(t, t.TempDir(), Options{})
		rec := Record{CallID: "a", Time: noon, Arguments: []byte(`{"pin":"4711-0815"}`), Result: "4711-0815", Logged: tool.Logged{Arguments: how, Results: tool.LogResultsNone}}
		must(t, j.Start(rec))
		must(t, j.End(rec))
		if text := contents(t, j.dir); strings.Contains(text, "4711") {
			t.Errorf("%s: %s", how, text)
		}
	}
}

func TestKeptResults(t *testing.T) {
	long := strings.Repeat("x", DefaultMaxResult+1)
	dir := t.TempDir()
	j := open(t, dir, Options{})
	must(t, j.End(Record{CallID: "a", Time: noon, Result: long, Logged: tool.Logged{Results: tool.LogResultsFull}}))
	must(t, j.End(Record{CallID: "b", Time: noon, Result: long}))
	entries, _ := read(t, dir, Query{})
	if entries[0].Result != long || len(entries[1].Result) >= len(long)+20 || !strings.Contains(entries[1].Result, "1 more bytes") {
		t.Errorf("results of %d and %d bytes are kept", len(entries[0].Result), len(entries[1].Result))
	}
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		must(t, err)
		all = append(all, data...)
	}
	return string(all)
}
