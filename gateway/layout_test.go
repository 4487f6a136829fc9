package gateway_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/toolgate/toolgate/"

// The layers of the gateway. A package imports what stands to the right of it
// here and nothing else of ours; a new arrow is a change of the design.
var (
	words = []string{"gateway/tool", "gateway/diag", "gateway/secret", "gateway/expression", "gateway/schema"}
	rooms = []string{
		"gateway/registry", "gateway/runlog", "gateway/provider", "policy",
		"gateway/activation", "gateway/admission", "gateway/batch", "gateway/handle", "gateway/result", "gateway/retry",
		"gateway/httptool", "gateway/cmdtool", "gateway/exprtool", "gateway/interpreter", "gateway/access", "gateway/chat", "gateway/approval", "gateway/notify",
		"gateway/metrics", "gateway/clients", "gateway/watch", "gateway/limit", "gateway/repeat", "gateway/source",
		"discovery",
	}
	// Hooks are told apart by the same matchers as rules, and see what rules see.
	porch = []string{"gateway/hook"}
	// What imports tools sends their calls as the rooms do.
	annex = []string{"openapi"}
	// What models find tools with, and what is learned from how they do.
	study = []string{"gateway/find", "gateway/learn"}
	// The store serves the interfaces that rooms state, in their words.
	cellar = []string{"gateway/store"}
	hall   = []string{"gateway", "gateway/config"}
	// Tests of a configuration stand in for what its tools ask.
	rehearsal = []string{"gateway/rehearsal"}
	// A door states the methods it needs of the gateway and is handed them: it
	// can reach neither the gateway nor a runner by itself.
	door  = []string{"gateway/tool", "gateway/diag", "gateway/provider"}
	doors = []string{"gateway/mcpserver", "gateway/httpapi"}

	layout = map[string][]string{
		"gateway/tool":       {},
		"gateway/diag":       {},
		"gateway/secret":     {},
		"gateway/expression": {"gateway/tool", "gateway/diag", "gateway/secret"},
		"gateway/schema":     {"gateway/tool", "gateway/diag", "gateway/secret"},

		"gateway/registry":    words,
		"gateway/runlog":      words,
		"gateway/provider":    words,
		"policy":              words,
		"gateway/httptool":    words,
		"gateway/cmdtool":     words,
		"gateway/exprtool":    words,
		"gateway/interpreter": {"gateway/tool", "wasm/python/wire"},
		"gateway/metrics":     {"gateway/tool"},
		"gateway/access":      words,
		"gateway/clients":     {"gateway/diag"},
		"gateway/chat":        words,
		"gateway/approval":    {"gateway/tool"},
		"gateway/notify":      {"gateway/diag", "gateway/secret", "gateway/expression"},
		"gateway/watch":       {},
		"gateway/source":      words,
		"discovery":           words,
		"gateway/find":        {"gateway/tool", "gateway/schema", "discovery"},
		"gateway/learn":       {"gateway/tool", "discovery"},

		// What a call goes through beside policy: each knows results and errors and
		// nothing of a configuration.
		"gateway/activation": {"gateway/tool"},
		"gateway/admission":  {"gateway/tool"},
		"gateway/batch":      {"gateway/tool"},
		"gateway/handle":     {"gateway/tool"},
		"gateway/limit":      {"gateway/tool"},
		"gateway/repeat":     {"gateway/tool"},
		"gateway/result":     {"gateway/tool"},
		"gateway/retry":      {"gateway/tool"},

		"gateway/hook":      slices.Concat(words, []string{"policy"}),
		"gateway/rehearsal": slices.Concat(words, []string{"policy", "gateway/hook", "gateway/registry", "gateway/retry", "gateway/cmdtool"}),
		"gateway/store":     slices.Concat(words, []string{"gateway/approval", "gateway/chat", "gateway/handle", "gateway/limit", "gateway/runlog", "gateway/learn"}),

		"gateway": slices.Concat(words, porch, []string{
			"gateway/registry", "gateway/runlog", "policy", "gateway/approval",
			"gateway/activation", "gateway/admission", "gateway/batch", "gateway/handle", "gateway/limit", "gateway/repeat", "gateway/result", "gateway/retry",
			"discovery", "gateway/find",
		}),
		"gateway/config": slices.Concat(words, porch, rehearsal, []string{"gateway/access", "gateway/approval", "gateway/chat", "gateway/httptool", "gateway/cmdtool", "gateway/runlog", "gateway/source", "openapi", "policy", "discovery"}),

		"gateway/assembly":  slices.Concat(words, rooms, porch, annex, study, rehearsal, hall, []string{"openapi/spec", "openapi/document", "openapi/argument", "wasm/python/packages"}),
		"gateway/reload":    slices.Concat(words, []string{"gateway/watch", "policy", "gateway/hook", "gateway", "gateway/config", "gateway/assembly"}),
		"gateway/mcpserver": slices.Concat(door, []string{"gateway/approval", "gateway/mcpserver/message"}),
		"gateway/httpapi":   slices.Concat(door, []string{"gateway/approval", "gateway/chat", "gateway/runlog"}),

		// The opened gateway: all that belongs to one, for the program and for Go programs.
		"gateway/host": slices.Concat(words, rooms, porch, study, cellar, rehearsal, hall, doors, []string{"gateway/assembly", "gateway/reload", "wasm/python", "wasm/python/cpython", "wasm/python/worker", "wasm/python/wire"}),

		// The module's root: the narrow Go API over it.
		".": {"gateway", "gateway/assembly", "gateway/batch", "gateway/config", "gateway/diag", "gateway/handle", "gateway/host", "gateway/reload", "gateway/tool"},

		"cmd/gateway": slices.Concat(words, rooms, porch, annex, study, cellar, rehearsal, hall, doors, []string{"gateway/host", "discovery/measure", "openapi/spec", "gateway/assembly", "gateway/reload", "wasm/python", "wasm/python/cpython", "wasm/python/packages", "wasm/python/worker", "wasm/python/wire"}),

		// How OpenAPI documents become tools: the text, what it says, the schemas, the
		// arguments, the request; openapi itself puts them together.
		"openapi/document": {},
		"openapi/spec":     {"openapi/document", "openapi/dialect"},
		"openapi/dialect":  {"openapi/document", "gateway/schema"},
		"openapi/argument": {"openapi/spec", "gateway/schema"},
		"openapi/wire":     {"openapi/spec", "gateway/tool"},
		"openapi":          slices.Concat(words, []string{"gateway/httptool", "openapi/document", "openapi/spec", "openapi/dialect", "openapi/argument", "openapi/wire"}),

		// Modules of WebAssembly.
		"wasm":                   {},
		"wasm/memfs":             {}, // files for guests
		"wasm/wasmtest":          {}, // imported by tests only
		"wasm/python/wire":       {},
		"wasm/python/cpython":    {"wasm"},
		"wasm/python/worker":     {"wasm", "wasm/memfs", "wasm/confine", "wasm/python/wire", "wasm/python/packages"},
		"wasm/confine":           {},
		"wasm/python":            {"gateway/tool", "wasm/python/wire"},
		"wasm/python/packages":   {},
		"wasm/python/pythontest": {"wasm/python/cpython"}, // imported by tests only

		// What a door reads, apart from what it does about it.
		"gateway/mcpserver/message": {},

		// What says how good searches are.
		"discovery/measure": {},

		"gateway/tool/tooltest":      {"gateway/tool"}, // imported by tests only
		"examples/upstream":          {},
		"bench":                      {"bench/internal/row", "wasm/python/cpython"},
		"bench/internal/row":         {},
		"bench/call":                 slices.Concat(words, rooms, cellar, hall, []string{"gateway/assembly", "bench/internal/row"}),
		"bench/start":                {"bench/internal/row"}, // starts the program
		"examples/library":           {".", "gateway/tool"},
		"bench/start/parse":          {},
		"bench/openapi":              {"openapi", "bench/internal/row"},
		"bench/discover":             {"discovery", "bench/internal/row"},
		"bench/python":               {"gateway/tool", "wasm/python", "wasm/python/wire", "wasm/python/cpython", "wasm/python/worker", "bench/internal/row"},
		"scripts/internal/testcount": {},
	}

	// owners names the one package that may import a library.
	owners = map[string]string{
		"github.com/expr-lang/expr":              "gateway/expression",
		"github.com/santhosh-tekuri/jsonschema/": "gateway/schema",
		"github.com/dlclark/regexp2":             "gateway/schema",
		"go.yaml.in/yaml/":                       "gateway/config",
		"github.com/knadh/koanf/":                "gateway/config",
		"github.com/go-viper/mapstructure/":      "gateway/config", // koanf decodes with it
		"github.com/modelcontextprotocol/go-sdk": "gateway/mcpserver",
		"github.com/urfave/cli/":                 "cmd/gateway",
		"github.com/sony/gobreaker/":             "gateway/httptool",
		"golang.org/x/oauth2":                    "gateway/httptool",
		"github.com/cenkalti/backoff/":           "gateway/retry",
		"github.com/prometheus/client_golang/":   "gateway/metrics",
		"github.com/pelletier/go-toml/":          "gateway/clients",
		"golang.org/x/sys/":                      "wasm/confine",
		"golang.org/x/text/":                     "gateway/httptool",
		"github.com/blevesearch/":                "discovery",
		"github.com/ncruces/go-sqlite3":          "gateway/store",
		"github.com/fsnotify/fsnotify":           "gateway/watch",
		"github.com/google/jsonschema-go/":       "gateway/tool",          // and tests
		"github.com/google/go-cmp/":              "gateway/tool/tooltest", // and tests
		"go.uber.org/goleak":                     "gateway/tool/tooltest",
		"github.com/rogpeppe/go-internal/":       "wasm/python/pythontest", // and tests
		"github.com/getkin/kin-openapi/":         "openapi/spec",
		"github.com/cespare/xxhash/":             "openapi/document",
		"github.com/tetratelabs/wazero":          "wasm",
		"github.com/landlock-lsm/go-landlock":    "wasm/confine",
		"kernel.org/pub/linux/libs/security/":    "wasm/confine",
	}

	// also names packages that may import a library that is another's: what reads
	// another format of the same language, and benchmarks that measure a library by
	// itself.
	also = map[string]string{
		"bench/start/parse": "go.yaml.in/yaml/", "openapi/document": "go.yaml.in/yaml/",
		"bench/openapi": "github.com/getkin/kin-openapi/", "bench/discover": "github.com/blevesearch/",
		"bench/python": "github.com/tetratelabs/wazero",
		"discovery":    "golang.org/x/text/",                                         // as a word is written in more than one way
		"wasm/memfs":   "github.com/tetratelabs/wazero",                              // its words for file systems
		"wasm":         "golang.org/x/sys/", "wasm/python/wire": "golang.org/x/sys/", // memory that is mapped
		"gateway/chat": "golang.org/x/text/", // names of files
	}
)

// TestLayout holds the imports of every package of the module, tests apart,
// against the layout.
func TestLayout(t *testing.T) {
	imports, err := importsOf("..")
	if err != nil {
		t.Fatal(err)
	}
	for name := range layout {
		if _, ok := imports[name]; !ok {
			t.Errorf("the layout names %s, which is not there", name)
		}
	}
	for _, problem := range violations(imports) {
		t.Error(problem)
	}
}

// TestLayoutHasNoWayRound proves of the layout itself that its layers only
// ever go down, and so that no door reaches a runner or the gateway.
func TestLayoutHasNoWayRound(t *testing.T) {
	layers := [][]string{
		{"gateway/tool", "gateway/diag", "gateway/secret"},
		{"gateway/expression", "gateway/schema"},
		rooms, slices.Concat(porch, annex, study), slices.Concat(cellar, rehearsal), hall,
		slices.Concat(doors, []string{"gateway/assembly"}),
		{"gateway/reload"},
		{"gateway/host"},
		{".", "cmd/gateway"},
	}
	level := map[string]int{}
	for i, layer := range layers {
		for _, p := range layer {
			level[p] = i
		}
	}
	for from, targets := range layout {
		for _, to := range targets {
			at, ok := level[from]
			if ok && level[to] >= at {
				t.Errorf("%s may import %s, which is not below it", from, to)
			}
		}
	}
}

func TestViolations(t *testing.T) {
	cases := []struct {
		name    string
		imports map[string][]string
		want    []string
	}{
		{"as it should be", map[string][]string{
			"gateway/schema":    {"fmt", "net/http", module + "gateway/tool", "github.com/dlclark/regexp2"},
			"gateway/mcpserver": {module + "gateway/tool", "github.com/modelcontextprotocol/go-sdk/mcp"},
			"gateway/assembly":  {module + "gateway", module + "gateway/httptool"},
		}, nil},
		{"door to runner", map[string][]string{"gateway/httpapi": {module + "gateway/httptool"}}, []string{
			"gateway/httpapi imports gateway/httptool, which the layout does not allow",
		}},
		{"door to gateway", map[string][]string{"gateway/mcpserver": {"github.com/toolgate/toolgate/gateway"}}, []string{
			"gateway/mcpserver imports gateway, which the layout does not allow",
		}},
		{"door to door", map[string][]string{"gateway/mcpserver": {module + "gateway/httpapi"}}, []string{
			"gateway/mcpserver imports gateway/httpapi, which the layout does not allow",
		}},
		{"room to room", map[string][]string{"gateway/cmdtool": {module + "policy"}}, []string{
			"gateway/cmdtool imports policy, which the layout does not allow",
		}},
		{"word to room", map[string][]string{"gateway/tool": {module + "gateway/runlog"}}, []string{
			"gateway/tool imports gateway/runlog, which the layout does not allow",
		}},
		{"gateway to a kind of tool", map[string][]string{"gateway": {module + "gateway/cmdtool"}}, []string{
			"gateway imports gateway/cmdtool, which the layout does not allow",
		}},
		{"test helper outside tests", map[string][]string{"cmd/gateway": {module + "gateway/tool/tooltest"}}, []string{
			"cmd/gateway imports gateway/tool/tooltest, which the layout does not allow",
		}},
		{"library in the wrong package", map[string][]string{"policy": {"github.com/expr-lang/expr/vm"}}, []string{
			"policy imports github.com/expr-lang/expr/vm, which only gateway/expression may",
		}},
		{"library that nobody owns", map[string][]string{"gateway": {"example.com/router"}}, []string{
			"gateway imports example.com/router, a library without an owner",
		}},
		{"room to the module's root", map[string][]string{"policy": {strings.TrimSuffix(module, "/")}}, []string{
			"policy imports ., which the layout does not allow",
		}},
		{"package that is not on the map", map[string][]string{"gateway/util": {"fmt"}}, []string{
			"gateway/util is not in the layout",
		}},
		{"package that is not on the map, its imports", map[string][]string{"gateway/util": {module + "gateway"}}, []string{
			"gateway/util is not in the layout",
			"gateway/util imports gateway, which the layout does not allow",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, violations(c.imports)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestImportsOf finds an arrow in a file for another platform, and none in
// tests, test data and other modules.
func TestImportsOf(t *testing.T) {
	root := t.TempDir()
	for name, path := range map[string]string{
		"gateway/httpapi/api_plan9.go": module + "gateway", "gateway/httpapi/api_test.go": "example.com/a",
		"gateway/testdata/a.go": "example.com/b", "node_modules/c/c.go": "example.com/c", ".ci/d.go": "example.com/d",
		"bench/other/e.go": "example.com/e", "bench/other/more/f.go": "example.com/f",
	} {
		file := filepath.Join(root, name)
		if err := errors.Join(
			os.MkdirAll(filepath.Dir(file), 0o700),
			os.WriteFile(file, []byte("package p\nimport _ \""+path+"\"\n"), 0o600),
		); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "bench/other/go.mod"), []byte("module other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := importsOf(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"gateway/httpapi": {module + "gateway"}}, got); diff != "" {
		t.Error(diff)
	}
}

// violations compares imports, by package, with the layout.
func violations(imports map[string][]string) []string {
	var out []string
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		if _, ok := layout[from]; !ok {
			out = append(out, from+" is not in the layout")
		}
		for _, path := range imports[from] {
			if problem := judge(from, path); problem != "" {
				out = append(out, problem)
			}
		}
	}
	return out
}

// judge says what is wrong with one arrow, or "".
func judge(from, path string) string {
	if to, ok := strings.CutPrefix(path, module); ok || path+"/" == module {
		if !ok {
			to = "." // the module's root
		}
		if slices.Contains(layout[from], to) {
			return ""
		}
		return fmt.Sprintf("%s imports %s, which the layout does not allow", from, to)
	}
	if host, _, _ := strings.Cut(path, "/"); !strings.Contains(host, ".") {
		return "" // the standard library
	}
	for library, owner := range owners {
		if !within(path, library) {
			continue
		}
		if owner == from || also[from] == library {
			return ""
		}
		return fmt.Sprintf("%s imports %s, which only %s may", from, path, owner)
	}
	return fmt.Sprintf("%s imports %s, a library without an owner", from, path)
}

// within reports whether path is the library or a package in it.
func within(path, library string) bool {
	library = strings.TrimSuffix(library, "/")
	return path == library || strings.HasPrefix(path, library+"/")
}

// importsOf reads the imports of every package below root, whatever platform
// a file is for, from the files themselves. Tests, test data and what belongs
// to another module or to npm are left out.
func importsOf(root string) (map[string][]string, error) {
	imports := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (leftOut(d.Name()) || isModule(path)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		found, err := importsOfFile(path)
		name = filepath.ToSlash(name)
		imports[name] = append(imports[name], found...)
		return err
	})
	return imports, err
}

func leftOut(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "testdata" || folder == "node_modules"
}

// isModule reports whether a folder is a module of its own, whose libraries are
// none of this one's.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

func importsOfFile(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, imported)
	}
	return out, nil
}
