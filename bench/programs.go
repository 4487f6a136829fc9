package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// program is a benchmark and how it is run.
type program struct {
	name   string
	folder string          // from the top of the checkout
	module bool            // it is a module of its own, in whose folder it runs
	args   []string        // of a whole run
	short  []string        // of a short one
	tiny   []string        // of the smallest, which tests run
	needs  func() error    // why it cannot run on this machine; nil where it always can
	lacks  func() []string // what it has to leave out on this machine, with why
}

// programs are the benchmarks in the order in which they are run.
func programs() []program {
	doors := program{folder: "bench/doors", module: true}
	doors.short, doors.tiny = []string{"-turn", "50ms", "-rounds", "2"}, []string{"-turn", "5ms", "-rounds", "1", "-clients", "1"}
	return []program{
		{name: "call", folder: "bench/call", short: []string{"-short"}, tiny: []string{"-short"}},
		doors.as("doors"), doors.as("proxy", "-proxy"), doors.as("list", "-list", "1000"),
		{
			name: "memory", folder: "bench/doors", module: true,
			args: []string{"-memory", "10,1000,10000"}, short: []string{"-memory", "10,1000"}, tiny: []string{"-memory", "10"},
		},
		{
			name: "policy", folder: "bench/policy", module: true,
			short: []string{"-turn", "10ms", "-rounds", "2"},
			tiny:  []string{"-turn", "1ms", "-rounds", "1", "-rules", "1,10"},
		},
		{
			name: "discover", folder: "bench/discover", lacks: invented,
			args:  []string{"-tools", "1000,10000"},
			short: []string{"-tools", "1000", "-queries", "100"},
			tiny:  []string{"-tools", "100", "-queries", "10"},
		},
		{
			name: "openapi", folder: "bench/openapi", needs: testData,
			short: []string{"-rounds", "1"}, tiny: []string{"-rounds", "1"},
		},
		{
			name: "start", folder: "bench/start",
			short: []string{"-tools", "1000", "-rounds", "2", "-idle", "200ms"},
			tiny:  []string{"-tools", "10", "-rounds", "1", "-idle", "10ms"},
		},
		{
			name: "python", folder: "bench/python", needs: interpreter, lacks: pythons,
			short: []string{"-starts", "2", "-turns", "2", "-turn", "50ms", "-rounds", "1", "-load", "3s"},
			tiny:  []string{"-part", "cold", "-starts", "1"},
		},
	}
}

// as is the program with flags that make another benchmark of it.
func (p program) as(name string, flags ...string) program {
	p.name = name
	p.args, p.short, p.tiny = slices.Concat(flags, p.args), slices.Concat(flags, p.short), slices.Concat(flags, p.tiny)
	return p
}

// names are those of the benchmarks, in their order.
func names() []string {
	var out []string
	for _, p := range programs() {
		out = append(out, p.name)
	}
	return out
}

// testData finds the folder of large test data.
func testData() error {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		return missing("TG_TESTDATA does not name the folder of test data")
	}
	_, err := os.Stat(filepath.Join(folder, "openapi/specs"))
	return err
}

// missing is what a machine lacks.
type missing string

func (m missing) Error() string { return string(m) }

func invented() []string {
	if os.Getenv("TG_TESTDATA") == "" {
		return []string{"tools and queries are made up: TG_TESTDATA does not name the folder with real ones"}
	}
	return nil
}

// interpreter finds the code interpreter, where bench/python does.
func interpreter() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	_, err = cpython.Find(cpython.Places{Configured: os.Getenv("TG_PYTHON"), Cache: cache})
	return err
}

// pythons are the others that bench/python compares with.
func pythons() []string {
	var out []string
	if _, err := exec.LookPath("python3"); err != nil {
		out = append(out, "nothing beside native Python: there is no python3")
	}
	_, noNode := exec.LookPath("node")
	_, noPackage := os.Stat("bench/python/pyodide/node_modules")
	switch {
	case noNode != nil:
		out = append(out, "nothing beside Pyodide: there is no Node")
	case noPackage != nil:
		out = append(out, "nothing beside Pyodide: run npm ci in bench/python/pyodide")
	}
	return out
}
