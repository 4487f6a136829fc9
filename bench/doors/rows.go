package main

import (
	"fmt"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// write writes the figures of the gateway, each beside those of its peers.
func (f *found) write(rows *row.File, opts *options) {
	for _, n := range opts.clients {
		for _, s := range f.sides {
			if s.server.name != "gateway" {
				continue
			}
			for _, library := range []string{"mcp-go", "go-sdk", "proxy", "static"} {
				if opts.proxy != (library == "proxy") {
					continue // what has a hop behind it stands beside what has
				}
				f.beside(rows, opts, s, n, library)
			}
		}
	}
}

// beside writes what there is of one side and one peer with so many clients.
func (f *found) beside(rows *row.File, opts *options, s *side, n int, library string) {
	name := peerOf(s, library)
	own, peer := f.by[key{s.name, n}], f.by[key{name, n}]
	if peer == nil {
		return
	}
	what := fmt.Sprintf("%s, clients: %d, beside %s", door(s, opts), n, library)
	rows.Add(row.Row{Bench: "doors", What: what + ", calls", Ours: median(own.rates), Reference: median(peer.rates), Unit: "calls/s", Note: name})
	rows.Add(row.Row{Bench: "doors", What: what + ", median", Ours: micros(own.quantile(50)), Reference: micros(peer.quantile(50)), Unit: "µs p50", Note: name})
	rows.Add(row.Row{Bench: "doors", What: what + ", 99th percentile", Ours: micros(own.quantile(99)), Reference: micros(peer.quantile(99)), Unit: "µs p99", Note: name})
	if own.spent > 0 && peer.spent > 0 {
		rows.Add(row.Row{Bench: "doors", What: what + ", processor", Ours: micros(own.each()), Reference: micros(peer.each()), Unit: "µs of processor", Note: name})
	}
	back, through := f.by[key{behind(s, opts), n}], f.by[key{"mcp-go legacy", n}]
	if back == nil {
		return
	}
	for _, percent := range []int{50, 99} {
		ours, theirs := own.quantile(percent)-back.quantile(percent), peer.quantile(percent)-through.quantile(percent)
		if ours > 0 && theirs > 0 { // in a run that is too short it may not be
			rows.Add(row.Row{
				Bench: "doors", What: fmt.Sprintf("%s, added, p%d", what, percent), Unit: "µs",
				Ours: micros(ours), Reference: micros(theirs), Note: name + ", each less what stands behind it",
			})
		}
	}
}

// door says what is asked of the gateway.
func door(s *side, opts *options) string {
	text := map[string]string{"legacy": "MCP 2025-11-25", "modern": "MCP 2026-07-28", "http": "HTTP"}[s.era]
	switch {
	case opts.list > 0:
		text += fmt.Sprintf(", list of %d tools", opts.list)
	case opts.proxy:
		text += ", one hop behind"
	}
	return text
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
