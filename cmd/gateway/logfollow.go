package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

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
	lines := liner{out: r.io.out, json: asJSON}
	if err := lines.begin(entries); err != nil {
		return err
	}
	if r.unbegun != "" {
		_, _ = fmt.Fprintln(r.io.err, r.unbegun)
	}
	show := lines.show
	for i := range entries {
		if e := &entries[i]; e.Status != runlog.StatusRunning || starts {
			if err := f.Tell(e, show); err != nil {
				return err
			}
		}
	}
	return f.Follow(ctx, show, func(err error) { _, _ = fmt.Fprintf(r.io.err, "gateway: %v\n", err) })
}

// liner shows calls one a line, under headings. Nobody knows how wide what comes
// will be: a column grows with what was in it.
type liner struct {
	out    io.Writer
	json   bool
	widths []int // of the columns, in characters
}

// begin writes the headings, as wide as the calls to be shown first.
func (l *liner) begin(first []runlog.Entry) error {
	if l.json {
		return nil
	}
	l.widths = make([]int, len(headings()))
	for i := range first {
		l.fit(columns(&first[i]))
	}
	return l.write(headings())
}

// show shows one call.
func (l *liner) show(e *runlog.Entry) error {
	if !l.json {
		return l.write(columns(e))
	}
	data, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.out, "%s\n", data)
	return err
}

func (l *liner) fit(words []string) {
	for i, word := range words {
		l.widths[i] = max(l.widths[i], utf8.RuneCountInString(word))
	}
}

func (l *liner) write(words []string) error {
	l.fit(words)
	var b strings.Builder
	for i, word := range words[:len(words)-1] {
		_, _ = fmt.Fprintf(&b, "%-*s  ", l.widths[i], word)
	}
	_, err := fmt.Fprintln(l.out, b.String()+words[len(words)-1])
	return err
}

// printStats shows how often tools were called and how that went.
func (r *record) printStats(ctx context.Context, q runlog.Query, asJSON bool) error {
	summaries, err := r.summarise(ctx, q)
	switch {
	case err != nil:
		return err
	case asJSON:
		err = printJSON(r.io.out, map[string][]runlog.Summary{"tools": summaries})
	case len(summaries) > 0:
		err = r.counts(summaries)
	}
	return errors.Join(err, r.found(len(summaries), q))
}

func (r *record) counts(summaries []runlog.Summary) error {
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
