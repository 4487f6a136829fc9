package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/approval"
)

const (
	// shortID is how many characters of an id a list shows: no two alike are to be
	// expected.
	shortID = 8
	// maxSummaryShown, maxChatShown, maxValueShown and maxMembersShown are how much a
	// person is shown: characters of a summary and of a chat's name in a list, of one
	// argument, and arguments.
	maxSummaryShown = 100
	maxChatShown    = 16
	maxValueShown   = 300
	maxMembersShown = 100
	// watchEvery is how often it is looked whether further calls wait.
	watchEvery = time.Second

	clock = "2006-01-02 15:04:05"
)

// listApprovals lists approvals, the newest first.
func listApprovals(ctx context.Context, io streams, cmd *cli.Command, c counter, q approval.Query) error {
	found, err := c.list(ctx, q)
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return printJSON(io.out, map[string][]approval.Shown{"approvals": append([]approval.Shown{}, found...)})
	case len(found) == 0 && q.State == approval.Pending:
		_, err = fmt.Fprintln(io.err, "no call waits for a person")
		return err
	case len(found) == 0:
		_, err = fmt.Fprintln(io.err, "there is no such approval")
		return err
	}
	w, now := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0), time.Now()
	_, _ = fmt.Fprintln(w, strings.Join(approvalHeadings(), "\t"))
	for i := range found {
		_, _ = fmt.Fprintln(w, strings.Join(approvalColumns(&found[i], now), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(found) == q.Limit {
		_, _ = fmt.Fprintf(io.err, "these are the newest %d; --limit N and --caller ID show others\n", q.Limit)
	}
	if q.State == approval.Pending {
		_, _ = fmt.Fprintln(io.err, nextCommand(cmd, "show|approve|deny ID"))
	}
	if slices.ContainsFunc(found, func(a approval.Shown) bool { return a.State == approval.Pending && a.ApproveBy == approval.Client }) {
		_, _ = fmt.Fprintln(io.err, "client: "+onlyClient)
	}
	return nil
}

func approvalHeadings() []string {
	return []string{"ID", "STATE", "AGE", "EXPIRES", "ANSWERS", "TOOL", "CALLER", "CHAT", "SUMMARY"}
}

func approvalColumns(a *approval.Shown, now time.Time) []string {
	expires := "-"
	if a.State == approval.Pending || a.State == approval.Approved {
		expires = "in " + span(a.Expires.Sub(now))
	}
	id := strings.TrimPrefix(plain(a.ID), approvalPrefix)
	return []string{
		id[:min(shortID, len(id))], plain(string(a.State)), span(now.Sub(a.Created)), expires, plain(string(a.ApproveBy)),
		plain(a.Tool), plain(string(a.Caller.Kind) + "/" + a.Caller.Name), cmp.Or(cut(plain(a.Chat), maxChatShown), "-"), cut(plain(a.Summary), maxSummaryShown),
	}
}

// span is a duration as a person reads it.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < day:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d/day), int(d.Hours())%24)
}

// cut is a text with at most so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// printApproval shows one approval to a person.
func printApproval(out io.Writer, cmd *cli.Command, a *approval.Shown, webhook bool) error {
	w, now := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), time.Now()
	line := func(name, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", name, plain(text))
		}
	}
	line("approval", a.ID)
	line("state", standing(a, now))
	line("tool", a.Tool)
	line("sends", a.Origin)
	line("summary", a.Summary)
	line("rule", cmp.Or(a.Rule, "none: the policy's default asks"))
	line("reason", a.Reason)
	line("the model says", a.CallReason)
	line("caller", callerLine(a))
	line("chat", a.Chat)
	line("asked", fmt.Sprintf("%s ago, by the call %s", span(now.Sub(a.Created)), a.CallID))
	line("answered by", answeredBy(a.ApproveBy))
	line("may be remembered", join(a.Remember))
	line("webhook", webhookLine(a, webhook))
	line("answer", answerLine(a.Answer))
	line("run by", a.UsedBy)
	if err := errors.Join(w.Flush(), printArguments(out, a.Arguments)); err != nil || a.State != approval.Pending {
		return err
	}
	if a.ApproveBy == approval.Client {
		return nil // no command answers it
	}
	_, err := fmt.Fprintf(out, "\n%s\n%s\n", nextCommand(cmd, "approve "+plain(a.ID)), nextCommand(cmd, "deny "+plain(a.ID)))
	return err
}

func standing(a *approval.Shown, now time.Time) string {
	switch a.State {
	case approval.Pending, approval.Approved:
		return fmt.Sprintf("%s, expires in %s (%s)", a.State, span(a.Expires.Sub(now)), a.Expires.Local().Format(clock))
	case approval.Ended, approval.Used:
		if a.Ending == "" {
			break
		}
		return fmt.Sprintf("%s: %s", a.State, a.Ending)
	case approval.Expired:
		return fmt.Sprintf("%s at %s", a.State, a.Expires.Local().Format(clock))
	}
	return string(a.State)
}

func callerLine(a *approval.Shown) string {
	text := string(a.Caller.Kind) + "/" + a.Caller.Name
	if a.Caller.ID != a.Caller.Name {
		text += " (id " + a.Caller.ID + ")"
	}
	return text + ", via " + string(a.Via)
}

func answerLine(s *approval.Answer) string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("by %s from %s at %s", s.By, s.From, s.Time.Local().Format(clock))
	if s.Remember != "" {
		text += ", remembered for " + string(s.Remember)
	}
	if s.Note != "" {
		text += ": " + s.Note
	}
	return text
}

// printArguments shows arguments one a line, in the order of their names.
func printArguments(out io.Writer, raw json.RawMessage) error {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil {
		_, err := fmt.Fprintf(out, "arguments  %s\n", shortened(raw))
		return err
	}
	if len(args) == 0 {
		_, err := fmt.Fprintln(out, "arguments  none")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "arguments")
	names := slices.Sorted(maps.Keys(args))
	for _, name := range names[:min(len(names), maxMembersShown)] {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", cut(plain(name), maxSummaryShown), shortened(args[name]))
	}
	if more := len(names) - maxMembersShown; more > 0 {
		_, _ = fmt.Fprintf(w, "  … (%d more arguments; --json shows all)\n", more)
	}
	return w.Flush()
}

// shortened is a value as JSON on one line, and says how much of it is missing.
func shortened(raw json.RawMessage) string {
	text := plain(readable(raw))
	n := utf8.RuneCountInString(text)
	if n <= maxValueShown {
		return text
	}
	return fmt.Sprintf("%s (%d more characters; --json shows all)", cut(text, maxValueShown), n-maxValueShown)
}

// readable is a value as JSON without escapes that only browsers need.
func readable(raw json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// watchApprovals lists calls that wait, the oldest first, and then others as they
// come, until it is interrupted or nobody reads on.
func watchApprovals(ctx context.Context, io streams, c counter, q approval.Query, asJSON bool) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	w := approvalWatch{lines: liner{out: io.out, json: asJSON, widths: make([]int, len(approvalHeadings()))}}
	found, err := c.list(ctx, q)
	if err == nil {
		err = w.begin(found)
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		found, failed := c.list(ctx, q)
		switch {
		case failed == nil:
			w.failing, err = false, w.show(found)
		case ctx.Err() == nil && !w.failing: // it may come back
			w.failing = true
			_, _ = fmt.Fprintf(io.err, "gateway: %v; trying on\n", worded(failed))
		}
	}
	return err
}

// approvalWatch knows which approvals were shown.
type approvalWatch struct {
	lines   liner
	seen    map[string]bool // that wait still
	failing bool
	headed  bool // the headings are written
}

func (w *approvalWatch) begin(found []approval.Shown) error {
	if w.lines.json {
		return w.show(found)
	}
	for i := range found {
		w.lines.fit(approvalColumns(&found[i], time.Now()))
	}
	return w.show(found)
}

// show shows those that were not shown yet.
func (w *approvalWatch) show(found []approval.Shown) error {
	before := w.seen
	w.seen = make(map[string]bool, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		a := &found[i]
		if w.seen[a.ID] = true; before[a.ID] {
			continue
		}
		if err := w.one(a); err != nil {
			return err
		}
	}
	return nil
}

func (w *approvalWatch) one(a *approval.Shown) error {
	if !w.lines.json {
		return w.line(approvalColumns(a, time.Now()))
	}
	enc := json.NewEncoder(w.lines.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(a)
}

// line writes a line, and the headings before the first one, which says how wide they
// are where nothing waited at the beginning.
func (w *approvalWatch) line(words []string) error {
	if !w.headed {
		w.lines.fit(words)
		if err := w.lines.write(approvalHeadings()); err != nil {
			return err
		}
		w.headed = true
	}
	return w.lines.write(words)
}
