package pythontest_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

func files(pairs ...string) fs.FS {
	folder := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		folder[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return folder
}

func TestSnippets(t *testing.T) {
	got, err := pythontest.Snippets(files("a.txtar", "-- x.py --\n1 + 1\n-- x.value --\n2\n-- y.py --\nimport ssl\n-- y.error --\nImportError\n-- y.note --\nabsent: there is no network\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []pythontest.Snippet{
		{Name: "a/x", Code: "1 + 1\n", Value: "2"},
		{Name: "a/y", Code: "import ssl\n", Error: "ImportError", Kind: "absent", Note: "there is no network"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAttacks(t *testing.T) {
	code := "# what: it loops\n# expect: outcome=timeout|error type=A|B stdout~=\"a b\" error~=\"c\" worn=yes\npass\n"
	got, err := pythontest.Attacks(files("endless/loop.py", code))
	if err != nil {
		t.Fatal(err)
	}
	want := []pythontest.Attack{{
		Name: "endless/loop", Code: code, What: "it loops", Outcomes: []string{"timeout", "error"},
		Types: []string{"A", "B"}, Stdout: "a b", Error: "c", Worn: "yes",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"a.txtar", "-- x.out --\n1\n", "a.txtar: x.out does not follow the program that it is about"},
		{"a.txtar", "-- x.py --\n1\n-- x.txt --\n", "a.txtar: x.txt: a snippet has no .txt"},
		{"a.txtar", "-- x.py --\n1\n-- x.note --\nodd\n", "a.txtar: x.note: a note begins with one of version, platform, absent and a colon"},
		{"c/a.py", "pass\n", "c/a.py: line 1 is not # what: SENTENCE"},
		{"c/a.py", "# what: x\npass\n", "c/a.py: line 2 is not # expect: outcome=…"},
		{"c/a.py", "# what: x\n# expect: worn=no\n", "c/a.py: line 2: no outcome is named"},
		{"c/a.py", "# what: x\n# expect: outcome=fine\n", `c/a.py: line 2: outcome "fine" is not one of ok, error, syntax, exit, timeout, died`},
		{"c/a.py", "# what: x\n# expect: outcome=ok worn=perhaps\n", `c/a.py: line 2: worn is yes, no or any, not "perhaps"`},
		{"c/a.py", "# what: x\n# expect: outcome=ok stdout~=x\n", "c/a.py: line 2: the text of stdout is not in quotes"},
		{"c/a.py", "# what: x\n# expect: outcome=ok stdout~=\n", "c/a.py: line 2: the text of stdout is not in quotes"},
		{"c/a.py", "# what: x\n# expect: outcome=ok colour=red\n", `c/a.py: line 2: no "colour" is looked at`},
		{"p/poison.py", "pass\n", "open p/prob"},
	} {
		_, err := pythontest.Snippets(files(tt.file, tt.text))
		if err == nil {
			_, err = pythontest.Attacks(files(tt.file, tt.text))
		}
		if err == nil || strings.HasPrefix(tt.file, "p/") {
			_, err = pythontest.Pairs(files(tt.file, tt.text))
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s %q: %v, want %s", tt.file, tt.text, err, tt.want)
		}
	}
}

// What is in the folder is read, and is as much as is promised.
func TestFolder(t *testing.T) {
	snippets, err := pythontest.Snippets(os.DirFS("../testdata/snippets"))
	if err != nil || len(snippets) < 220 {
		t.Errorf("%d snippets, %v", len(snippets), err)
	}
	attacks, err := pythontest.Attacks(os.DirFS("../testdata/attacks"))
	if err != nil {
		t.Fatal(err)
	}
	classes := map[string]int{}
	for _, a := range attacks {
		class, _, _ := strings.Cut(a.Name, "/")
		classes[class]++
	}
	for class, n := range classes {
		if n < 5 {
			t.Errorf("class %s has %d attacks", class, n)
		}
	}
	if len(attacks) < 75 {
		t.Errorf("%d attacks in all", len(attacks))
	}
	pairs, err := pythontest.Pairs(os.DirFS("../testdata/poison"))
	if err != nil || len(pairs) < 40 {
		t.Errorf("%d pairs, %v", len(pairs), err)
	}
}
