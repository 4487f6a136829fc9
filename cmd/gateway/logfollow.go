package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// follow shows the newest calls and then others as they end, one a line, until it
// is interrupted or nobody reads on.
func (r *record) follow(ctx context.Context, q runlog.Query, starts, asJSON bool) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	f, err := runlog.NewFollower(ctx, r.dir, r.archive, q, starts)
	if err != nil {
		return err
	}
	entries, err := r.find(ctx, q)
	if err != nil {
		return err
	}
	show := func(e *runlog.Entry) error { return r.line(e, asJSON) }
	for i := range entries {
		if e := &entries[i]; e.Status != runlog.StatusRunning || starts {
			if err := f.Tell(e, show); err != nil {
				return err
			}
		}
	}
	return f.Follow(ctx, show, func(err error) { _, _ = fmt.Fprintf(r.io.err, "gateway: %v\n", err) })
}

// line shows one call.
func (r *record) line(e *runlog.Entry, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprintln(r.io.out, strings.Join(columns(e), "  "))
		return err
	}
	data, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.io.out, "%s\n", data)
	return err
}

// printStats shows how often tools were called and how that went.
func (r *record) printStats(ctx context.Context, q runlog.Query, asJSON bool) error {
	summaries, err := r.summarise(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(r.io.out, map[string][]runlog.Summary{"tools": summaries})
	}
	if len(summaries) == 0 {
		_, _ = fmt.Fprintln(r.io.err, "no such call is in the log")
		return nil
	}
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TOOL\tCALLS\tERRORS\tP50\tP95\tCODES")
	for _, s := range summaries {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", plain(s.Tool), s.Count, s.Errors, round(s.P50), round(s.P95), codes(s.Codes))
	}
	return w.Flush()
}

// round leaves a duration the digits that are known of it.
func round(d time.Duration) time.Duration {
	for step := time.Second; step > time.Microsecond; step /= 10 {
		if d >= 100*step {
			return d.Round(step)
		}
	}
	return d
}

// codes lists how calls ended, in the order of the codes.
func codes(counts map[tool.Code]int) string {
	var out []string
	for _, code := range append([]tool.Code{runlog.CodeOK}, tool.Codes()...) {
		if n := counts[code]; n > 0 {
			out = append(out, fmt.Sprintf("%s %d", code, n))
		}
	}
	return strings.Join(out, ", ")
}
