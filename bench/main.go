// Command bench runs the benchmarks, one after the other, and writes what they found into
// bench/README.md, which says of each what it compares:
//
//	go run ./bench [-only NAMES] [-short] [-out FILE] [-json FILE]
//
// It is run at the top of the checkout. What a benchmark prints is shown on standard error
// while it runs. One that cannot run on this machine is in the tables with why; one that
// fails is, too, and makes the program fail at the end.
//
// Ratios that are worse than those of bench/baseline.json by more than the tolerance are
// told. They make nothing fail: machines and what else they do differ. With -keep the
// ratios of this run are those to compare with from now on.
//
// With -short every benchmark runs for a few seconds, all of them for less than three
// minutes: its figures say that they run and not much more, and are printed, not written,
// unless -out names a file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// options are what the command line says.
type options struct {
	only      []string // names of benchmarks; empty for all
	short     bool
	out       string // file of the tables; - to print them
	json      string // file of all rows; empty for none
	baseline  string
	tolerance float64 // how much worse a ratio may be, as a part of what it was
	keep      bool
}

// document is where the tables are by default.
const document = "bench/README.md"

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	opts, err := parse(flag.CommandLine, os.Args[1:])
	if err == nil {
		err = run(ctx, opts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse(flags *flag.FlagSet, args []string) (*options, error) {
	o := &options{}
	only := flags.String("only", "", "run only the benchmarks of these `names`, with commas between them: "+strings.Join(names(), ", "))
	flags.BoolVar(&o.short, "short", false, "run each for a few seconds only")
	flags.StringVar(&o.out, "out", "", "the `file` into whose marked places the tables are written, - to print them (default "+document+", with -short -)")
	flags.StringVar(&o.json, "json", "", row.Usage)
	flags.StringVar(&o.baseline, "baseline", "bench/baseline.json", "the `file` of the ratios to compare with")
	flags.Float64Var(&o.tolerance, "tolerance", .25, "how much worse than there a ratio may be before it is told, as a part of it")
	flags.BoolVar(&o.keep, "keep", false, "write the ratios into that file when all is done")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, name := range o.only {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("-only: there is no benchmark %q (there are: %s)", name, strings.Join(names(), ", "))
		}
	}
	if o.out == "" {
		o.out = document
		if o.short {
			o.out = "-"
		}
	}
	return o, nil
}

// wanted are the benchmarks that are run.
func (o *options) wanted() []program {
	return slices.DeleteFunc(programs(), func(p program) bool { return len(o.only) > 0 && !slices.Contains(o.only, p.name) })
}

func run(ctx context.Context, o *options) (err error) {
	before, err := readBaseline(o.baseline)
	if err != nil {
		return err
	}
	if o.out != "-" { // rather now than after half an hour
		if err := checkMarks(o.out); err != nil {
			return err
		}
	}
	results, err := runAll(ctx, o)
	if err != nil {
		return err
	}
	for i := range results {
		results[i].worse = before.worse(results[i].rows, o.tolerance)
	}
	if err := errors.Join(publish(o.out, results), writeRows(o.json, results)); err != nil {
		return err
	}
	tell(results, o.tolerance)
	if o.keep {
		if err := before.keep(o.baseline, results); err != nil {
			return err
		}
	}
	return failures(results)
}

// tell tells on standard error what is worse than it was.
func tell(results []result, tolerance float64) {
	for _, r := range results {
		for _, w := range r.worse {
			fmt.Fprintf(os.Stderr, "%s: %s: the ratio is %s and was %s (%s), which is more than %.0f %% worse\n", r.name, w.what, figure(w.now), figure(w.was), w.from, tolerance*100)
		}
	}
}

func failures(results []result) error {
	var errs []error
	for _, r := range results {
		if r.failed != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.name, r.failed))
		}
	}
	return errors.Join(errs...)
}

func writeRows(path string, results []result) error {
	file, err := row.Create(path)
	if err != nil {
		return err
	}
	for _, r := range results {
		for _, one := range r.rows {
			file.Add(one)
		}
	}
	return file.Close()
}
