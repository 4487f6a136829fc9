package main

import (
	"cmp"
	"context"
	"errors"
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

// logFlags say which calls are meant. They count for the command log and those below
// it, before its name and behind it.
func logFlags(others ...cli.Flag) []cli.Flag {
	return configFlags(append([]cli.Flag{
		jsonFlag(),
		&cli.StringFlag{Name: "tool", Usage: "only calls of tools whose name matches the `GLOB`"},
		&cli.StringFlag{Name: "code", Usage: "only calls that ended with this `CODE`, such as ok, denied or timeout"},
		&cli.StringFlag{Name: "status", Usage: "only calls that stand so: `STATUS` is ok, error, running or interrupted (by a crash or by a stop)"},
		&cli.StringFlag{Name: "since", Usage: "only calls of the last `DURATION`, such as 15m or 2d"},
		&cli.StringFlag{Name: "call", Usage: "only the call with this `ID`"},
		&cli.StringFlag{Name: "caller", Usage: "only calls of callers whose name matches the `GLOB`, or whose kind and name do, as in http/ann*"},
		&cli.StringFlag{Name: "chat", Usage: "only calls of the chat with this `ID`"},
		&cli.StringFlag{Name: "decision", Usage: "only calls of which policy said so: `WORD` is allow, deny or ask"},
		&cli.StringFlag{Name: "rule", Usage: "only calls that the policy rule of this `NAME` decided"},
	}, others...)...)
}

func logCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:  "log",
		Usage: "show the record of calls, oldest first",
		Flags: logFlags(
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Local: true, Value: runlog.DefaultLimit, Usage: "show the newest `N` calls"},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Local: true, Usage: "go on with calls as they end"},
			&cli.BoolFlag{Name: "starts", Local: true, Usage: "with --follow, also calls that begin to run, as far as that is recorded"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return reading(ctx, io, cmd, func(ctx context.Context, r *record, q runlog.Query) error {
				switch {
				case cmd.Bool("follow"):
					return r.follow(ctx, q, cmd.Bool("starts"), cmd.Bool("json"))
				case cmd.Bool("starts"):
					return usagef("--starts goes with --follow; --status running shows what runs now")
				}
				return r.print(ctx, q, cmd.Bool("json"))
			})
		},
		Commands: []*cli.Command{{
			Name: "stats", Usage: "count calls by tool: how many, how they ended, how long they took",
			Action: func(ctx context.Context, cmd *cli.Command) error {
				if err := lacking(cmd, "limit", "follow", "starts"); err != nil {
					return err
				}
				return reading(ctx, io, cmd, func(ctx context.Context, r *record, q runlog.Query) error {
					return r.printStats(ctx, q, cmd.Bool("json"))
				})
			},
		}},
	}
}

// lacking refuses flags of the command above that this one would ignore.
func lacking(cmd *cli.Command, flags ...string) error {
	for _, name := range flags {
		if cmd.IsSet(name) {
			return usagef("%s knows no --%s", cmd.FullName(), name)
		}
	}
	return nil
}

// reading opens the record for a command that asks it something.
func reading(ctx context.Context, io streams, cmd *cli.Command, ask func(context.Context, *record, runlog.Query) error) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	q, err := logQuery(cmd)
	if err != nil {
		return err
	}
	r, err := openRecord(ctx, io, layers(cmd))
	if err != nil {
		return err
	}
	return errors.Join(ask(ctx, r, q), r.close())
}

func logQuery(cmd *cli.Command) (runlog.Query, error) {
	q := runlog.Query{
		Tool: cmd.String("tool"), Code: tool.Code(cmd.String("code")), Status: runlog.Status(cmd.String("status")),
		CallID: cmd.String("call"), Caller: cmd.String("caller"), Chat: cmd.String("chat"),
		Decision: cmd.String("decision"), Rule: cmd.String("rule"), Limit: cmd.Int("limit"),
	}
	if cmd.Name == "log" && (q.Limit < 1 || q.Limit > runlog.MaxLimit) {
		return q, usagef("--limit is between 1 and %d, not %d", runlog.MaxLimit, q.Limit)
	}
	known := append([]tool.Code{runlog.CodeOK}, tool.Codes()...)
	if q.Code != "" && !slices.Contains(known, q.Code) {
		return q, usagef("no call ends with the code %q (the codes are %s)", q.Code, join(known))
	}
	if q.Status != "" && !slices.Contains(runlog.Statuses(), q.Status) {
		return q, usagef("no call stands as %q (--status is one of %s)", q.Status, join(runlog.Statuses()))
	}
	if decisions := runlog.Decisions(); q.Decision != "" && !slices.Contains(decisions, q.Decision) {
		return q, usagef("policy never says %q (--decision is one of %s)", q.Decision, join(decisions))
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

func join[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}

// print shows calls, oldest first.
func (r *record) print(ctx context.Context, q runlog.Query, asJSON bool) error {
	entries, err := r.find(ctx, q)
	switch {
	case err != nil:
		return err
	case asJSON:
		err = printJSON(r.io.out, map[string][]runlog.Entry{"calls": append([]runlog.Entry{}, entries...)})
	case len(entries) > 0:
		err = r.table(entries)
	}
	return errors.Join(err, r.found(len(entries), q))
}

// found tells of a question that found nothing, which is a failure where one call
// was asked for.
func (r *record) found(n int, q runlog.Query) error {
	if n > 0 {
		return nil
	}
	text := "no such call is in the log"
	if r.unbegun != "" {
		text = r.unbegun
	}
	_, _ = fmt.Fprintln(r.io.err, text)
	if q.CallID != "" {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// headings stand over what columns gives.
func headings() []string {
	return []string{"TIME", "CALL", "TOOL", "CALLER", "ENDED", "RULE", "TOOK", "WHY"}
}

func (r *record) table(entries []runlog.Entry) error {
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(headings(), "\t"))
	for i := range entries {
		_, _ = fmt.Fprintln(w, strings.Join(columns(&entries[i]), "\t"))
	}
	return w.Flush()
}

// columns are what a line shows of a call.
func columns(e *runlog.Entry) []string {
	return []string{
		e.Time.Format(time.RFC3339), plain(e.CallID), plain(e.Tool), plain(string(e.Caller.Kind) + "/" + e.Caller.Name),
		plain(ending(e)), plain(cmp.Or(e.Rule, "-")), took(e), cmp.Or(plain(why(e)), "-"),
	}
}

// why is what a person said of the call, what the caller was told and, behind it,
// what only the operator may know.
func why(e *runlog.Entry) string {
	said := approvalSaid(e.Approval)
	rest := failure(e)
	if said != "" && rest != "" {
		said += "; "
	}
	return said + rest
}

// approvalSaid is who answered the call's approval, what and from where.
func approvalSaid(a *runlog.Approval) string {
	switch {
	case a == nil, a.Answer == "": // what the caller was told names the approval
		return ""
	case a.By == "":
		return a.Answer + ": " + a.ID
	}
	text := a.Answer + " by " + a.By
	if a.From != "" {
		text += " (" + a.From + ")"
	}
	if a.Remembered != "" {
		text += ", remembered for " + a.Remembered
	}
	if a.Note != "" {
		text += `: "` + a.Note + `"`
	}
	return text
}

func failure(e *runlog.Entry) string {
	switch {
	case e.Status == runlog.StatusInterrupted && e.Error == "":
		return "its process ended while it ran: it may have had an effect"
	case e.Cause == "":
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

// plainLines is plain for a text of several lines, which stay lines.
func plainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return strings.Join(lines, "\n")
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
