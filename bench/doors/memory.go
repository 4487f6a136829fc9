package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// memoryCalls are made of each server before its memory is looked at again, by so many
// clients at once.
const (
	memoryCalls   = 10_000
	memoryClients = 64
)

// memory prints what servers hold of memory: with each number of tools at rest, and after
// calls over as many sessions as there are clients, which stay open.
func memory(w io.Writer, rows *row.File, opts *options) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "tools\tserver\tat rest\tafter calls\t")
	for _, n := range opts.memory {
		rest, used, err := memoryWith(n, *opts)
		if err != nil {
			return err
		}
		for _, name := range memoryServers() {
			_, _ = fmt.Fprintf(table, "%d\t%s\t%.1f MiB\t%.1f MiB\t\n", n, name, rest[name], used[name])
		}
		for _, peer := range memoryServers()[1:] {
			what := fmt.Sprintf("%d tools, beside %s", n, peer)
			rows.Add(row.Row{Bench: "doors", What: what + ", at rest", Ours: rest["gateway"], Reference: rest[peer], Unit: "MiB", Note: peer})
			rows.Add(row.Row{Bench: "doors", What: what + ", 64 sessions, 10,000 calls", Ours: used["gateway"], Reference: used[peer], Unit: "MiB", Note: peer})
		}
	}
	return table.Flush()
}

// memoryServers are the servers in the order of the table, ours first.
func memoryServers() []string { return []string{"gateway", "mcp-go", "go-sdk"} }

// memoryWith starts the servers with so many tools and looks at their memory, in MiB.
func memoryWith(tools int, opts options) (rest, used map[string]float64, err error) {
	dir, err := os.MkdirTemp("", "doors")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	opts.list = tools
	all, err := start(dir, &opts)
	defer func() { err = errors.Join(err, all.stop()) }()
	if err != nil {
		return nil, nil, err
	}
	rest, used = map[string]float64{}, map[string]float64{}
	for _, name := range memoryServers() {
		rest[name] = all[name].resident()
	}
	opts.list, opts.only = 0, "legacy" // calls of echo
	for _, s := range sides(all, &opts) {
		if err := use(s); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.name, err)
		}
		used[strings.TrimSuffix(s.name, " legacy")] = s.server.resident()
	}
	return rest, used, nil
}

// use makes the calls, and leaves the sessions open.
func use(s *side) error {
	open, err := openAll(s, memoryClients)
	if err != nil {
		return err
	}
	for range memoryCalls / memoryClients {
		for _, c := range open {
			if err := c.call(); err != nil {
				return err
			}
		}
	}
	return nil
}
