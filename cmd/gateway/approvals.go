package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/config"
)

const (
	// maxListed is the most approvals that are listed: as many as the HTTP API gives.
	maxListed = 200
	// approvalPrefix begins the id of every approval, and may be left out.
	approvalPrefix = "apr_"
	idLength       = 26 // characters behind it
)

// counter is where approvals are seen and answered: at a gateway that runs, or in
// its store.
type counter interface {
	// list gives the approvals of a query, the newest first.
	list(ctx context.Context, q approval.Query) ([]approval.Shown, error)
	// get gives one by its whole id.
	get(ctx context.Context, id string) (approval.Shown, error)
	// answer takes an answer. The error is an [*approval.Refusal] where it is not
	// taken.
	answer(ctx context.Context, id string, r reply) (approval.Shown, error)
	// webhook reports whether one is told of an approval, as far as that is known here.
	webhook(a *approval.Shown) bool
	close() error
}

// reply is what whoever runs this program says of a call.
type reply struct {
	approve  bool
	note     string
	remember approval.Scope
}

func approvalsCommand(io streams) *cli.Command {
	list := func(ctx context.Context, cmd *cli.Command) error {
		if err := noCommandAmong(cmd); err != nil {
			return err
		}
		q, err := listQuery(cmd)
		if err != nil {
			return err
		}
		return atCounter(ctx, io, cmd, false, func(ctx context.Context, c counter) error {
			if cmd.Bool("watch") {
				return watchApprovals(ctx, io, c, q, cmd.Bool("json"))
			}
			return listApprovals(ctx, io, cmd, c, q)
		})
	}
	return &cli.Command{
		Name:   "approvals",
		Usage:  "see and answer calls that wait for a person: in the store of the configuration, or with --server at a gateway that runs",
		Flags:  configFlags(append(listFlags(), jsonFlag(), serverFlag())...),
		Action: list,
		Commands: []*cli.Command{
			{Name: "list", Usage: "list calls that wait, the newest first", Flags: listFlags(), Action: list},
			{
				Name: "show", ArgsUsage: "ID", Usage: "show one with all that is asked; the beginning of an id is enough where only one begins so",
				Action: func(ctx context.Context, cmd *cli.Command) error {
					return withApproval(ctx, io, cmd, false, func(_ context.Context, c counter, a *approval.Shown) error {
						if cmd.Bool("json") {
							return printJSON(io.out, a)
						}
						return printApproval(io.out, cmd, a, c.webhook(a))
					})
				},
			},
			answerCommand(io, "approve", "let a call run, once", "a `TEXT` for the record; the caller is not told it", &cli.StringFlag{
				Name: "remember", Usage: "let later calls run too for 24 hours, where the rule offers that: those with the same arguments (`SCOPE` same_args), or those in the same chat (chat)",
			}),
			answerCommand(io, "deny", "refuse a call, or take back an approval that was not used, or what is remembered of one", "a `TEXT` that the caller is told, and that is in the record"),
		},
	}
}

func answerCommand(io streams, name, usage, note string, more ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: "ID", Usage: usage,
		Flags: append(more, &cli.StringFlag{Name: "note", Usage: note}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			r := reply{approve: name == "approve", note: cmd.String("note")}
			if r.approve {
				r.remember = approval.Scope(cmd.String("remember"))
			}
			return withApproval(ctx, io, cmd, true, func(ctx context.Context, c counter, a *approval.Shown) error {
				now, err := c.answer(ctx, a.ID, r)
				if err != nil {
					return err
				}
				if cmd.Bool("json") {
					return printJSON(io.out, &now)
				}
				return printAnswer(io, cmd, &now)
			})
		},
	}
}

func serverFlag() cli.Flag {
	return &cli.StringFlag{Name: "server", Usage: "ask the gateway at this `URL`, such as http://127.0.0.1:8080, with the token in " + config.EnvToken}
}

func listFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "state", Local: true, Value: string(approval.Pending), Usage: "list those that stand so: `STATE` is pending, approved, used, denied, expired, ended or all"},
		&cli.StringFlag{Name: "caller", Local: true, Usage: "list calls of the caller with this `ID`"},
		&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Local: true, Value: approval.DefaultLimit, Usage: "list the newest `N`"},
		&cli.BoolFlag{Name: "watch", Aliases: []string{"w"}, Local: true, Usage: "go on with those that come, one a line, until interrupted"},
	}
}

// noCommandAmong refuses words that are no command of this one.
func noCommandAmong(cmd *cli.Command) error {
	if cmd.Args().Present() && cmd.Name == "approvals" {
		return noCommand(context.Background(), cmd)
	}
	return noArguments(cmd)
}

func listQuery(cmd *cli.Command) (approval.Query, error) {
	q := approval.Query{State: approval.State(cmd.String("state")), Caller: cmd.String("caller"), Limit: cmd.Int("limit")}
	if q.Limit < 1 || q.Limit > maxListed {
		return q, usagef("--limit is between 1 and %d, not %d", maxListed, q.Limit)
	}
	switch known := append(approval.States(), "all"); {
	case !slices.Contains(known, q.State):
		return q, usagef("no approval stands as %q (--state is one of %s)", q.State, join(known))
	case cmd.Bool("watch") && q.State != approval.Pending:
		return q, usagef("--watch is about calls that wait: leave out --state")
	case q.State == "all":
		q.State = ""
	}
	return q, nil
}

// atCounter opens the place where approvals are, to answer them or to look only.
func atCounter(ctx context.Context, io streams, cmd *cli.Command, answers bool, do func(context.Context, counter) error) error {
	var c counter
	var err error
	if cmd.IsSet("server") {
		if cmd.IsSet("config") || cmd.IsSet("set") {
			return usagef("--server asks a gateway that runs, which has its configuration: leave out --config and --set")
		}
		c, err = newRemoteApprovals(cmd.String("server"))
	} else {
		c, err = openLocal(ctx, io, layers(cmd), answers)
	}
	if err != nil {
		return err
	}
	return errors.Join(worded(do(ctx, c)), c.close())
}

// worded is the failure of this program for an answer that was not taken.
func worded(err error) error {
	no, ok := errors.AsType[*approval.Refusal](err)
	if !ok {
		return err
	}
	text := plain(no.Message)
	if no.Hint != "" {
		text += " (" + plain(strings.TrimSuffix(no.Hint, ".")) + ")"
	}
	code := exitFailed
	if no.Kind == approval.Forbidden {
		code = exitRefused
	}
	return &exitError{code, errors.New(text)}
}

// withApproval does something with the approval that the one argument names.
func withApproval(ctx context.Context, io streams, cmd *cli.Command, answers bool, do func(context.Context, counter, *approval.Shown) error) error {
	if cmd.Args().Len() != 1 {
		return usagef("%s takes one argument, the id of an approval or its beginning (see gateway approvals)", cmd.FullName())
	}
	id, err := wholeID(cmd.Args().First())
	if err != nil {
		return err
	}
	return atCounter(ctx, io, cmd, answers, func(ctx context.Context, c counter) error {
		a, err := findApproval(ctx, c, id)
		if err != nil {
			return err
		}
		return do(ctx, c, &a)
	})
}

// wholeID is an id, or its beginning, as the store has it.
func wholeID(text string) (string, error) {
	digits := strings.TrimPrefix(text, approvalPrefix)
	odd := func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'v') }
	if digits == "" || len(digits) > idLength || strings.ContainsFunc(digits, odd) {
		return "", usagef("%q is no id of an approval, nor the beginning of one (see gateway approvals)", plain(text))
	}
	return approvalPrefix + digits, nil
}

// findApproval finds the one approval whose id begins so. Those that wait go before
// others: who names one by its beginning has read a list of these.
func findApproval(ctx context.Context, c counter, id string) (approval.Shown, error) {
	if len(id) == len(approvalPrefix)+idLength {
		return c.get(ctx, id)
	}
	const some = 5
	for _, state := range []approval.State{approval.Pending, ""} {
		found, err := c.list(ctx, approval.Query{State: state, Prefix: id, Limit: some})
		switch {
		case err != nil:
			return approval.Shown{}, err
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return approval.Shown{}, ambiguous(id, found)
		}
	}
	return approval.Shown{}, approval.Refuse(approval.Unknown, "see gateway approvals --state all", "the id of no approval begins with %s", id)
}

func ambiguous(id string, found []approval.Shown) error {
	names := make([]string, len(found))
	for i := range found {
		names[i] = plain(found[i].ID)
	}
	return usagef("several ids begin with %s, so give more of it: %s", id, strings.Join(names, ", "))
}

// printAnswer tells of an answer that was taken.
func printAnswer(io streams, cmd *cli.Command, a *approval.Shown) error {
	if _, err := fmt.Fprintf(io.out, "%s %s: %s\n", plain(string(a.State)), plain(a.ID), plain(a.Summary)); err != nil {
		return err
	}
	if a.State == approval.Used {
		_, _ = fmt.Fprintln(io.err, "nothing is remembered of it any more: calls like it are asked about again")
	}
	if a.State == approval.Approved {
		_, _ = fmt.Fprintf(io.err, "it runs once: at once where the caller still waits, else when it makes the same call again before %s\n", a.Expires.Local().Format(clock))
		if a.Answer != nil && a.Answer.Remember != "" {
			_, _ = fmt.Fprintf(io.err, "%s; %s takes that back\n", reach(a), nextCommand(cmd, "deny "+plain(a.ID)))
		}
	}
	return nil
}
