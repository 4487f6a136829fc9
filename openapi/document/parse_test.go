package document_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// TestParse holds what texts mean against JSON, in which the order of members
// and the digits of numbers count.
func TestParse(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"order", `{"b":1,"a":{"d":[],"c":{}}}`, `{"b":1,"a":{"d":[],"c":{}}}`},
		{"digits", `[1.10,9007199254740993,1E+2,-0,0.10e-1]`, `[1.10,9007199254740993,1E+2,-0,0.10e-1]`},
		{"duplicate member", `{"a":1,"b":2,"a":{"c":3}}`, `{"a":{"c":3},"b":2}`},
		{"duplicate among many", "{" + strings.Repeat(`"a":1,`, 20) + `"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"escapes", `["\u00e9\ud83d\ude00\/\"\\\b\f\n\r\t\u001f","<>&"]`, `["é😀/\"\\\u0008\u000c\n\r\t\u001f","<>&"]`},
		{"half pairs", `["\ud800","\ud800x","\udc00\ud800","\ud800\ud83d\ude00"]`, `["�","�x","��","�😀"]`},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`},
		{"UTF-16", "\xff\xfe{\x00\"\x00\xe9\x00\"\x00:\x001\x00}\x00", `{"é":1}`},
		{"UTF-16, the other order", "\xfe\xff\x00[\x00\"\xd8\x3d\xde\x00\x00\"\x00]", `["😀"]`},
		{"not UTF-8", "{\"a\xff\":\"\xc3\"}", `{"a�":"�"}`},
		{"null", ` null `, `null`},
		{"JSON with a trailing comma is YAML", `{"a": [1,], }`, `{"a":[1]}`},
		{"comment in JSON", "{ # YAML\n a: 1}", `{"a":1}`},

		{"block", "b: 1\na:\n- x\n- {y: z}\n", `{"b":1,"a":["x",{"y":"z"}]}`},
		{"numbers", "[1.10, 0x1F, 0o17, 0b11, 1_000, +5, .5, 5., -.5, 007, 1e3, +.5e-3, 123456789012345678901]", `[1.10,31,15,3,1000,5,0.5,5,-0.5,7,1e3,0.5e-3,123456789012345678901]`},
		{"no numbers", "[.inf, -.INF, .nan, 1.2.3, 2024-01-02, 2024-01-02T03:04:05Z, '12:30', 0x, 0o8, '-', +, ., _1, 0-0, -0-0]", `[".inf","-.INF",".nan","1.2.3","2024-01-02","2024-01-02T03:04:05Z","12:30","0x","0o8","-","+",".","_1","0-0","-0-0"]`},
		{"booleans", "[true, True, FALSE, yes, no, on, off, y, n]", `[true,true,false,"yes","no","on","off","y","n"]`},
		{"nulls", "a:\nb: ~\nc: null\nd: NULL\ne: ''\nf: [~]\n", `{"a":null,"b":null,"c":null,"d":null,"e":"","f":[null]}`},
		{"keys", "200: a\ntrue: b\n1.0: c\nnull: d\n0x10: e\n? [1, {f: g}]\n: h\n", `{"200":"a","true":"b","1.0":"c","null":"d","0x10":"e","[1,{\"f\":\"g\"}]":"h"}`},
		{"tags", "[!!str 5, !!int '5', ! 5, !mine 5, !mine '5', !!binary aGk=, !!float x, !!timestamp 2024-01-02, !mine {a: 1}]", `["5",5,"5",5,"5","aGk=","x","2024-01-02",{"a":1}]`},
		{"duplicate key", "a: 1\nb: 2\na: 3\n", `{"a":3,"b":2}`},
		{"documents", "a: 1\n---\nb: 2\n", `{"a":1}`},
		{"blocks", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`},
		{"aliases", "a: &x {b: &y [1]}\nc: *x\nd: *y\n", `{"a":{"b":[1]},"c":{"b":[1]},"d":[1]}`},
		{"alias of a key", "&k a: 1\nb: *k\n*k : 2\n", `{"a":2,"b":"a"}`},
		{"merge", "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {y: 5, <<: [*a, *b], w: 6}\nd: {<<: *a}\n", `{"a":{"x":1,"y":2},"b":{"y":3,"z":4},"c":{"y":5,"w":6,"x":1,"z":4},"d":{"x":1,"y":2}}`},
		{"no merge", "a: {'<<': {b: 1}}\nc: {<<: d}\ne: {<<: [f]}\n", `{"a":{"<<":{"b":1}},"c":{"<<":"d"},"e":{"<<":["f"]}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := document.Parse("f.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(n.JSON())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRealDocuments reads all real documents, which lie in the folder
// TG_TESTDATA, or some of them with the race detector. What JSON files say is what
// encoding/json reads.
func TestRealDocuments(t *testing.T) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	names := some(t, realDocuments(t, folder))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := document.Parse(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		if !reflect.DeepEqual(decoded(t, bytes.TrimPrefix(data, []byte("\ufeff"))), decoded(t, n.JSON())) {
			t.Errorf("%s says something else", name)
		}
	}
	t.Logf("%d files", len(names))
}

func realDocuments(t *testing.T, folder string) []string {
	var names []string
	for _, pattern := range []string{"*", "*/*", "*/*/*", "*/*/*/*"} {
		for _, ext := range []string{".json", ".yaml", ".yml"} {
			found, err := filepath.Glob(filepath.Join(folder, "openapi/specs", pattern+ext))
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, found...)
		}
	}
	if len(names) < 83 {
		t.Fatalf("%d documents", len(names))
	}
	return names
}

// With the race detector, under which reading takes ten times as long, tests take
// one in so many of the real documents, and none that is larger.
const (
	racedStep = 24
	racedSize = 2 << 20
)

// some are the files that a test takes of all: all without the race detector.
func some(t *testing.T, names []string) []string {
	t.Helper()
	if !raced {
		return names
	}
	var out []string
	for i := 0; i < len(names); i += racedStep {
		info, err := os.Stat(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() <= racedSize {
			out = append(out, names[i])
		}
	}
	return out
}

func decoded(t *testing.T, data []byte) any {
	v, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decode is the value that encoding/json reads, numbers as they are written.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return v, nil
}
