package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

func logCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "log",
		Usage: "show the record of calls, oldest first",
		Flags: []cli.Flag{
			configFlag(), jsonFlag(),
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: runlog.DefaultLimit, Usage: "show the newest `N` calls"},
			&cli.StringFlag{Name: "tool", Usage: "only calls of tools whose name matches the `GLOB`"},
			&cli.StringFlag{Name: "code", Usage: "only calls that ended with this `CODE`, such as ok, denied or timeout"},
			&cli.DurationFlag{Name: "since", Usage: "only calls of the last `DURATION`, such as 15m"},
			&cli.StringFlag{Name: "call", Usage: "only the call with this `ID`"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			q := runlog.Query{
				Limit: cmd.Int("limit"), Tool: cmd.String("tool"),
				Code: tool.Code(cmd.String("code")), CallID: cmd.String("call"),
			}
			if since := cmd.Duration("since"); since > 0 {
				q.Since = time.Now().Add(-since)
			}
			return printLog(io, cmd.String("config"), q, cmd.Bool("json"))
		},
	}
}

func printLog(io streams, path string, q runlog.Query, asJSON bool) error {
	cfg, a, _, err := load(path, assembly.Declared)
	if err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
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
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	for i := range entries {
		e := &entries[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s/%s\t%s\t%s\t%v\t%s\n",
			e.Time.Format(time.RFC3339), plain(e.CallID), plain(e.Tool), e.Caller.Kind, plain(e.Caller.Name),
			ending(e), plain(cmp.Or(e.Rule, "-")), e.Duration.Round(time.Microsecond), plain(e.Error))
	}
	return w.Flush()
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
