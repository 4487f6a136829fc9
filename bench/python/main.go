// Command python measures the code interpreter, each thing in one run beside something to
// compare it with, and prints ratios first:
//
//	go run ./bench/python [-part cold|ready|memory|warm|load|compute|all]
//
// It needs an interpreter (gateway python install), python3 for what is native, and for
// Pyodide Node and npm ci in bench/python/pyodide; it says what it has to leave out. The
// parts are:
//
//   - cold: the same module started by wazero for one program, its code loaded already, as
//     one would without an interpreter that waits; beside native python3, and a call of
//     an interpreter process.
//   - ready: how long a process takes from its start until it can take a program, from
//     code that was compiled before and from none.
//   - memory: what a process holds, and the process of the gateway.
//   - warm: calls of the tool, at 1, 8 and 64 callers with 2 interpreters.
//   - load: how long programs wait while half of 64 callers send endless loops.
//   - compute: programs that compute, beside native python3, the same module with the
//     check by which wazero ends programs, and Pyodide.
//
// What takes turns is measured in turns, so that what else the machine does falls on all.
// Memory is read on Linux only.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// options are what the command line says.
type options struct {
	part    string
	folder  string        // of the interpreter; where it is installed when empty
	starts  int           // of everything that is started
	turns   int           // of each kind of calls
	turn    time.Duration // length of one
	rounds  int           // of programs that compute
	load    time.Duration // of the calls with endless loops among them
	profile string        // file; empty for none
	json    string        // file of the rows; empty for none

	python *cpython.Runtime // that was found
	rows   *row.File        // of the parts
}

// part is one of the parts.
type part struct {
	name string
	run  func(context.Context, *options) error
}

// parts are in the order in which they run: memory first, as it has to be read of a
// process in which nothing else was.
func parts() []part {
	return []part{
		{"memory", memoryPart},
		{"cold", coldPart},
		{"ready", readyPart},
		{"warm", warmPart},
		{"load", loadPart},
		{"compute", computePart},
	}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == workerCommand {
		if err := serve(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	o, err := parse()
	if err == nil {
		err = run(context.Background(), o)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse() (*options, error) {
	o := &options{}
	flag.StringVar(&o.part, "part", "all", "what is measured: cold, ready, memory, warm, load, compute, several with commas between them, or all")
	flag.StringVar(&o.folder, "runtime", os.Getenv("TG_PYTHON"), "`folder` of the interpreter; by default that of TG_PYTHON, or where gateway python install puts it")
	flag.IntVar(&o.starts, "starts", 10, "how often everything is started that is measured by its start")
	flag.IntVar(&o.turns, "turns", 10, "how many turns calls have, of each kind of them")
	flag.DurationVar(&o.turn, "turn", 250*time.Millisecond, "length of a turn")
	flag.IntVar(&o.rounds, "rounds", 3, "how often programs that compute are run; the quickest counts")
	flag.DurationVar(&o.load, "load", time.Minute, "how long endless loops are among the calls")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the gateway's side of warm calls to this `file`")
	flag.StringVar(&o.json, "json", "", row.Usage)
	flag.Parse()
	var err error
	o.python, err = cpython.Find(places(o.folder))
	return o, err
}

// places are where an interpreter is looked for.
func places(folder string) cpython.Places {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	return cpython.Places{Configured: folder, Cache: cache}
}

func run(ctx context.Context, o *options) (err error) {
	wanted := strings.Split(o.part, ",")
	for _, name := range wanted {
		if name != "all" && !slices.ContainsFunc(parts(), func(p part) bool { return p.name == name }) {
			return fmt.Errorf("-part: there is no part %q", name)
		}
	}
	if o.rows, err = row.Create(o.json); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.rows.Close()) }()
	fmt.Printf("Python %s (%s)\n", o.python.Version, o.python.Source)
	for _, p := range parts() {
		if !slices.Contains(wanted, p.name) && !slices.Contains(wanted, "all") {
			continue
		}
		began := time.Now()
		fmt.Printf("\n%s\n", p.name)
		if err := p.run(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("(in %.0f s)\n", time.Since(began).Seconds())
	}
	return nil
}

// add adds a row of one of the parts: a time beside another.
func (o *options) add(part, what, note string, ours, reference time.Duration) {
	o.rows.Add(row.Row{Bench: "python", What: part + ": " + what, Unit: "ms", Note: note, Ours: millis(ours), Reference: millis(reference)})
}

// quantile is a value of sorted ones that so many percent are not above.
func quantile[T cmp.Ordered](sorted []T, percent int) T {
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func median[T cmp.Ordered](values []T) T {
	return quantile(slices.Sorted(slices.Values(values)), 50)
}

// millis is a time in milliseconds.
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
