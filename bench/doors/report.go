package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// peerOf names the side that another is held against.
func peerOf(s *side, library string) string {
	switch {
	case library == "static":
		return "static http"
	case s.server.name == "echo", library == "proxy" && s.server.name == "mcp-go":
		return ""
	case s.era == "http":
		return library + " legacy"
	}
	return library + " " + s.era
}

// behind names the side that stands behind another one, when it has a hop behind it.
func behind(s *side, opts *options) string {
	switch {
	case opts.proxy && s.server.name == "gateway":
		return "echo http"
	case opts.proxy && s.server.name == "proxy":
		return "mcp-go legacy"
	}
	return ""
}

// report prints ratios, and absolute figures beside them.
func report(w io.Writer, f *found, opts *options) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "clients\tside\tx mcp-go\tx go-sdk\tx file\tx proxy\tCPU x mcp-go\t|\tcalls/s\tp50\tp99\tadded p50\tadded p99\tCPU/call\t")
	for _, n := range opts.clients {
		for _, s := range f.sides {
			own := f.by[key{s.name, n}]
			goPeer, sdkPeer := f.by[key{peerOf(s, "mcp-go"), n}], f.by[key{peerOf(s, "go-sdk"), n}]
			_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t|\t%.0f\t%s\t%s\t%s\t%s\t%s\t\n", n, s.name,
				rate(own, goPeer), rate(own, sdkPeer), rate(own, f.by[key{peerOf(s, "static"), n}]), rate(own, f.by[key{peerOf(s, "proxy"), n}]), processors(own, goPeer),
				median(own.rates), round(own.quantile(50)), round(own.quantile(99)), added(own, f.by[key{behind(s, opts), n}], 50), added(own, f.by[key{behind(s, opts), n}], 99), round(own.each()))
		}
		_, _ = fmt.Fprintln(table, "\t\t\t\t\t\t\t|\t\t\t\t\t\t\t")
	}
	_ = table.Flush() // to a terminal or a file; a full disk shows
}

// rate is the median, over the rounds, of how many times the calls of the other
// a side makes in the same round.
func rate(own, other *figures) string {
	if other == nil {
		return "-"
	}
	var ratios []float64
	for i, r := range own.rates {
		ratios = append(ratios, r/other.rates[i])
	}
	return fmt.Sprintf("%.2f", median(ratios))
}

// added is by how much a side takes longer than what stands behind it.
func added(own, behind *figures, percent int) string {
	if behind == nil {
		return "-"
	}
	return round(own.quantile(percent) - behind.quantile(percent)).String()
}

// processors is how many times the processor time of the other a call takes.
func processors(own, other *figures) string {
	if other == nil || own.spent == 0 || other.spent == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(own.each())/float64(other.each()))
}

// each is the server's processor time of one call.
func (f *figures) each() time.Duration { return f.spent / time.Duration(max(len(f.times), 1)) }

// quantile is of the sorted times.
func (f *figures) quantile(percent int) time.Duration {
	if len(f.times) == 0 {
		return 0
	}
	return f.times[len(f.times)*percent/100]
}

func round(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(10 * time.Microsecond)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
