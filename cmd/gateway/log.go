package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

func logCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "log",
		Usage: "show the record of calls, oldest first",
		Flags: configFlags(
			jsonFlag(),
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: runlog.DefaultLimit, Usage: "show the newest `N` calls"},
			&cli.StringFlag{Name: "tool", Usage: "only calls of tools whose name matches the `GLOB`"},
			&cli.StringFlag{Name: "code", Usage: "only calls that ended with this `CODE`, such as ok, denied or timeout"},
			&cli.StringFlag{Name: "since", Usage: "only calls of the last `DURATION`, such as 15m or 2d"},
			&cli.StringFlag{Name: "call", Usage: "only the call with this `ID`"},
		),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			q, err := logQuery(cmd)
			if err != nil {
				return err
			}
			return printLog(io, layers(cmd), q, cmd.Bool("json"))
		},
	}
}

func logQuery(cmd *cli.Command) (runlog.Query, error) {
	q := runlog.Query{
		Limit: cmd.Int("limit"), Tool: cmd.String("tool"),
		Code: tool.Code(cmd.String("code")), CallID: cmd.String("call"),
	}
	if q.Limit < 1 || q.Limit > runlog.MaxLimit {
		return q, usagef("--limit is between 1 and %d, not %d", runlog.MaxLimit, q.Limit)
	}
	known := append([]tool.Code{runlog.CodeOK}, tool.Codes()...)
	if q.Code != "" && !slices.Contains(known, q.Code) {
		return q, usagef("no call ends with the code %q (the codes are %s)", q.Code, joinCodes(known))
	}
	if text := cmd.String("since"); text != "" {
		since, err := config.ParseDuration(text)
		if err != nil {
			return q, usagef("--since: %w", err)
		}
		q.Since = time.Now().Add(-since)
	}
	return q, nil
}

func joinCodes(codes []tool.Code) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = string(c)
	}
	return strings.Join(words, ", ")
}

// printLog needs to know where the log is and nothing else of the
// configuration: a file with mistakes is when the log is wanted most.
func printLog(io streams, opts config.Options, q runlog.Query, asJSON bool) error {
	cfg, problems := config.Load(opts)
	if cfg == nil || cfg.Broken("store") {
		return &exitError{exitUsage, problems}
	}
	entries, stats, err := runlog.Read(cfg.Store.Journal(), q)
	if err != nil {
		return err
	}
	if stats.Broken+stats.TooLong > 0 {
		_, _ = fmt.Fprintf(io.err, "%d lines of the journal could not be read and were skipped\n", stats.Broken+stats.TooLong)
	}
	if asJSON {
		return printJSON(io.out, append([]runlog.Entry{}, entries...))
	}
	return printEntries(io, entries)
}

func printEntries(io streams, entries []runlog.Entry) error {
	if len(entries) == 0 {
		_, _ = fmt.Fprintln(io.err, "no such call is in the log")
		return nil
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TIME\tCALL\tTOOL\tCALLER\tENDED\tRULE\tTOOK\tWHY")
	for i := range entries {
		e := &entries[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s/%s\t%s\t%s\t%s\t%s\n",
			e.Time.Format(time.RFC3339), plain(e.CallID), plain(e.Tool), e.Caller.Kind, plain(e.Caller.Name),
			ending(e), plain(cmp.Or(e.Rule, "-")), took(e), cmp.Or(plain(why(e)), "-"))
	}
	return w.Flush()
}

// why is what the caller was told and, behind it, what only the operator may
// know.
func why(e *runlog.Entry) string {
	if e.Cause == "" {
		return e.Error
	}
	return e.Error + " (cause: " + e.Cause + ")"
}

func took(e *runlog.Entry) string {
	if e.Status == runlog.StatusInterrupted || e.Status == runlog.StatusRunning {
		return "-"
	}
	return e.Duration.Round(time.Microsecond).String()
}

// ending is the code of a failed call, else the status.
func ending(e *runlog.Entry) string {
	if e.Code != "" {
		return string(e.Code)
	}
	return string(e.Status)
}

// plain makes text safe to print on a terminal: a model chose some of it, and
// control characters could rewrite the lines before.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
