package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/learn"
)

// FuzzHints reads any file as one of hints: it is refused with a place, or what was read
// says the same when it is written and read again.
func FuzzHints(f *testing.F) {
	for _, text := range []string{
		"", "\n", `{"tool": "pay", "query": "wire money"}`, "{\"tool\": \"pay\"}\n\n{\"query\": \"a\"}", `{"tool": 1}`, `{"tool": "a"`, `{} {}`, `{"weight": 1e999}`,
		"- tool: pay\n  query: wire money\n  weight: 0.5\n", "- {tool: pay, used: 2026-01-31T12:00:00Z}", "- a", "a: b", "- [1]", "--- a\n--- b", "- &a {tool: pay}\n- *a", "- {1: 2}", "\xff", "- .nan",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		hints, lines, err := parseHints("hints.yaml", data)
		if err != nil {
			if problems := diag.As(err); len(problems) != 1 || problems[0].Place.File != "hints.yaml" || problems[0].Text == "" {
				t.Errorf("%v", err)
			}
			return
		}
		if len(hints) != len(lines) {
			t.Fatalf("%d hints and %d lines", len(hints), len(lines))
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		for i := range hints {
			if err := enc.Encode(&hints[i]); err != nil {
				t.Fatal(err)
			}
		}
		again, _, err := parseHints("hints.jsonl", out.Bytes())
		if diff := cmp.Diff(hints, again); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
		book, err := learn.Visit(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := book.Import(t.Context(), hints, nil, false); err == nil && len(book.List(nil)) > len(hints) {
			t.Errorf("%d notes of %d hints", len(book.List(nil)), len(hints))
		}
	})
}
