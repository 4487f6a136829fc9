package discovery_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery"
)

// hostileQueries are what no person types. None has a limit of its own: what bounds
// the time of a search is that no more than discovery.MaxQuery of it is read.
func hostileQueries() map[string]string {
	var words strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&words, "w%dx issue%d ", i, i)
	}
	return map[string]string{
		"a megabyte of text":       strings.Repeat("list the open issues of a repository ", 1<<20/37),
		"a word of a megabyte":     strings.Repeat("issue", 1<<20/5),
		"100,000 words":            words.String(),
		"a megabyte of Chinese":    strings.Repeat("查询天气预报", 1<<20/18),
		"a megabyte of brackets":   strings.Repeat("[{(", 1<<20/3),
		"letters and digits":       strings.Repeat("a1", 1<<19),
		"capitals":                 strings.Repeat("aB", 1<<19),
		"underscores":              strings.Repeat("a_", 1<<19),
		"sentences":                strings.Repeat("issue. and then issue; also ", 1<<15),
		"not UTF-8":                "\xff\xfe\xc0\x80issue\xed\xa0\x80\xf5",
		"half a character":         strings.Repeat("a", discovery.MaxQuery-1) + "é",
		"NULs":                     "\x00\x00list\x00issues\x00",
		"control characters":       "\x01\x02\x1b[31mlist issues\x1b[0m\x7f",
		"combining marks":          strings.Repeat("\u0301\u0308\u20e3", 1000),
		"one letter under marks":   "e" + strings.Repeat("\u0301", 5000),
		"emoji":                    strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈🇩🇪", 200),
		"zero width":               "li\u200bst\u200d is\u2060su\ufeffes",
		"right to left marks":      "\u202e\u2067list\u200f issues\u2069\u202c",
		"private use and unpaired": "\ue000\U000f0000\ufffd\uffff",
		"mathematical letters":     "𝓵𝓲𝓼𝓽 𝕚𝕤𝕤𝕦𝕖𝕤",
		"Hangul in parts":          strings.Repeat("\u1112\u1161\u11ab", 2000),
		"what NFKC makes long":     strings.Repeat("\ufdfa", 2000), // 18 characters each
	}
}

// TestHostileQueries holds that whatever is asked has an answer, and the same one again.
func TestHostileQueries(t *testing.T) {
	scope := scopeOf(t, readDocuments(t, "testdata/cases/tools.jsonl"))
	for name, text := range hostileQueries() {
		t.Run(name, func(t *testing.T) {
			q := discovery.Query{Text: text, Limit: discovery.MaxLimit, Explain: true}
			first := search(t, scope, q)
			if diff := cmp.Diff(first, search(t, scope, q)); diff != "" {
				t.Errorf("the second answer differs (-first +second):\n%s", diff)
			}
			if len(first.Hits) > discovery.MaxLimit || len(first.Near) > discovery.MaxNear {
				t.Errorf("%d hits and %d names nearby, want at most %d and %d", len(first.Hits), len(first.Near), discovery.MaxLimit, discovery.MaxNear)
			}
			for _, h := range first.Hits {
				if !(h.Score > 0) {
					t.Errorf("%s has the score %v", h.Name, h.Score)
				}
			}
		})
	}
}

// TestLongQueries holds that a long query is searched as its beginning.
func TestLongQueries(t *testing.T) {
	scope := scopeOf(t, readDocuments(t, "testdata/cases/tools.jsonl"))
	for name, text := range hostileQueries() {
		if len(text) <= discovery.MaxQuery || text[discovery.MaxQuery] >= 0x80 {
			continue // the cut might be inside of a character
		}
		whole := search(t, scope, discovery.Query{Text: text})
		start := search(t, scope, discovery.Query{Text: text[:discovery.MaxQuery]})
		if diff := cmp.Diff(start, whole); diff != "" {
			t.Errorf("%s (-of the beginning +of all):\n%s", name, diff)
		}
	}
}

// TestHostileLimits holds that no limit gives more than there may be, or less than one.
func TestHostileLimits(t *testing.T) {
	scope := scopeOf(t, readDocuments(t, "testdata/cases/tools.jsonl"))
	for _, limit := range []int{-1 << 63, -1, 0, 1, discovery.MaxLimit, discovery.MaxLimit + 1, 1<<63 - 1} {
		got := search(t, scope, discovery.Query{Text: "create", Limit: limit})
		if len(got.Hits) < 1 || len(got.Hits) > discovery.MaxLimit || got.More < 0 {
			t.Errorf("limit %d: %d hits and %d more", limit, len(got.Hits), got.More)
		}
	}
}

// TestHostileCatalogues searches for a plain tool beside one that is not, and for that
// one by its name.
func TestHostileCatalogues(t *testing.T) {
	plain := discovery.Document{Name: "refund_payment", Description: "Pay back a payment."}
	for name, odd := range hostileDocuments() {
		t.Run(name, func(t *testing.T) {
			odd.Name = "odd_tool"
			scope := scopeOf(t, []discovery.Document{odd, plain})
			if got := search(t, scope, discovery.Query{Text: "refund the payment", Explain: true}); len(got.Hits) == 0 || got.Hits[0].Name != plain.Name {
				t.Errorf("a refund: %s", describe(got))
			}
			if got := search(t, scope, discovery.Query{Text: "something odd"}); len(got.Hits) == 0 || got.Hits[0].Name != odd.Name {
				t.Errorf("by a word of its name: %s", describe(got))
			}
			if got := search(t, scope, discovery.Query{Text: odd.Name}); !got.Exact || got.Hits[0].Index != 0 {
				t.Errorf("by its name: %s", describe(got))
			}
		})
	}
}

// hostileDocuments are tools as no careful person describes them.
func hostileDocuments() map[string]discovery.Document {
	odd := map[string]discovery.Document{
		"nothing but a name":         {},
		"empty texts":                {Tags: []string{"", " "}, Hint: " ", Description: "\n", Parameters: json.RawMessage(`{}`)},
		"a description of a MB":      {Description: strings.Repeat("Synchronize the warehouse with everything. ", 1<<20/43)},
		"a word of a MB":             {Description: strings.Repeat("a", 1<<20)},
		"Chinese of a MB":            {Description: strings.Repeat("查询天气预报", 1<<20/18)},
		"10,000 tags":                {Tags: numbered("tag", 10_000)},
		"texts that are not UTF-8":   {Description: "\xff\xfe\xc0", Hint: "\xed\xa0\x80", Tags: []string{"\xf5"}},
		"10,000 enum values":         {Parameters: schemaOf(map[string]any{"currency": map[string]any{"enum": numbered("value", 10_000)}})},
		"10,000 parameters":          {Parameters: manyParameters(10_000)},
		"properties 1,000 deep":      {Parameters: nested(1_000, `{"properties":{"a":`, `{}`, `}}`)},
		"properties 100,000 deep":    {Parameters: nested(100_000, `{"properties":{"a":`, `{}`, `}}`)},
		"items 1,000 deep":           {Parameters: nested(1_000, `{"items":`, `{}`, `}`)},
		"choices 1,000 deep":         {Parameters: nested(1_000, `{"anyOf":[`, `{}`, `]}`)},
		"brackets 100,000 deep":      {Parameters: nested(100_000, `[`, ``, `]`)},
		"a reference to itself":      {Parameters: json.RawMessage(`{"properties":{"a":{"$ref":"#"}}}`)},
		"references in a circle":     {Parameters: json.RawMessage(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`)},
		"a parameter without a name": {Parameters: json.RawMessage(`{"properties":{"":{"description":""}," ":{}}}`)},
	}
	for _, text := range []string{
		`{`, `}`, `null`, `true`, `12`, `"text"`, `[]`, ` `, `{"properties":[]}`, `{"properties":null}`, `{"properties":{"a":5}}`,
		`{"properties":{"a":null}}`, `{"properties":{"a":true}}`, `{"properties":{"a":{"enum":"x"}}}`, `{"properties":{"a":{"enum":[1,null,{"b":[]},"seven"]}}}`,
		`{"properties":{"a":{"description":5}}}`, `{"properties":{"a":{"description":["x"]}}}`, `{"properties":{"a":{}},"properties":{"b":{}}}`,
		`{"properties":{"a":{"type":"string"}}`, `{"properties":{"\ud800":{}}}`, "{\"properties\":{\"\xff\":{}}}", `{"properties":{"a":{"const":{}}}}`,
	} {
		odd["the schema "+text] = discovery.Document{Parameters: json.RawMessage(text)}
	}
	return odd
}

// TestTies holds that tools of which the same is said come in the order of their names.
func TestTies(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		var docs []discovery.Document
		for i := range 20 {
			docs = append(docs, discovery.Document{Name: fmt.Sprintf("tool_%c", 'a'+i), Description: "Pay back a payment."})
		}
		if !ordered {
			slices.Reverse(docs)
		}
		got := search(t, scopeOf(t, docs), discovery.Query{Text: "pay back", Limit: 10})
		if len(got.Hits) != 10 || got.More != 10 {
			t.Fatalf("%d hits and %d more, want 10 and 10", len(got.Hits), got.More)
		}
		for i, h := range got.Hits {
			if want := fmt.Sprintf("tool_%c", 'a'+i); h.Name != want || docs[h.Index].Name != want || h.Score != got.Hits[0].Score {
				t.Errorf("hit %d is %s with %v at %d, want %s with %v", i, h.Name, h.Score, h.Index, want, got.Hits[0].Score)
			}
		}
	}
}

// TestSmallCatalogues searches where there is little or nothing to find.
func TestSmallCatalogues(t *testing.T) {
	one := []discovery.Document{{Name: "send_email", Description: "Send an email."}}
	marks := []discovery.Document{{Name: "_"}, {Name: "-"}, {Name: "__"}, {Name: "发送"}}
	for name, docs := range map[string][]discovery.Document{"nil": nil, "none": {}, "one": one, "marks": marks} {
		t.Run(name, func(t *testing.T) {
			scope := scopeOf(t, docs)
			for _, text := range []string{"", "email", "send_email", "_", "发送", "xyzzy", "sned_emial"} {
				got := search(t, scope, discovery.Query{Text: text, Explain: true})
				if len(got.Hits)+len(got.Near) > 2*len(docs) {
					t.Errorf("%q: %s", text, describe(got))
				}
			}
		})
	}
	if got := search(t, scopeOf(t, one), discovery.Query{Text: "email"}); len(got.Hits) != 1 {
		t.Errorf("the only tool: %s", describe(got))
	}
	if got := search(t, scopeOf(t, marks), discovery.Query{Text: "__"}); !got.Exact {
		t.Errorf("a name without words: %s", describe(got))
	}
}

func search(t *testing.T, scope *discovery.Scope, q discovery.Query) discovery.Results {
	t.Helper()
	got, err := scope.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func numbered(word string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s%d", word, i))
	}
	return out
}

func manyParameters(n int) json.RawMessage {
	properties := map[string]any{}
	for _, name := range numbered("parameter", n) {
		properties[name] = map[string]any{"description": "What " + name + " is for."}
	}
	return schemaOf(properties)
}

func schemaOf(properties map[string]any) json.RawMessage {
	data, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err) // of maps and strings there is no such error
	}
	return data
}

func nested(depth int, open, middle, end string) json.RawMessage {
	return json.RawMessage(strings.Repeat(open, depth) + middle + strings.Repeat(end, depth))
}
