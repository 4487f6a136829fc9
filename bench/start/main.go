// Command start measures how long a gateway takes from its start until it is
// ready, and what it holds of memory then, with 1,000 and with 10,000 tools:
// half HTTP requests, half commands and expressions, with schemas of three to six
// properties, under three rules.
//
//	go run ./bench/start
//
// Both are told as ratios to "gateway version", which the same binary does in the
// same run, in turn: its time from start to end, and its memory while it prints.
// So is a program that has the YAML library parse the same file and does nothing
// else: what the gateway cannot do without. Ready is when /readyz answers with 200.
// The memory is what Linux counts as resident, code that other processes share
// included; the highest is that of the whole start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// options are what the command line says.
type options struct {
	rounds  int
	idle    time.Duration
	tools   []int
	gateway string
	json    string // file of the rows; empty for none
}

func main() {
	log.SetFlags(0)
	opts, err := parse()
	if err == nil {
		err = run(&opts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse() (options, error) {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 15, "how often each is started")
	flag.DurationVar(&o.idle, "idle", time.Second, "how long a gateway is left alone before its memory is read")
	tools := flag.String("tools", "1000,10000", "how many tools the gateways have")
	flag.StringVar(&o.gateway, "gateway", "", "the `program` to measure; by default the one of this checkout is built")
	flag.StringVar(&o.json, "json", "", row.Usage)
	flag.Parse()
	for text := range strings.SplitSeq(*tools, ",") {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
			return o, fmt.Errorf("-tools: %q is no number of tools", text)
		}
		o.tools = append(o.tools, n)
	}
	return o, nil
}

func run(opts *options) (err error) {
	dir, err := os.MkdirTemp("", "start")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	programs, err := build(dir, opts.gateway)
	if err != nil {
		return err
	}
	files := make([]string, len(opts.tools))
	for i, n := range opts.tools {
		files[i] = filepath.Join(dir, fmt.Sprintf("tools-%d.yaml", n))
		if err := os.WriteFile(files[i], []byte(configuration(n)), 0o600); err != nil {
			return err
		}
	}
	lines := programs.lines(files, opts)
	if err := measure(lines, opts.rounds); err != nil {
		return err
	}
	report(lines)
	return write(opts.json, lines)
}

// programs are those that are started.
type programs struct{ gateway, parse string }

// build builds them, but for a gateway that is given.
func build(dir, given string) (p programs, err error) {
	if p.parse, err = buildOne(dir, "bench/start/parse"); err != nil {
		return p, err
	}
	if given != "" {
		p.gateway, err = filepath.Abs(given)
	} else {
		p.gateway, err = buildOne(dir, "cmd/gateway")
	}
	return p, err
}

func buildOne(dir, name string) (string, error) {
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out := filepath.Join(dir, filepath.Base(name))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", out, "github.com/toolgate/toolgate/"+name)
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	return out, cmd.Run()
}

// line is one line of the report.
type line struct {
	name  string
	start func() (start, error)
	figures
}

// lines are what is measured: version, to which the others are compared, then for
// each file the parser alone and the gateway.
func (p *programs) lines(files []string, opts *options) []*line {
	lines := []*line{{name: "version", start: func() (start, error) { return version(p.gateway) }}}
	for i, file := range files {
		lines = append(lines,
			&line{name: fmt.Sprintf("%d parsed", opts.tools[i]), start: func() (start, error) { return once(p.parse, file) }},
			&line{name: fmt.Sprintf("%d tools", opts.tools[i]), start: func() (start, error) { return serve(p.gateway, file, opts.idle) }})
	}
	return lines
}

// figures are what was found of one command, by round.
type figures struct {
	took      []time.Duration
	resident  []int64 // bytes
	highest   []int64 // bytes
	processor []time.Duration
}

func (f *figures) add(r start) {
	f.took, f.processor = append(f.took, r.took), append(f.processor, r.processor)
	f.resident, f.highest = append(f.resident, r.resident), append(f.highest, r.highest)
}

// measure runs all in turn; the first round, which brings the files into memory,
// does not count.
func measure(lines []*line, rounds int) error {
	for round := range rounds + 1 {
		for _, l := range lines {
			one, err := l.start()
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			if round > 0 {
				l.add(one)
			}
		}
	}
	return nil
}

// report prints ratios to the first line, and absolute figures beside them.
func report(lines []*line) {
	const mib = 1 << 20
	base := lines[0]
	fmt.Printf("%-14s %8s %8s %8s %9s | %10s %10s %9s %9s\n", "", "time x", "CPU x", "memory x", "highest x", "time", "CPU", "memory", "highest")
	for _, l := range lines {
		fmt.Printf("%-14s %8.2f %8.2f %8s %9s | %10s %10s %9s %9s\n", l.name,
			ratio(l.took, base.took), ratio(l.processor, base.processor),
			orDash("%.2f", ratio(l.resident, base.resident)), orDash("%.2f", ratio(l.highest, base.highest)),
			median(l.took).Round(100*time.Microsecond), median(l.processor).Round(100*time.Microsecond),
			orDash("%.1f MiB", float64(median(l.resident))/mib), orDash("%.1f MiB", float64(median(l.highest))/mib))
	}
}

// write writes the rows: each gateway beside the version, and its time beside the parser.
func write(file string, lines []*line) error {
	rows, err := row.Create(file)
	if err != nil {
		return err
	}
	base := lines[0]
	millis := func(d []time.Duration) float64 { return float64(median(d)) / float64(time.Millisecond) }
	mib := func(bytes []int64) float64 { return float64(median(bytes)) / (1 << 20) }
	const version, parser = "gateway version", "a program that has the YAML library parse the same file"
	for i := 1; i+1 < len(lines); i += 2 {
		parsed, own := lines[i], lines[i+1]
		add := func(what, unit, note string, ours, reference float64) {
			rows.Add(row.Row{Bench: "start", What: own.name + ", " + what, Unit: unit, Note: note, Ours: ours, Reference: reference})
		}
		add("until it is ready", "ms p50", version, millis(own.took), millis(base.took))
		add("until it is ready, beside parsing", "ms p50", parser, millis(own.took), millis(parsed.took))
		add("processor", "ms p50", version, millis(own.processor), millis(base.processor))
		add("memory", "MiB", version, mib(own.resident), mib(base.resident))
		add("highest memory", "MiB", version, mib(own.highest), mib(base.highest))
	}
	return rows.Close()
}

// orDash leaves out what was not measured.
func orDash(format string, value float64) string {
	if value == 0 {
		return "-"
	}
	return fmt.Sprintf(format, value)
}

func ratio[T ~int64](own, base []T) float64 { return float64(median(own)) / float64(median(base)) }

func median[T ~int64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
