package document_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// write makes files below a folder of its own, which is given.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, path string) *document.Set {
	t.Helper()
	set, err := document.Open(t.Context(), document.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const mainText = `
$self: https://example.com/api
a b: {c/d: {e~f: 1}, g%20h: 2, 100%: 6, "": 3, list: [4, {x: 5}]}
components: {schemas: {Self: {$ref: '#/components/schemas/Self'}, Far: {$ref: 'parts/pets.yaml#/Pet'}, A: {$anchor: first, type: string}}}
other: {$id: https://example.com/other, $anchor: second, $defs: {X: {$id: '#old'}}}
properties: {example: {$anchor: named}, $id: {type: string}}
example: {$anchor: hidden, $id: https://example.com/hidden}
loop: {$ref: '#/loop/x'}
far: {$ref: 'parts/pets.yaml'}
`

const petsText = `
Pet: {properties: {owner: {$ref: '../main.yaml#/components/schemas/A'}, name: {$ref: 'more/names.json#/0'}}}
Local: {$ref: '#/Pet'}
`

// TestFind has references of every kind.
func TestFind(t *testing.T) {
	dir := write(t, map[string]string{
		"api/main.yaml": mainText, "api/parts/pets.yaml": petsText, "api/parts/more/names.json": `["first"]`,
		"api/bad.yaml": "a: b: c\n", "api/read me.md": "Words: {{\n", "api/plain.md": "Just words.", "outside.yaml": "a: 1",
		"api/folder/x.yaml": "a: 1",
	})
	api := filepath.Join(dir, "api")
	for name, target := range map[string]string{"out.yaml": "../outside.yaml", "up": "..", "in.yaml": "parts/pets.yaml"} {
		if err := os.Symlink(target, filepath.Join(api, name)); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct{ from, ref, want string }{
		{"", "#/a%20b/c~1d/e~0f", "main.yaml 1"},
		{"", "#/a b/100%", "main.yaml 6"},
		{"", "#/a b/c~1d", `main.yaml {"e~f":1}`},
		{"", "#/a b/c%7E1d/e~0f", "main.yaml 1"},
		{"", "#/a%20b/g%20h", "main.yaml 2"},
		{"", "#/a%20b/", "main.yaml 3"},
		{"", "#/a%20b/list/1/x", "main.yaml 5"},
		{"", "main.yaml#/a%20b/list/0", "main.yaml 4"},
		{"", "./parts/../main.yaml#/a%20b/list/0", "main.yaml 4"},
		{"", "#/components/schemas/Self", `main.yaml {"$ref":"#/components/schemas/Self"}`},
		{"", "#/components/schemas/Far/properties/owner/type", `main.yaml "string"`},
		{"", "#/far/Local/properties/name", `parts/pets.yaml {"$ref":"more/names.json#/0"}`},
		{"", "#first", `main.yaml {"$anchor":"first","type":"string"}`},
		{"", "#named", `main.yaml {"$anchor":"named"}`},
		{"", "#old", `main.yaml {"$id":"#old"}`},
		{"", "https://example.com/other#/$defs/X", `main.yaml {"$id":"#old"}`},
		{"", "https://example.com/api#/a%20b/list/0", "main.yaml 4"},
		{"", "parts/more/names.json", `parts/more/names.json ["first"]`},
		{"", `parts\more\names.json#/0`, `parts/more/names.json "first"`},
		{"", "parts/more/names.json#", `parts/more/names.json ["first"]`},
		{"", "in.yaml#/Local", `in.yaml {"$ref":"#/Pet"}`},
		{"", "plain.md", `plain.md "Just words."`},
		{"parts/pets.yaml", "more/names.json#/0", `parts/more/names.json "first"`},
		{"parts/pets.yaml", "../main.yaml#first", `main.yaml {"$anchor":"first","type":"string"}`},
		{"parts/pets.yaml", "#/Local", `parts/pets.yaml {"$ref":"#/Pet"}`},

		{"", "#/a%20b/list/01", `dangling-reference: #/a%20b/list/01: there is no "01" in main.yaml#/a%20b/list`},
		{"", "#/a%20b/list/2", `dangling-reference: #/a%20b/list/2: there is no "2" in main.yaml#/a%20b/list`},
		{"", "#/a%20b/list/-", `dangling-reference: #/a%20b/list/-: there is no "-" in main.yaml#/a%20b/list`},
		{"", "#/a%20b/list/0/y", `dangling-reference: #/a%20b/list/0/y: there is nothing in main.yaml#/a%20b/list/0`},
		{"", "#/$defs/X", `dangling-reference: #/$defs/X: there is no "$defs" in main.yaml`},
		{"", "#hidden", `dangling-reference: #hidden: there is no $anchor "hidden" in main.yaml`},
		{"", "#/loop/x", `dangling-reference: #/loop/x: it leads through more than 50 other references`},
		{"", "parts/pets.yaml#/No", `dangling-reference: parts/pets.yaml#/No: there is no "No" in parts/pets.yaml`},
		{"", "https://example.com/hidden", `remote-reference: https://example.com/hidden: references to other addresses are not followed`},
		{"", "//example.com/x", `remote-reference: //example.com/x: references to other addresses are not followed`},
		{"", "file:///etc/passwd", `remote-reference: file:///etc/passwd: references to other addresses are not followed`},
		{"", `C:\x.yaml`, `remote-reference: C:\x.yaml: references to other addresses are not followed`},
		{"", "/etc/passwd", `outside-reference: /etc/passwd: only files below the folder of the document are read`},
		{"", "../outside.yaml", `outside-reference: ../outside.yaml: only files below the folder of the document are read`},
		{"", "%2e%2e/outside.yaml", `outside-reference: %2e%2e/outside.yaml: only files below the folder of the document are read`},
		{"", `..\outside.yaml`, `outside-reference: ..\outside.yaml: only files below the folder of the document are read`},
		{"", "parts/../../outside.yaml", `outside-reference: parts/../../outside.yaml: only files below the folder of the document are read`},
		{"parts/pets.yaml", "../../outside.yaml", `outside-reference: ../../outside.yaml: only files below the folder of the document are read`},
		{"", "out.yaml", `outside-reference: out.yaml: out.yaml: it is outside of the folder of the document`},
		{"", "up/outside.yaml#/a", `outside-reference: up/outside.yaml#/a: up/outside.yaml: it is outside of the folder of the document`},
		{"", "no.yaml#/a", `unreadable-file: no.yaml#/a: no.yaml: no such file or directory`},
		{"", "parts", `unreadable-file: parts: parts: it is not a file`},
		{"", "bad.yaml", `unreadable-file: bad.yaml: bad.yaml:1:5: not valid YAML: mapping values are not allowed in this context`},
		{"", "#" + strings.Repeat("x", 300), "dangling-reference: #" + strings.Repeat("x", 199) + `…: there is no $anchor "` + strings.Repeat("x", 200) + `…" in main.yaml`},
	}
	set := open(t, filepath.Join(api, "main.yaml"))
	for _, c := range cases {
		t.Run(c.from+" "+c.ref, func(t *testing.T) {
			var from *document.File
			if c.from != "" {
				from, _, _ = set.Find(nil, c.from)
			}
			for range 2 { // the second answer is a kept one
				if diff := cmp.Diff(c.want, findText(t, set, from, c.ref)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func findText(t *testing.T, set *document.Set, from *document.File, ref string) string {
	f, n, err := set.Find(from, ref)
	if err == nil {
		return f.Name + " " + string(n.JSON())
	}
	e, ok := errors.AsType[*document.RefError](err)
	if !ok || e.Ref != ref || f != nil || n != nil {
		t.Errorf("%T of %q", err, ref)
		return ""
	}
	return e.Code + ": " + e.Error()
}

// TestFindSameNode finds one node by whichever reference leads to it, also in an
// object of many members.
func TestFindSameNode(t *testing.T) {
	var text strings.Builder
	text.WriteString("schemas:\n")
	for i := range 100 {
		fmt.Fprintf(&text, "  S%d: {$anchor: s%d}\n", i, i)
	}
	set := open(t, filepath.Join(write(t, map[string]string{"a.yaml": text.String()}), "a.yaml"))
	var first *document.Node
	for _, ref := range []string{"#/schemas/S99", "#/schemas/%5399", "#s99", "a.yaml#s99", "./a.yaml#/schemas/S99"} {
		_, n, err := set.Find(set.Main(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = n
		}
		if n != first || n != set.Main().Root.Get("schemas").Get("S99") {
			t.Errorf("%s is another node", ref)
		}
	}
}

// TestFindManyHops follows pointers that double their way through others at each
// step, which must not take long.
func TestFindManyHops(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "a%d: {$ref: '#/a%d/x/y'}\n", i, i+1)
	}
	text.WriteString("a60: {x: {$ref: '#/end'}}\nend: {y: {x: {$ref: '#/end'}}}\n")
	set := open(t, filepath.Join(write(t, map[string]string{"a.yaml": text.String()}), "a.yaml"))
	want := "dangling-reference: #/a0/x/y: it leads through more than 50 other references"
	if diff := cmp.Diff(want, findText(t, set, nil, "#/a0/x/y")); diff != "" {
		t.Error(diff)
	}
}

// TestFindFiles stops at the limit of files.
func TestFindFiles(t *testing.T) {
	set := open(t, filepath.Join(write(t, map[string]string{"a.yaml": "a: 1"}), "a.yaml"))
	for i := range document.MaxFiles - 1 {
		if _, _, err := set.Find(nil, fmt.Sprintf("%d.yaml", i)); err == nil {
			t.Fatal("a file that is not there")
		}
	}
	want := "unreadable-file: more.yaml: the document has more than 10000 files"
	if diff := cmp.Diff(want, findText(t, set, nil, "more.yaml")); diff != "" {
		t.Error(diff)
	}
	if n := len(set.Names()); n != document.MaxFiles {
		t.Errorf("%d names", n)
	}
}

// TestRealReferences follows all references of all real documents, which lie in
// the folder TG_TESTDATA, or of some of them with the race detector. Those that
// lead nowhere are the documents' own faults.
func TestRealReferences(t *testing.T) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	want := map[string]int{ // references that cannot be followed, by document and code
		"chroma-sync.json dangling-reference":    4,
		"spotify-official.yml outside-reference": 23, // ../policies.yaml
		"square.json dangling-reference":         5,
		"square.json remote-reference":           60,
	}
	got := map[string]int{}
	total := 0
	names := some(t, realDocuments(t, folder))
	for _, name := range names {
		set := open(t, name)
		for _, f := range reached(set) {
			each(f.Root, func(ref string) {
				total++
				if _, _, err := set.Find(f, ref); err != nil {
					e, _ := errors.AsType[*document.RefError](err)
					got[filepath.Base(name)+" "+e.Code]++
				}
			})
		}
	}
	if raced { // the documents that have such may not be among them
		maps.DeleteFunc(want, func(of string, _ int) bool { _, ok := got[of]; return !ok })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d references", total)
}

// reached are the files that references lead to, from the main one on.
func reached(set *document.Set) []*document.File {
	files := []*document.File{set.Main()}
	seen := map[*document.File]bool{set.Main(): true}
	for i := 0; i < len(files); i++ {
		each(files[i].Root, func(ref string) {
			if f, _, err := set.Find(files[i], ref); err == nil && !seen[f] {
				seen[f] = true
				files = append(files, f)
			}
		})
	}
	return files
}

func each(n *document.Node, f func(ref string)) {
	if ref := n.String("$ref"); ref != "" {
		f(ref)
	}
	for i := range n.Members {
		each(&n.Members[i].Value, f)
	}
}

// FuzzFind asks for any reference in any document: nothing outside of the folder
// is ever read, and what is found is a node of a file of the document.
func FuzzFind(f *testing.F) {
	dir := write(f, map[string]string{
		"secret.yaml": "a: TOP-SECRET\n", "api/main.yaml": "a: 1\n", "api/parts/p.yaml": "a: {$ref: '../main.yaml'}\nb: [2]\n",
	})
	for _, ref := range []string{"#/a", "#a", "parts/p.yaml#/a/b/c", "../secret.yaml#/a", "parts/../../secret.yaml", "%2e%2e/secret.yaml#/a", "#/a~0~1%20/0", "https://x/y#z", "up/secret.yaml", ""} {
		f.Add("a: {b: {$ref: '#/a'}, $anchor: a, $id: 'https://x/y'}\n", ref)
	}
	if err := os.Symlink("..", filepath.Join(dir, "api/up")); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "api/main.yaml")
	f.Fuzz(func(t *testing.T, text, ref string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := document.Open(t.Context(), document.Options{Path: path})
		if err != nil {
			return
		}
		for _, from := range []string{"", "parts/p.yaml"} {
			file, _, _ := set.Find(nil, from)
			in, n, err := set.Find(file, ref)
			if err != nil {
				if e, ok := errors.AsType[*document.RefError](err); !ok || e.Ref != ref || e.Code == "" || e.Text == "" {
					t.Errorf("%#v", err)
				}
				continue
			}
			const secret = "TOP-SECRET"
			if in == nil || n == nil || !strings.Contains(text, secret) && strings.Contains(string(n.JSON()), secret) {
				t.Errorf("%q gives %s", ref, n.JSON())
			}
		}
	})
}

// TestFindHidden does not open files whose names start with a dot, nor those in such
// folders.
func TestFindHidden(t *testing.T) {
	dir := write(t, map[string]string{"main.yaml": "a: 1", ".env": "a: 1", ".git/x.yaml": "a: 1", "b/.c.yaml": "a: 1", "b/main.yaml": "a: 1", "a.b/c..yaml": "a: 1"})
	set := open(t, filepath.Join(dir, "main.yaml"))
	for ref, want := range map[string]string{
		".env": "", "./.env": "", "b/../.env#/a": "", "%2eenv": "", ".git/x.yaml": "", `.git\x.yaml`: "", "b/.c.yaml": "", ".later": "",
		"./b/main.yaml#/a": "b/main.yaml 1", "b/../b/./main.yaml#/a": "b/main.yaml 1", "a.b/c..yaml#/a": "a.b/c..yaml 1",
	} {
		if want == "" {
			want = "outside-reference: " + ref + ": files and folders whose names start with a dot are not read"
		}
		if diff := cmp.Diff(want, findText(t, set, nil, ref)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"main.yaml", "a.b/c..yaml", "b/main.yaml"}, set.Names()); diff != "" {
		t.Error(diff)
	}
}

// TestFindTotal opens no file once those that were read are too large together.
func TestFindTotal(t *testing.T) {
	dir := write(t, map[string]string{"main.yaml": "a: 1", "x.yaml": "a: 1", "y.yaml": "a: 1"})
	set := open(t, filepath.Join(dir, "main.yaml"))
	set.Fill(document.MaxTotal - len("a: 1"))
	for _, name := range []string{"x.yaml", "y.yaml"} {
		want := "unreadable-file: " + name + ": the files of the document are larger than 256 MiB together"
		if diff := cmp.Diff(want, findText(t, set, nil, name)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"main.yaml", "x.yaml"}, set.Names()); diff != "" {
		t.Error(diff)
	}
}
