package discovery_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/discovery"
)

const (
	// leastCases is how many cases each class has at least.
	leastCases = 10
	// leastInAll is how many cases there are at least.
	leastInAll = 160
)

// searchCase is a line of testdata/cases/cases.txtar, which says how it is read.
type searchCase struct {
	line  string // for messages
	kind  string // first, within, exact, near or none
	best  int    // of within
	names []string
	query string
	// missed says that it is known not to hold: it is not counted.
	missed bool
}

// TestCases searches the catalogue of a team for what people and models type.
func TestCases(t *testing.T) {
	docs := readDocuments(t, "testdata/cases/tools.jsonl")
	scope, all := scopeOf(t, docs), 0
	for _, class := range classes(t) {
		cases := readCases(t, class, docs)
		n := len(slices.DeleteFunc(slices.Clone(cases), func(c searchCase) bool { return c.missed }))
		if all += n; n < leastCases {
			t.Errorf("%s: %d cases, want %d or more", class.Name, n, leastCases)
		}
		t.Run(strings.ReplaceAll(class.Name, " ", "-"), func(t *testing.T) {
			for _, c := range cases {
				checkCase(t, scope, c)
			}
		})
	}
	if all < leastInAll {
		t.Errorf("%d cases, want %d or more", all, leastInAll)
	}
}

// TestCasesHidden asks the queries of all cases where a part of the tools is hidden:
// what comes is what comes where the others are not there at all.
func TestCasesHidden(t *testing.T) {
	docs := readDocuments(t, "testdata/cases/tools.jsonl")
	index, err := discovery.Build(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, every := range []int{2, 7} {
		hidden := func(i int) bool { return i%every == 1 }
		var visible []discovery.Document
		for i := range docs {
			if !hidden(i) {
				visible = append(visible, docs[i])
			}
		}
		some, alone := index.Scope(func(i int) bool { return !hidden(i) }), scopeOf(t, visible)
		for _, class := range classes(t) {
			for _, c := range readCases(t, class, docs) {
				q := discovery.Query{Text: c.query, Explain: true}
				if diff := cmp.Diff(search(t, alone, q), search(t, some, q), cmpopts.IgnoreFields(discovery.Hit{}, "Index")); diff != "" {
					t.Errorf("%s: hidden tools show (-without them +with them):\n%s", c.line, diff)
				}
			}
		}
	}
}

func checkCase(t *testing.T, scope *discovery.Scope, c searchCase) {
	t.Helper()
	got, err := scope.Search(t.Context(), discovery.Query{Text: c.query, Limit: max(c.best, discovery.DefaultLimit)})
	if err != nil {
		t.Fatalf("%s: %v", c.line, err)
	}
	switch holds := c.holds(got); {
	case c.missed && holds:
		t.Logf("%s\n\tis missed no more", c.line)
	case !c.missed && !holds:
		t.Errorf("%s\n\tcame: %s", c.line, describe(got))
	}
}

// holds says whether a search found what the case expects.
func (c searchCase) holds(got discovery.Results) bool {
	best := func(n int) []discovery.Hit { return got.Hits[:min(n, len(got.Hits))] }
	switch c.kind {
	case "first":
		return slices.ContainsFunc(c.names, func(name string) bool { return among(best(1), name) })
	case "within":
		return !slices.ContainsFunc(c.names, func(name string) bool { return !among(best(c.best), name) })
	case "exact":
		return got.Exact && len(got.Hits) == 1 && among(got.Hits, c.names[0])
	case "near":
		return among(best(1), c.names[0]) || len(got.Hits) == 0 && slices.Contains(got.Near, c.names[0])
	default:
		return len(got.Hits) == 0 && !got.Exact
	}
}

func among(hits []discovery.Hit, pattern string) bool {
	return slices.ContainsFunc(hits, func(h discovery.Hit) bool { return matches(pattern, h.Name) })
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// describe says what came where.
func describe(r discovery.Results) string {
	var b strings.Builder
	for i, h := range r.Hits {
		fmt.Fprintf(&b, "%d. %s (%.2f)  ", i+1, h.Name, h.Score)
	}
	if len(r.Hits) == 0 {
		b.WriteString("nothing")
	}
	if len(r.Near) > 0 {
		fmt.Fprintf(&b, "; near: %s", strings.Join(r.Near, ", "))
	}
	return b.String()
}

func scopeOf(t *testing.T, docs []discovery.Document) *discovery.Scope {
	t.Helper()
	index, err := discovery.Build(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	return index.Scope(func(int) bool { return true })
}

// classes are the classes of cases, in the order of the file.
func classes(t *testing.T) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/cases/cases.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files
}

// readCases reads a class of cases. Names that the catalogue does not have are mistakes.
func readCases(t *testing.T, class txtar.File, docs []discovery.Document) []searchCase {
	t.Helper()
	var cases []searchCase
	for line := range strings.Lines(string(class.Data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		c, err := parseCase(line)
		if err != nil {
			t.Fatalf("%s: %s: %v", class.Name, line, err)
		}
		for _, name := range c.names {
			if !slices.ContainsFunc(docs, func(d discovery.Document) bool { return matches(name, d.Name) }) {
				t.Fatalf("%s: %s: no tool is named %s", class.Name, line, name)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

func parseCase(line string) (searchCase, error) {
	expectation, query, ok := strings.Cut(line, " | ")
	if !ok {
		return searchCase{}, errors.New("a bar is missing")
	}
	expectation, missed := strings.CutPrefix(expectation, "missed ")
	words := strings.Fields(expectation)
	c := searchCase{missed: missed, line: line, kind: words[0], names: words[1:], query: query}
	if text, err := strconv.Unquote(query); err == nil && query[0] == '"' {
		c.query = text
	}
	c.query = repeated.ReplaceAllStringFunc(c.query, repeat)
	if c.kind == "within" {
		best, err := strconv.Atoi(words[1])
		if err != nil {
			return searchCase{}, err
		}
		c.best, c.names = best, words[2:]
	}
	if !slices.Contains([]string{"first", "within", "exact", "near", "none"}, c.kind) || (c.kind == "none") != (len(c.names) == 0) {
		return searchCase{}, fmt.Errorf("not an expectation: %s", expectation)
	}
	return c, nil
}

// repeated matches a text that a query has many times.
var repeated = regexp.MustCompile(`(?s)\{\{(\d+)\|(.*?)\}\}`)

func repeat(match string) string {
	parts := repeated.FindStringSubmatch(match)
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return match
	}
	return strings.Repeat(parts[2], n)
}

func readDocuments(t *testing.T, file string) []discovery.Document {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var docs []discovery.Document
	for line := range bytes.Lines(data) {
		var d struct {
			Name, Namespace, Description, Hint string
			Tags                               []string
			Parameters                         json.RawMessage
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatalf("%s: %v in %s", file, err, line)
		}
		docs = append(docs, discovery.Document{
			Name: d.Name, Namespace: d.Namespace, Description: d.Description,
			Hint: d.Hint, Tags: d.Tags, Parameters: d.Parameters,
		})
	}
	return docs
}
