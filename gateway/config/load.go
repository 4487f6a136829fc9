package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Load reads the file at path, YAML or, when its name ends in .json, JSON. It
// reads at most 16 MiB, opens nothing else and resolves no secret.
//
// The problems are all that can be found without the packages that own the
// blocks, warnings among them: ask [diag.Problems.Err]. When the file is not
// readable as a map at all, or there are more problems than are shown, the
// Config is nil. With other errors it holds what was readable, so that the
// owners of healthy blocks can report theirs too before the file is refused.
func Load(path string) (*Config, diag.Problems) {
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Problems{{Place: diag.Place{File: path}, Text: "there is no such file", Hint: "create it, or name another one with --config"}}
	case err != nil:
		return nil, diag.Problems{{Place: diag.Place{File: path}, Text: "the file cannot be read: " + reason(err)}}
	}
	return Parse(path, data)
}

// readFile reads one byte more than a file may have, so that Parse can tell.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}

// reason leaves out the path of an error: the problem names it already.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// Parse is [Load] for a file that was read already. The name appears in
// problems, its ending tells JSON from YAML, and its folder is what relative
// paths in the file belong to.
func Parse(name string, data []byte) (*Config, diag.Problems) {
	src := newSource(name, data)
	doc, problem := document(src, data)
	if problem != nil {
		return nil, diag.Problems{*problem}
	}
	f := newFindings()
	tree := buildTree(src, f, doc)
	if tree == nil || tree.kind == broken {
		return nil, f.report.Problems()
	}
	if tree.kind != mapping {
		f.add(nil, diag.Problem{
			Place: src.at(tree.place), Text: "the file must be a map of sections, and it is " + describe(tree),
			Hint: "a configuration starts with version: 1",
		})
		return nil, f.report.Problems()
	}
	return fromTree(src, f, tree)
}

func document(src *source, data []byte) (*yaml.Node, *diag.Problem) {
	if p := checkText(src.file, data); p != nil {
		return nil, p
	}
	if strings.EqualFold(filepath.Ext(src.file), ".json") {
		return parseJSON(src)
	}
	return parseYAML(src, data)
}

// fromTree checks a tree and makes the Config of it.
func fromTree(src *source, f *findings, tree *node) (*Config, diag.Problems) {
	c := &Config{findings: f, tree: tree, source: src}
	c.setDefaults()
	check := &checker{src: src, findings: f}
	values, _ := check.value(&trail{place: tree.place}, tree, shapeOf(reflect.TypeFor[Config](), nil))
	if f.full() {
		return nil, f.report.Problems()
	}
	if err := decode(values.(map[string]any), c); err != nil {
		f.add(nil, diag.Problem{Place: src.at(tree.place), Text: fmt.Sprintf("the gateway could not take over these values, which is a fault of its own: %v", err)})
		return nil, f.report.Problems()
	}
	c.checkRules()
	c.complete()
	return c, c.Problems()
}

func (c *Config) setDefaults() {
	c.Server.Listen = DefaultListen
	c.Store.URL = DefaultStore
	c.Defaults = Defaults{Timeout: tool.DefaultTimeout, MaxOutput: tool.DefaultMaxOutput}
}

// complete fills in what values take from others: tools from the defaults,
// relative paths from the folder of the file.
func (c *Config) complete() {
	for name, t := range c.Tools {
		if t.Output == "" {
			t.Output = tool.OutputAuto
		}
		if t.Timeout == 0 {
			t.Timeout = c.Defaults.Timeout
		}
		if t.MaxOutput == 0 {
			t.MaxOutput = c.Defaults.MaxOutput
		}
		c.Tools[name] = t
	}
	for name, s := range c.Secrets {
		if s.File != "" {
			s.File = c.absolute(s.File)
		}
		c.Secrets[name] = s
	}
	if path, ok := strings.CutPrefix(c.Store.URL, StorePrefix); ok {
		c.Store.URL = StorePrefix + c.absolute(path)
	}
}

// absolute joins a path to the folder of the file. Where the working folder is
// unknown too, the path stays relative.
func (c *Config) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	joined := filepath.Join(filepath.Dir(c.source.file), path)
	if abs, err := filepath.Abs(joined); err == nil {
		return abs
	}
	return joined
}
