// Command start measures how long a gateway takes from its start until it is
// ready, and what it holds of memory then, with 1,000 and with 10,000 tools:
// half HTTP requests, half commands and expressions, with schemas of three to six
// properties, under three rules.
//
//	go run ./bench/start
//
// Both are told as ratios to "gateway version", which the same binary does in the
// same run, in turn: its time from start to end, and its memory while it prints.
// Ready is when /readyz answers with 200. The memory is what Linux counts as
// resident, code that other processes share included; the highest is that of the
// whole start.
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
)

// options are what the command line says.
type options struct {
	rounds  int
	idle    time.Duration
	tools   []int
	gateway string
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
	program, err := program(dir, opts.gateway)
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
	found, err := measure(program, files, opts)
	if err != nil {
		return err
	}
	report(found, opts)
	return nil
}

// program builds the gateway unless one is given.
func program(dir, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out := filepath.Join(dir, "gateway")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", out, "github.com/toolgate/toolgate/cmd/gateway")
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	return out, cmd.Run()
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

// measure runs version and every gateway in turn; the first round, which brings
// the files into memory, does not count. The first figures are those of version.
func measure(program string, files []string, opts *options) ([]figures, error) {
	found := make([]figures, 1+len(files))
	for round := range opts.rounds + 1 {
		for i := range found {
			var one start
			var err error
			if i == 0 {
				one, err = version(program)
			} else {
				one, err = serve(program, files[i-1], opts.idle)
			}
			if err != nil {
				return nil, err
			}
			if round > 0 {
				found[i].add(one)
			}
		}
	}
	return found, nil
}

// report prints ratios, and absolute figures beside them.
func report(found []figures, opts *options) {
	const mib = 1 << 20
	base := &found[0]
	fmt.Printf("%-14s %8s %8s %8s %8s | %10s %10s %9s %9s\n", "", "time x", "CPU x", "memory x", "highest x", "time", "CPU", "memory", "highest")
	for i := range found {
		f := &found[i]
		name := "version"
		if i > 0 {
			name = fmt.Sprintf("%d tools", opts.tools[i-1])
		}
		fmt.Printf("%-14s %8.2f %8.2f %8.2f %9.2f | %10s %10s %5.1f MiB %5.1f MiB\n", name,
			ratio(f.took, base.took), ratio(f.processor, base.processor), ratio(f.resident, base.resident), ratio(f.highest, base.highest),
			median(f.took).Round(100*time.Microsecond), median(f.processor).Round(100*time.Microsecond),
			float64(median(f.resident))/mib, float64(median(f.highest))/mib)
	}
}

func ratio[T ~int64](own, base []T) float64 { return float64(median(own)) / float64(median(base)) }

func median[T ~int64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
