package dialect

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/document"
)

// largest is the size of a text that package schema compiles for sure: 20,000
// values are more, in the documents that there are.
const largest = 700_000

var everything = flag.Bool("everything", false, "compile every schema of the real documents, which takes minutes")

// With the race detector, under which everything takes ten times as long, one in
// so many of the real documents is converted, and none that is larger.
const (
	racedStep = 6
	racedSize = 2 << 20
)

// TestReal converts the schemas of real documents, which lie in the folder
// TG_TESTDATA, and compiles every step-th of them.
func TestReal(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	step := 50
	if *everything {
		step = 1
	}
	total, tried := 0, 0
	names := mainFiles(t, filepath.Join(folder, "openapi", "specs"))
	if len(names) < 83 {
		t.Errorf("there are only %d documents", len(names))
	}
	for i, name := range names {
		if info, err := os.Stat(name); raced && (i%racedStep != 0 || err != nil || info.Size() > racedSize) {
			continue
		}
		set, err := document.Open(t.Context(), document.Options{Path: name})
		if err != nil {
			t.Error(err)
			continue
		}
		tried++
		for _, side := range []Side{Input, Output} {
			total += compileAll(t, set, side, step)
		}
	}
	t.Logf("%d schemas of %d documents compiled", total, tried)
	if total == 0 {
		t.Error("nothing was compiled")
	}
}

// mainFiles lists the documents in a folder, each of which is a file or lies in a
// folder of its own.
func mainFiles(t *testing.T, folder string) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.json", "*.y*ml", "digitalocean/specification/D*.yaml", "oai20-separate/*/*/*/*/spec/swagger.yaml"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

// versionOf is the dialect of a document.
func versionOf(file *document.File) Version {
	switch v := file.Root.Get("openapi"); {
	case v == nil:
		return V20
	case strings.HasPrefix(v.Text, "3.0"):
		return V30
	}
	return V31
}

// compileAll converts the schemas of a document and compiles every step-th.
func compileAll(t *testing.T, set *document.Set, side Side, step int) (n int) {
	t.Helper()
	file := set.Main()
	c := New(set, versionOf(file), side)
	list := gather(set)
	var all []json.RawMessage
	for _, at := range list {
		all = append(all, c.Schema(at.file, at.node))
	}
	for i := 0; i < len(all); i += step {
		whole := wrap(c, all[i])
		if len(whole) > largest {
			continue
		}
		if err := holds(whole); err != nil {
			t.Errorf("%s:%d (side %d, %d bytes): %v", list[i].file.Name, list[i].node.Line, side, len(whole), err)
		}
		n++
	}
	for i, key := range slices.Sorted(maps.Keys(c.Definitions())) {
		if i%step != 0 {
			continue
		}
		if err := alone(c, c.Definitions()[key]); err != nil {
			t.Errorf("%s %s (side %d): %v", file.Name, key, side, err)
		}
	}
	problems := map[string]int{}
	for _, p := range c.Problems() {
		if problems[p.Code]++; problems[p.Code] < 6 {
			t.Logf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, p.Code, p.Text)
		}
	}
	return n
}

// gatherer gathers the schemas of a document: those that are components, and what
// stands under "schema" in its paths, of all its files.
type gatherer struct {
	set  *document.Set
	seen map[*document.Node]bool
	list []target
}

func gather(set *document.Set) []target {
	g := gatherer{set: set, seen: map[*document.Node]bool{}}
	root := set.Main().Root
	for _, list := range []*document.Node{root.Get("components").Get("schemas"), root.Get("definitions")} {
		for i := 0; list != nil && i < len(list.Members); i++ {
			g.list = append(g.list, target{file: set.Main(), node: &list.Members[i].Value})
		}
	}
	if paths := root.Get("paths"); paths != nil {
		g.walk(set.Main(), paths)
	}
	return g.list
}

func (g *gatherer) walk(in *document.File, n *document.Node) {
	if g.seen[n] {
		return
	}
	g.seen[n] = true
	if ref := n.String("$ref"); ref != "" {
		if file, to, err := g.set.Find(in, ref); err == nil {
			g.walk(file, to)
		}
	}
	for i := range n.Members {
		m := &n.Members[i]
		if n.Kind == document.Object && m.Name == "schema" {
			g.list = append(g.list, target{file: in, node: &m.Value})
			continue
		}
		g.walk(in, &m.Value)
	}
}

// wrap makes arguments of a converted schema.
func wrap(c *Converter, s json.RawMessage) json.RawMessage {
	out := append([]byte(`{"type":"object","properties":{"x":`), s...)
	out = append(out, `},"$defs":{`...)
	for i, key := range Reachable(c.Definitions(), s) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"`+key+`":`...)
		out = append(out, c.Definitions()[key]...)
	}
	return append(out, "}}"...)
}

// alone compiles a definition with all that it refers to open.
func alone(c *Converter, s json.RawMessage) error {
	out := append([]byte(`{"type":"object","properties":{"x":`), s...)
	out = append(out, `},"$defs":{`...)
	for i, key := range References(s) {
		if _, there := c.Definitions()[key]; !there {
			return fmt.Errorf("refers to %s, which is not there", key)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"`+key+`":{}`...)
	}
	return holds(append(out, "}}"...))
}

// holds reports why a converted schema is not what it has to be.
func holds(whole json.RawMessage) error {
	if !json.Valid(whole) {
		return fmt.Errorf("is no JSON: %s", whole)
	}
	if strings.Contains(string(whole), `"#/components`) {
		return fmt.Errorf("a reference is left")
	}
	if _, err := schema.Compile(whole); err != nil {
		return fmt.Errorf("does not compile: %w", err)
	}
	return nil
}
