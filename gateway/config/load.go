package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Options are the layers of a configuration. A later one changes what earlier
// ones say: files in their order, each above the files it includes, then the
// environment, then Set.
type Options struct {
	// Files are paths of YAML files or, where the name ends in .json, of JSON
	// files; at least one, unless there is YAML.
	Files []string
	// YAML is a configuration that no file holds: a further file above Files, for a
	// program that brings its own. Problems name it YAMLName, and relative paths in it
	// belong to the working folder of the process.
	YAML []byte
	// Env is an environment in the form of os.Environ. TOOLGATE_SERVER__LISTEN
	// sets server.listen; what does not start with EnvPrefix is left alone, and
	// so is EnvToken.
	Env []string
	// Set are settings such as "server.listen=127.0.0.1:9000"; a key that holds
	// a dot stands in double quotes.
	Set []string
	// Trace, when not nil, is told what was found on disk.
	Trace *Trace
}

// YAMLName is what problems name a configuration that is in no file.
const YAMLName = "options.yaml"

// Load reads a configuration. It reads at most 16 MiB of a file, 64 MiB and 256
// files in all, and resolves no secret.
//
// The problems are all that can be found without the packages that own the
// blocks, warnings among them: ask [diag.Problems.Err]. When a layer cannot be
// read as a map at all, or there are more problems than are shown, the Config
// is nil. With other errors it holds what was readable, so that the owners of
// healthy blocks can report theirs too before the configuration is refused.
func Load(opts Options) (*Config, diag.Problems) {
	if opts.Trace != nil {
		return load(opts.Trace.over(disk{}), opts)
	}
	return load(disk{}, opts)
}

// LoadSettings is [Load] as if the first file were empty and there were no others:
// it gives the defaults, and what the environment and Set say.
func LoadSettings(opts Options) (*Config, diag.Problems) {
	if len(opts.Files) == 0 {
		return Load(opts)
	}
	empty := single{opts.Files[0], []byte(`{"version": 1}`)}
	return load(empty, Options{Files: opts.Files[:1], Env: opts.Env, Set: opts.Set})
}

// LoadFile is [Load] for one file without an environment.
func LoadFile(path string) (*Config, diag.Problems) { return Load(Options{Files: []string{path}}) }

// Parse is [Load] for one file that was read already. The name appears in
// problems, its ending tells JSON from YAML, and its folder is what relative
// paths in the file belong to. No other file is read: one that includes others
// is refused.
func Parse(name string, data []byte) (*Config, diag.Problems) {
	return load(single{name, data}, Options{Files: []string{name}})
}

func load(from files, opts Options) (*Config, diag.Problems) {
	if len(opts.Files) == 0 && opts.YAML == nil {
		return nil, diag.Problems{{Text: "no configuration file is named", Hint: "name one with --config"}}
	}
	l := newLoader(from)
	for _, path := range opts.Files {
		l.main(path)
	}
	if opts.YAML != nil {
		l.text(YAMLName, opts.YAML)
	}
	dir := "."
	if len(opts.Files) > 0 {
		dir = filepath.Dir(opts.Files[0])
	}
	l.environment(opts.Env, dir)
	l.settings(opts.Set, dir)
	if l.failed || l.findings.full() {
		return nil, l.findings.report.Problems()
	}
	return fromTree(dir, l.patterns, l.findings, l.result())
}

// reason leaves out the path of an error: the problem names it already.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func document(src *source, data []byte) (*yaml.Node, *diag.Problem) {
	if p := checkText(src.file, data); p != nil {
		return nil, p
	}
	if isJSON(src.file) {
		doc, problem := parseJSON(src)
		return doc, veiled(src, problem)
	}
	doc, problem := parseYAML(src, data)
	return doc, veiled(src, problem)
}

func isJSON(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// fromTree checks a tree and makes the Config of it.
func fromTree(dir string, patterns []string, f *findings, tree *node) (*Config, diag.Problems) {
	c := &Config{Include: patterns, findings: f, tree: tree, dir: dir}
	c.setDefaults()
	check := &checker{findings: f}
	values, _ := check.value(&trail{place: tree.place}, tree, shapeOf(reflect.TypeFor[Config](), nil))
	if f.full() {
		return nil, f.report.Problems()
	}
	if err := decode(values.(map[string]any), c); err != nil {
		f.add(nil, diag.Problem{Place: tree.place.place(), Text: fmt.Sprintf("the gateway could not take over these values, which is a fault of its own: %v", err)})
		return nil, f.report.Problems()
	}
	c.checkRules()
	c.complete()
	return c, c.Problems()
}

func (c *Config) setDefaults() {
	c.Server.Listen = DefaultListen
	c.Store.URL = DefaultStore
	c.Store.Keep = Keep{Log: KeepLog{Age: DefaultKeepLog, Size: DefaultLogSize}, Results: DefaultKeepResults}
	c.Interpreter = Interpreter{Timeout: DefaultProgramTimeout, Memory: DefaultProgramMemory, Workers: DefaultWorkers, Queue: DefaultQueue}
	c.Log = Log{Level: DefaultLogLevel, Format: DefaultLogFormat}
	c.Defaults = Defaults{Timeout: tool.DefaultTimeout, MaxOutput: tool.DefaultMaxOutput, MaxResultSize: tool.DefaultMaxResultSize}
}

// complete fills in what values take from others: tools from the defaults,
// relative paths from the folder of the file they stand in.
func (c *Config) complete() {
	for name, t := range c.Tools {
		t.Output = cmp.Or(t.Output, tool.OutputAuto)
		t.Timeout = cmp.Or(t.Timeout, c.Defaults.Timeout)
		t.MaxOutput = cmp.Or(t.MaxOutput, c.Defaults.MaxOutput)
		t.MaxResultSize = cmp.Or(t.MaxResultSize, c.Defaults.MaxResultSize)
		t.Log = t.Log.Or(c.Defaults.Log)
		c.Tools[name] = t
	}
	c.completeSources()
	c.completeInterpreter()
	c.completeTests()
	for name, s := range c.Secrets {
		if s.File != "" {
			s.File = absolute(c.dirOf("secrets", name, "file"), s.File)
		}
		c.Secrets[name] = s
	}
	for name, u := range c.Upstreams {
		if u.TLS != nil {
			c.completeTLS(name, u.TLS)
		}
	}
	if path, ok := strings.CutPrefix(c.Store.URL, StorePrefix); ok {
		c.Store.URL = StorePrefix + absolute(c.dirOf("store", "url"), path)
	}
}

func (c *Config) completeTLS(upstream string, t *httptool.TLS) {
	for key, path := range map[string]*string{"ca": &t.CA, "cert": &t.Cert, "key": &t.Key} {
		if *path != "" {
			*path = absolute(c.dirOf("upstreams", upstream, "tls", key), *path)
		}
	}
}

// dirOf is the folder that a relative path belongs to: that of the file it
// stands in, and for a default that of the first file.
func (c *Config) dirOf(path ...string) string {
	if n := c.tree.get(path...); n != nil && n.place.src != nil {
		return n.place.src.dir
	}
	return c.dir
}

// absolute joins a path to a folder. Where the working folder is unknown too,
// the path stays relative.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	joined := filepath.Join(dir, path)
	if abs, err := filepath.Abs(joined); err == nil {
		return abs
	}
	return joined
}
