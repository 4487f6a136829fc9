package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExplainPrints: words, what they stand for and what they have in each field are in
// columns; what no word has is left out.
func TestExplainPrints(t *testing.T) {
	t.Parallel()
	const answer = `{"tools":[
		{"name":"refund","permission":"ask","score":3.5,"explanation":{"terms":[
			{"term":"refund","idf":2.5,"fields":{"name":2,"tags":1.25},"score":2},
			{"term":"money","for":"cash","why":"synonym","idf":1,"fields":{"parameter_texts":0.5,"odd":1},"score":0.5},
			{"term":"back","for":"bakc","why":"similar","idf":1,"fields":{},"score":0.25}],
			"bonuses":[{"name":"name_coverage","score":0.75}]}},
		{"name":"lookup","permission":"allow","listed":true,"score":1}],"more":0}`
	const want = `1  refund  score 3.500  (ask, in the list: no)
   SCORE  WORD                      TELLING  NAME   TAGS   PARAMETER TEXTS  ODD
   2.000  refund                    2.500    2.000  1.250  -                -
   0.500  money for cash (synonym)  1.000    -      -      0.500            1.000
   0.250  back for bakc (similar)   1.000    -      -      -                -
   0.750  + name coverage

2  lookup  score 1.000  (allow, in the list: yes)
   found by its name
`
	var found foundJSON
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := &page{out: &out}
	found.explain(w)
	if d := cmp.Diff(want, out.String()); d != "" || w.err != nil {
		t.Error(d, w.err)
	}
}

func TestFirstSentence(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 40)
	for text, want := range map[string]string{
		"":                                   "",
		"Find.":                              "Find.",
		"Find a customer. By id.":            "Find a customer.",
		"Find a\n  customer! Now.":           "Find a customer!",
		"Takes files, e.g. PDF. And more.":   "Takes files, e.g. PDF.",
		"Version 2.5 of it":                  "Version 2.5 of it",
		"検索する。ほかにも。":                         "検索する。",
		long:                                 strings.TrimSpace(long)[:maxSentence] + "…",
		"Is it there? Say so.":               "Is it there?",
		"No full stop, but\n\na second line": "No full stop, but a second line",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
