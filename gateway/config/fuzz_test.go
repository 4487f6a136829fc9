package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse looks for files that make the parser panic, that have problems
// without a place, or whose parameters are not JSON.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/bad*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data, filepath.Ext(archive.Files[0].Name) == ".json")
	}
	good, err := os.ReadFile("testdata/good/all.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, false)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		name := "/etc/tools.yaml"
		if isJSON {
			name = "/etc/tools.json"
		}
		checkParsed(t, name, data)
	})
}

// hasBroken reports whether any value of a tree was refused.
func hasBroken(n *node) bool {
	if n.kind == broken || slices.ContainsFunc(n.items, hasBroken) {
		return true
	}
	return slices.ContainsFunc(n.members, func(m member) bool { return hasBroken(m.value) })
}

func checkParsed(t *testing.T, name string, data []byte) {
	c, problems := Parse(name, data)
	if c == nil && problems.Err() == nil {
		t.Error("neither a configuration nor an error")
	}
	for _, p := range problems {
		if p.Place.File != name || p.Text == "" || p.Place.Line == 0 && p.Text != "the file is empty" {
			t.Errorf("a problem without a place or text: %v", p)
		}
	}
	if c == nil {
		return
	}
	if problems.Err() == nil && hasBroken(c.tree) {
		t.Error("a value was dropped without an error")
	}
	for key, tool := range c.Tools {
		if tool.Parameters != nil && !json.Valid(tool.Parameters) {
			t.Errorf("parameters of %q are not JSON: %s", key, tool.Parameters)
		}
		c.At().Key("tools").Key(key).Key("expr").Inside(1, 1, "a problem of an owner", "")
	}
	if len(c.Tools) > 0 && len(c.Problems()) == len(problems) {
		t.Error("problems of owners are lost")
	}
}

// FuzzLayers puts two files on one another, with a variable and a setting on
// top. No layers may make it panic; every problem has a place; what is printed
// of layers that load is what they say.
func FuzzLayers(f *testing.F) {
	for _, folder := range []string{"bad-layers", "good-layers"} {
		paths, err := filepath.Glob("testdata/" + folder + "/*.txtar")
		if err != nil || len(paths) == 0 {
			f.Fatal(err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				f.Fatal(err)
			}
			files, opts := readLayers(archive)
			first, last := opts.Files[0], opts.Files[len(opts.Files)-1]
			f.Add(files[first], files[last], strings.Join(opts.Env, "\n"), strings.Join(opts.Set, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, base, overlay, env, set string) {
		files := memory{"base.yaml": base, "d/overlay.yaml": overlay}
		opts := Options{Files: []string{"base.yaml", "d/overlay.yaml"}, Env: strings.Split(env, "\n")}
		if set != "" {
			opts.Set = strings.Split(set, "\n")
		}
		checkLayers(t, files, opts)
	})
}

func checkLayers(t *testing.T, files memory, opts Options) {
	c, problems := load(files, opts)
	if c == nil && problems.Err() == nil {
		t.Error("neither a configuration nor an error")
	}
	for _, p := range problems {
		if p.Place.File == "" || p.Text == "" {
			t.Errorf("a problem without a place or text: %v", p)
		}
	}
	if c == nil {
		return
	}
	if problems.Err() == nil && hasBroken(c.tree) {
		t.Error("a value was dropped without an error")
	}
	if problems.Err() == nil {
		checkPrinted(t, c)
	}
	_ = printed(t, c, PrintOptions{Origins: true})
	_ = c.At().Key("policy").Key("rules").Index(0).Place()
}
