package document_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// FuzzParseJSON holds the JSON reader against encoding/json: both take the same
// texts, and read the same values.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"\u00e9\ud83d\ude00\ud800\n"],"b":{}}`, `[]`, ` 1 `, `"x"`, `{"a":1,"a":{"b":2}}`,
		`[1,]`, `{"a" 1}`, `{"a":01}`, `-`, `1.`, `1e`, `"\x"`, "\"\n\"", `"\u12"`, `[1] 2`, `{,}`, `tru`, "\"é\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.HasPrefix(text, "\ufeff") {
			return // encoding/json takes these in another way
		}
		n, err := document.ParseJSON("a.json", text, document.MaxNodes)
		want, wantErr := decode([]byte(text))
		var e *document.Error
		if errors.As(err, &e) && strings.Contains(e.Text, "levels deep") {
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("we say %v, encoding/json says %v", err, wantErr)
		}
		if err != nil {
			checkPlace(t, e, text)
			return
		}
		if diff := cmp.Diff(want, decoded(t, n.JSON())); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzParseYAML holds what is made of any text against what a tree promises: it
// is written as valid JSON, which reads as the same.
func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{
		"a: &x [1, .5, 0x1F]\nb: *x\nc: {<<: {d: e}}\n", "? {a: b}\n: c\n", "- !!str 5\n- !x y\n", "a: |\n  b\n", "&a [*a]", "a: b: c",
		"%YAML 1.1\n---\na\n...\n---\nb", "\"\\x41\": 'it''s'", "<html>", "é: [ü, *é]", "a:\tb", "{{x}}: 1", "- &a b\n- *a : c", "!!map [a]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := document.Parse("a.yaml", data)
		if err != nil {
			e, ok := errors.AsType[*document.Error](err)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			checkPlace(t, e, string(data))
			return
		}
		text := n.JSON()
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		again, err := document.Parse("b.json", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(again.JSON())); diff != "" {
			t.Fatal(diff)
		}
	})
}

func checkPlace(t *testing.T, e *document.Error, text string) {
	t.Helper()
	if e.Line < 0 || e.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+len(text)+2 || (e.Line == 0) != (e.Column == 0) || e.Text == "" {
		t.Errorf("place %d:%d, text %q", e.Line, e.Column, e.Text)
	}
}
