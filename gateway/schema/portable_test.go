package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPortable compares the portable forms of schemas with testdata/portable.txt.
func TestPortable(t *testing.T) {
	runGolden(t, filepath.Join("testdata", "portable.txt"), func(t *testing.T, in map[string]string) []string {
		out, err := Portable(json.RawMessage(in["schema"]))
		if err != nil {
			return []string{"error: " + err.Error()}
		}
		holdsPortable(t, json.RawMessage(in["schema"]), out)
		return []string{string(out)}
	})
}

// holdsPortable checks what is promised of every portable form.
func holdsPortable(t testing.TB, raw, out json.RawMessage) {
	t.Helper()
	if _, err := Compile(out); err != nil {
		t.Fatalf("%s\nof %s: %v", out, raw, err)
	}
	top, err := membersOf(out)
	if err != nil || string(top.value("type")) != `"object"` || top.index("properties") < 0 {
		t.Errorf("%s\nof %s is not an object with properties", out, raw)
	}
	for _, m := range top {
		if !standsAtTop(m.name) {
			t.Errorf("%s\nof %s has %s at the top", out, raw, m.name)
		}
	}
	if bad := notPortable(out); bad != "" {
		t.Errorf("%s\nof %s holds %s", out, raw, bad)
	}
	again, err := Portable(out)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("%s\nof %s becomes %s (%v)", out, raw, again, err)
	}
}

// notPortable names the first thing in a schema that has no place in a portable
// one.
func notPortable(raw json.RawMessage) string {
	members, err := membersOf(raw)
	if err != nil {
		return "the schema " + string(raw)
	}
	for _, m := range members {
		var inside []json.RawMessage
		switch {
		case m.name == "properties":
			properties, _ := membersOf(m.value)
			for _, property := range properties {
				inside = append(inside, property.value)
			}
		case m.name == "anyOf":
			if err := json.Unmarshal(m.value, &inside); err != nil || len(inside) < 2 {
				return "anyOf " + string(m.value)
			}
		case m.name == "items", m.name == "additionalProperties" && m.value[0] == '{':
			inside = append(inside, m.value)
		case m.isAnnotation(), isBound(m.name), slices.Contains([]string{"type", "enum", "required", "additionalProperties"}, m.name):
		default:
			return m.name
		}
		for _, part := range inside {
			if bad := notPortable(part); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// TestPortableSuite: what is valid under a schema of the official suite is valid
// under its portable form, at the top and inside.
func TestPortableSuite(t *testing.T) {
	for _, suite := range suites {
		files, err := filepath.Glob(filepath.Join("testdata", suite.folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal("no suite files:", err)
		}
		tops, parts := 0, 0
		for _, file := range files {
			for _, group := range readSuite(t, file) {
				name := suite.folder + "/" + filepath.Base(file) + ": " + group.Description
				tops += portableTop(t, name, group, suite.draft)
				parts += portablePart(t, name, group, suite.draft)
			}
		}
		t.Logf("%s: %d values at the top, %d inside", suite.folder, tops, parts)
		if tops < 100 || parts < 400 {
			t.Errorf("%s: only %d and %d values were tried", suite.folder, tops, parts)
		}
	}
}

// portableTop tries a schema that arguments could have, and how many objects
// stay valid.
func portableTop(t *testing.T, name string, group suiteGroup, draft string) (tried int) {
	t.Helper()
	raw := withDraft(group.Schema, draft)
	if _, err := Compile(raw); err != nil {
		return 0
	}
	out, err := Portable(raw)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	holdsPortable(t, raw, out)
	for _, test := range group.Tests {
		if test.Valid && bytes.HasPrefix(test.Data, []byte("{")) {
			tried++
			mustStayValid(t, name, out, test.Data)
		}
	}
	return tried
}

// portablePart tries a schema as one that stands inside another.
func portablePart(t *testing.T, name string, group suiteGroup, draft string) (tried int) {
	t.Helper()
	raw := withDraft(group.Schema, draft)
	top, _ := membersOf(raw) // none of true and false
	p := newPorter(raw, top)
	part := p.schema(raw)
	if part.never {
		part.orderedObject = orderedObject{{"not", json.RawMessage(`{}`)}}
	} else if bad := notPortable(part.encode()); bad != "" {
		t.Errorf("%s: %s holds %s", name, part.encode(), bad)
	}
	for _, test := range group.Tests {
		if test.Valid {
			tried++
			mustStayValid(t, name, part.encode(), test.Data)
		}
	}
	return tried
}

func mustStayValid(t *testing.T, name string, portable, data json.RawMessage) {
	t.Helper()
	s, err := compileAny(portable, nil)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, portable, err)
	}
	v, p := decode(data, argsBounds())
	if p != nil {
		return // refused before any schema is asked
	}
	if problems, err := s.check(v); err != nil || len(problems) > 0 {
		t.Errorf("%s: %s is refused by %s: %v %v", name, data, portable, problems, err)
	}
}

// FuzzPortable: the portable form of any schema keeps its promises, and lets in
// what the schema lets in.
func FuzzPortable(f *testing.F) {
	for _, c := range readGolden(f, filepath.Join("testdata", "portable.txt")) {
		f.Add([]byte(c.in["schema"]), []byte(`{"a":1,"b":"x","c":[1,"y"]}`))
		f.Add([]byte(c.in["schema"]), []byte(`{}`))
	}
	for _, raw := range append(quickSchemas, order, binary) {
		f.Add([]byte(raw), []byte(goodOrder))
	}
	f.Fuzz(func(t *testing.T, raw, args []byte) {
		s, err := Compile(raw)
		if err != nil {
			return
		}
		out, err := Portable(raw)
		if err != nil {
			t.Fatal(err)
		}
		holdsPortable(t, raw, out)
		agree(t, raw)
		v, p := decode(args, argsBounds())
		object, isObject := v.(map[string]any)
		if p != nil || !isObject || s.Validate(object) != nil {
			return
		}
		shown, err := Compile(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := shown.Validate(object); err != nil {
			t.Errorf("%s fits %s and not %s: %v", args, raw, out, err)
		}
	})
}

// agree: what is taken for portable at a look is what would come out of making it
// so.
func agree(t *testing.T, raw json.RawMessage) {
	t.Helper()
	if !isPortable(raw) {
		return
	}
	top, err := membersOf(raw)
	if err != nil {
		t.Fatal(err)
	}
	p := newPorter(raw, top)
	if got, want := p.top(top).encode(), raw; !sameJSON(got, want) {
		t.Errorf("%s\nis taken for portable and becomes %s", want, got)
	}
}

// TestPortableSame: what is portable is not touched, and everything else comes out
// the same every time.
func TestPortableSame(t *testing.T) {
	t.Parallel()
	plain := json.RawMessage(`{"type": "object", "properties": {"b": {"type": "integer", "minimum": 1}, "a": {"type": "array", "items": {"type": ["string", "null"]}}}, "required": ["b"]}`)
	out, err := Portable(plain)
	if err != nil || &out[0] != &plain[0] {
		t.Errorf("%s became %s (%v)", plain, out, err)
	}
	for _, c := range readGolden(t, filepath.Join("testdata", "portable.txt")) {
		first, err := Portable(json.RawMessage(c.in["schema"]))
		for range 20 {
			again, _ := Portable(json.RawMessage(c.in["schema"]))
			if diff := cmp.Diff(string(first), string(again)); diff != "" {
				t.Fatalf("%v\n%s", err, diff)
			}
		}
	}
}

// TestPortableReal makes the schemas of real tools portable, and of real API
// documents, which lie in the folder TG_TESTDATA.
func TestPortableReal(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	tools, changed := 0, 0
	for _, raw := range slices.Concat(toolSchemas(t, folder), documentSchemas(t, folder)) {
		if _, err := Compile(raw); err != nil {
			continue // such as OpenAPI 3.0's own keywords
		}
		out, err := Portable(raw)
		if err != nil {
			t.Fatal(err)
		}
		holdsPortable(t, raw, out)
		if tools++; !bytes.Equal(raw, out) {
			changed++
		}
	}
	t.Logf("%d schemas, of which %d were not portable", tools, changed)
	if tools < 1000 || changed < 100 {
		t.Errorf("only %d schemas were tried, %d of them not portable", tools, changed)
	}
}

// toolSchemas are the parameters of tools that benchmarks of tool search hold.
func toolSchemas(t *testing.T, folder string) (out []json.RawMessage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "discovery", "*", "tools.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tools:", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var tool struct{ Parameters json.RawMessage }
			if err := json.Unmarshal(line, &tool); err != nil {
				t.Fatal(err)
			}
			out = append(out, tool.Parameters)
		}
	}
	return out
}

// documentSchemas are tools that take one of the schemas of an API document, which
// refer to each other.
func documentSchemas(t *testing.T, folder string) (out []json.RawMessage) {
	t.Helper()
	const largest, most = 300_000, 15 // bytes of a document, schemas of it
	files, err := filepath.Glob(filepath.Join(folder, "openapi", "specs", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no documents:", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) > largest {
			continue
		}
		var doc struct {
			Components struct {
				Schemas json.RawMessage `json:"schemas"`
			} `json:"components"`
		}
		_ = json.Unmarshal(raw, &doc) // others have no such part
		schemas, _ := membersOf(doc.Components.Schemas)
		for _, m := range schemas[:min(len(schemas), most)] {
			out = append(out, json.RawMessage(`{"type":"object","properties":{"body":{"$ref":"#/components/schemas/`+m.name+`"}},"components":{"schemas":`+string(doc.Components.Schemas)+`}}`))
		}
	}
	return out
}
