package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func goOn() error { return nil }

// follow is what a path leads to in a document.
func follow(doc, path string) (string, error) {
	steps, err := parsePath(path)
	if err != nil {
		return "", err
	}
	r := strings.NewReader(doc)
	if hasMany(steps) {
		var b bytes.Buffer
		_, err := collect(r, steps, &b, goOn)
		return b.String(), err
	}
	start, end, err := locate(r, steps, goOn)
	if err != nil {
		return "", err
	}
	return doc[start:end], nil
}

const sample = ` {"items": [{"id": 1.50, "name":"a\"]}"}, {"id" :12345678901234567890 , "tags": ["x", "y" ]}, {"id":3e400,"name": "c"}],
  "odd key": {"a.b": true, "*": null}, "\u0061bc": "first", "abc": "second", "Total_Count": 7, "deep": [[[1,2],[3]],[],[[4]]], "": 0} trailing`

func TestPath(t *testing.T) {
	cases := []struct{ path, want string }{
		{"items[0].id", "1.50"},
		{"items[1].id", "12345678901234567890"},
		{"items[2].id", "3e400"},
		{"items[0].name", `"a\"]}"`},
		{"items[1].tags", `["x", "y" ]`},
		{"$.items[0].id", "1.50"},
		{`$["items"][0]['id']`, "1.50"},
		{".items[0].id", "1.50"},
		{"abc", `"first"`},
		{`["odd key"]`, `{"a.b": true, "*": null}`},
		{`["odd key"]["a.b"]`, "true"},
		{`["odd key"]["*"]`, "null"},
		{`["\u006fdd key"].*`, "[true,null]"},
		{`[""]`, "0"},
		{"items[*].id", "[1.50,12345678901234567890,3e400]"},
		{"items[*].name", `["a\"]}","c"]`},
		{"items[1:].id", "[12345678901234567890,3e400]"},
		{"items[:1].id", "[1.50]"},
		{"items[1:1].id", "[]"},
		{"items[ 1 : 2 ]", `[{"id" :12345678901234567890 , "tags": ["x", "y" ]}]`},
		{"items[0:99].id", "[1.50,12345678901234567890,3e400]"},
		{"items[*].tags[*]", `["x","y"]`},
		{"deep[*][*][*]", "[1,2,3,4]"},
		{"deep[*][0]", "[[1,2],[4]]"},
		{"deep[1][*]", "[]"},
		{"deep[1][0:5]", "[]"},
	}
	for _, c := range cases {
		if got, err := follow(sample, c.path); got != c.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", c.path, got, err, c.want)
		}
	}
}

func TestPathMistakes(t *testing.T) {
	many := make([]string, 15)
	for i := range many {
		many[i] = fmt.Sprintf(`"key %d": %d`, i, i)
	}
	wide := "{" + strings.Join(many, ",") + "}"
	cases := []struct{ doc, path, want string }{
		{sample, "item", `there is no key "item" in the result` + "\nIts keys are \"items\", \"odd key\", \"abc\", \"abc\", \"Total_Count\", \"deep\", \"\"."},
		{sample, "totalCount", "there is no key \"totalCount\" in the result\nDid you mean \"Total_Count\"?"},
		{sample, "items[1].name", "there is no key \"name\" in items[1]\nIts keys are \"id\", \"tags\"."},
		{sample, "items[*].nmae", "there is no key \"nmae\" in items[*]\nIts keys are \"id\", \"name\"."},
		{wide, "x", "there is no key \"x\" in the result\nIts first keys are \"key 0\", \"key 1\", \"key 2\", \"key 3\", \"key 4\", \"key 5\", \"key 6\", \"key 7\", \"key 8\", \"key 9\"."},
		{"{}", "x", "there is no key \"x\" in the result\nThat object is empty."},
		{sample, "items[3]", "there is no [3] in items: the list has 3 items\nIndexes start at 0."},
		{sample, "items[3:5]", "there is no [3:5] in items: the list has 3 items\nIndexes start at 0."},
		{sample, "deep[*][7]", "there is no [7] in deep[*]: the list has 2 items\nIndexes start at 0."},
		{sample, "items.id", "there is no id in items: that is a list, not an object\nUse a shorter path to see what is there."},
		{sample, "abc[0]", "there is no [0] in abc: that is a text, not a list\nUse a shorter path to see what is there."},
		{sample, "Total_Count[*]", "there is no [*] in Total_Count: that is a number, not a list\nUse a shorter path to see what is there."},
		{"", "a", "the result is not JSON: it ends where a value should (byte 0)"},
		{"hello", "a", "the result is not JSON: no value starts like this (byte 0)"},
		{`{"a"`, "a", "the result is not JSON: it ends where a value should (byte 4)"},
		{"not JSON", "a", "the result is not JSON: no value is written like this (byte 1)"},
		{"tru", "a", "the result is not JSON: no value is written like this (byte 3)"},
		{"12 monkeys", "[0]", "there is no [0] in the result: that is a number, not a list"},
		{"12monkeys", "[0]", "the result is not JSON: no value is written like this (byte 2)"},
		{`{"a" 1}`, "a", "the result is not JSON: a colon should stand here (byte 5)"},
		{`{a: 1}`, "a", "the result is not JSON: a key should stand here (byte 1)"},
		{`{"b": 1 "a": 2}`, "a", "the result is not JSON: a comma or } should stand here (byte 8)"},
		{`[1 2]`, "[1]", "the result is not JSON: a comma or ] should stand here (byte 3)"},
		{`{"a": [1, "x`, "a", "the result is not JSON: it ends where a value should (byte 12)"},
		{`{"\x": 1}`, "a", "the result is not JSON: a key is not a string (byte 5)"},
		{`{"a": }`, "a", "the result is not JSON: no value starts like this (byte 6)"},
		{`{"a": }`, "a.b", "the result is not JSON: no value starts like this (byte 6)"},
		{`[1,]`, "[*]", "the result is not JSON: no value starts like this (byte 3)"},
		{"{}", "a..b", "the path is wrong at its character 3: a name is missing"},
		{"{}", "é.[0]", "the path is wrong at its character 3: a name is missing"},
		{"{}", "a.", "the path is wrong at its character 3: a name is missing"},
		{"{}", "a[0]b", "the path is wrong at its character 5: a dot or a bracket is missing"},
		{"{}", "a[0", "the path is wrong at its character 3: the closing bracket is missing"},
		{"{}", `a["b"`, "the path is wrong at its character 6: the closing bracket is missing"},
		{"{}", `a["b`, "the path is wrong at its character 3: the quote that ends the name is missing"},
		{"{}", `a["b\`, "the path is wrong at its character 3: the quote that ends the name is missing"},
		{"{}", `a["\x"]`, "the path is wrong at its character 3: the name in quotes is not a JSON string"},
		{"{}", "a b", `the path is wrong at its character 1: "a b" is not a plain name: write ["a b"]`},
		{"{}", "[-1]", "the path is wrong at its character 2: between the brackets stands neither an index"},
		{"{}", "[]", "the path is wrong at its character 2: between the brackets stands neither an index"},
		{"{}", "[5:3]", "the path is wrong at its character 2: the slice ends before it begins"},
		{"{}", "[1:2:3]", "the path is wrong at its character 2: between the brackets stands neither an index"},
		{"{}", "[9223372036854775808]", "the path is wrong at its character 2: between the brackets stands neither an index"},
		{"{}", strings.Repeat("a", 1001), "the path has 1001 bytes, more than 1000"},
		{"{}", strings.Repeat("[0]", 65), "the path is wrong at its character 196: more than 64 steps"},
	}
	for _, c := range cases {
		_, err := follow(c.doc, c.path)
		e, ok := errors.AsType[*tool.Error](err)
		if !ok || e.Code != tool.InvalidArgs || e.Hint == "" {
			t.Errorf("%s in %.20s: got %v", c.path, c.doc, err)
			continue
		}
		if got := e.Message + "\n" + e.Hint; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s in %.20s:\n got %s\nwant %s", c.path, c.doc, got, c.want)
		}
	}
}

// TestPathAcrossBuffers puts every kind of byte on the border of two buffers.
func TestPathAcrossBuffers(t *testing.T) {
	tail := `, "k\"\\ey": [ {"a" : "x\\\"y" , "b":-1.5e3 } , true ]}`
	for shift := range len(tail) + 4 {
		doc := `{"pad": "` + strings.Repeat("p", scanBuffer-len(`{"pad": "`)-shift) + `"` + tail
		for path, want := range map[string]string{
			`["k\"\\ey"][0].a`: `"x\\\"y"`, `["k\"\\ey"][0].b`: "-1.5e3", `["k\"\\ey"][*]`: `[{"a" : "x\\\"y" , "b":-1.5e3 },true]`,
		} {
			if got, err := follow(doc, path); got != want || err != nil {
				t.Fatalf("shift %d, %s: got %s, %v", shift, path, got, err)
			}
		}
	}
}

func TestPathDeepAndLongKeys(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	if got, err := follow(`{"a":`+deep+`,"b":1}`, "b"); got != "1" || err != nil {
		t.Error(got, err)
	}
	key := strings.Repeat("k", 1_000_000)
	if got, err := follow(`{"`+key+`":1,"`+strings.Repeat(`\u0062`, 900)+`":2}`, strings.Repeat("b", 900)); got != "2" || err != nil {
		t.Error(got, err)
	}
}

func TestPathEnds(t *testing.T) {
	over := errors.New("over")
	steps, err := parsePath("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := locate(strings.NewReader("{}"), steps, func() error { return over }); !errors.Is(err, over) {
		t.Error(err)
	}
	if _, _, err := locate(failingAt{}, steps, goOn); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

type failingAt struct{}

func (failingAt) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

// FuzzPath compares a path through JSON with the same steps through what
// encoding/json makes of it.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"items[0].id", "items[*].id", "deep[*][*][0]", `["odd key"].*`, "[1:2]", "a.b[", "$", "deep[1:][0:1]", "items[*].tags[1]"} {
		f.Add(strings.TrimSuffix(sample, " trailing"), path)
	}
	f.Add(`[{"a":[1,2]},{"a":{}},3]`, "[*].a[*]")
	f.Add(`"\ud800"`, "$")
	f.Fuzz(func(t *testing.T, doc, path string) {
		got, err := follow(doc, path)
		steps, wrong := parsePath(path)
		if wrong != nil || !json.Valid([]byte(doc)) || !utf8.ValidString(doc+path) {
			return // it ended, and without a panic; encoding/json changes bytes that are not UTF-8, which are no JSON (RFC 8259, 8.1)
		}
		want, ok := reference(json.RawMessage(doc), steps)
		if ok != (err == nil) {
			t.Fatalf("%s in %s: got %s, %v, want %v", path, doc, got, err, want)
		}
		if !ok {
			return
		}
		if diff := cmp.Diff(canonical(t, want), canonical(t, got)); diff != "" {
			t.Fatalf("%s in %s: %s", path, doc, diff)
		}
	})
}

// canonical decodes JSON and keeps the digits of numbers.
func canonical(t *testing.T, doc string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(doc))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	return v
}

// reference follows steps through decoded JSON.
func reference(doc json.RawMessage, steps []step) (string, bool) {
	now, list, missed := []json.RawMessage{doc}, false, false
	for _, s := range steps {
		var next []json.RawMessage
		for _, v := range now {
			found, ok := referenceStep(v, s)
			if !ok && !list {
				return "", false
			}
			missed = missed || !ok
			next = append(next, found...)
		}
		now, list = next, list || s.many()
	}
	if !list {
		return string(now[0]), true
	}
	if len(now) == 0 {
		return "[]", !missed
	}
	var texts []string
	for _, v := range now {
		texts = append(texts, string(v))
	}
	return "[" + strings.Join(texts, ",") + "]", true
}

// referenceStep is what one step selects in a value; false when it is not there.
func referenceStep(v json.RawMessage, s step) ([]json.RawMessage, bool) {
	dec := json.NewDecoder(bytes.NewReader(v))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return nil, false
	}
	object := open == json.Delim('{')
	if object != (s.kind == member) && s.kind != all {
		return nil, false
	}
	var out []json.RawMessage
	n, done := int64(0), false
	for ; dec.More(); n++ {
		var key json.Token
		if object {
			key, _ = dec.Token()
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			panic(err)
		}
		if s.kind == member && !done && key == s.key || s.takes(n) {
			done = true
			out = append(out, value)
		}
	}
	return out, done || s.kind == all || s.kind == slice && (s.from == 0 || s.from < n)
}
