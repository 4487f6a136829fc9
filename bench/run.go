package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// Limits of one benchmark.
const (
	maxBuild = 10 * time.Minute
	maxRun   = 30 * time.Minute
	patience = 10 * time.Second // until one that was told to end is killed
)

// result is what came of one benchmark.
type result struct {
	program
	rows          []row.Row
	absent        error    // why it was not run
	failed        error    // why it has no figures, or not all of them
	lacking       []string // what it left out
	began         time.Time
	took          time.Duration
	before, after string // load averages
	worse         []worse
}

// runAll runs the wanted benchmarks. The error is what keeps all of them from running.
func runAll(ctx context.Context, o *options) (results []result, err error) {
	if _, err := os.Stat("bench/internal/row"); err != nil {
		return nil, errors.New("run it at the top of the checkout")
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, p := range o.wanted() {
		args := p.args
		if o.short {
			args = p.short
		}
		r := runOne(ctx, dir, p, args)
		if ctx.Err() != nil {
			return nil, errors.New("interrupted; nothing is written")
		}
		r.summary()
		results = append(results, r)
	}
	return results, nil
}

// summary tells on standard error how it went.
func (r *result) summary() {
	switch {
	case r.absent != nil:
		fmt.Fprintf(os.Stderr, "--- %s not run: %v\n", r.name, r.absent)
	case r.failed != nil:
		fmt.Fprintf(os.Stderr, "--- %s failed in %.0f s: %v\n", r.name, r.took.Seconds(), r.failed)
	default:
		fmt.Fprintf(os.Stderr, "--- %s: %d figures in %.0f s, load average %s before, %s after\n", r.name, len(r.rows), r.took.Seconds(), r.before, r.after)
	}
}

// runOne builds a benchmark into a folder and runs it.
func runOne(ctx context.Context, dir string, p program, args []string) result {
	r := result{program: p, began: time.Now().UTC()}
	fmt.Fprintf(os.Stderr, "\n=== %s\n", p.name)
	if _, err := os.Stat(p.folder); errors.Is(err, fs.ErrNotExist) {
		r.absent = fmt.Errorf("there is no %s", p.folder)
		return r
	}
	if p.needs != nil {
		if r.absent = p.needs(); r.absent != nil {
			return r
		}
	}
	if p.lacks != nil {
		r.lacking = p.lacks()
	}
	binary := filepath.Join(dir, p.name)
	if r.failed = p.build(ctx, binary); r.failed != nil {
		return r
	}
	r.before = loadAverage()
	r.rows, r.failed = p.measure(ctx, binary, args)
	r.took, r.after = time.Since(r.began), loadAverage()
	return r
}

func (p *program) build(ctx context.Context, binary string) error {
	ctx, cancel := context.WithTimeout(ctx, maxBuild)
	defer cancel()
	return command(ctx, p.folder, "go", "build", "-o", binary, ".").Run()
}

// measure runs the program and reads the rows that it has written.
func (p *program) measure(ctx context.Context, binary string, args []string) ([]row.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	file, folder := binary+".jsonl", "."
	if p.module {
		folder = p.folder
	}
	failed := command(ctx, folder, binary, append(args[:len(args):len(args)], "-json", file)...).Run()
	rows, err := row.Read(file)
	if err == nil && len(rows) == 0 {
		err = errors.New("it has written no figures")
	}
	return rows, errors.Join(failed, err)
}

// command is one whose output is shown, and that is asked to end before it is killed.
func command(ctx context.Context, folder, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stderr, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	return cmd
}
