package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/httpapi"
)

// byCLI is who changes a chat from this program, as servers are told.
const byCLI = "local"

// chatHouse is where chats are looked at and changed: the store, or a server.
type chatHouse interface {
	// list gives the chats that were used last, and whether there are more.
	list(ctx context.Context, f chat.Filter, most int) ([]chat.Owned, bool, error)
	// show says how the groups of a chat stand.
	show(ctx context.Context, key chat.Key) (chatJSON, error)
	// set makes groups the active ones.
	set(ctx context.Context, key chat.Key, groups []string) (chatJSON, error)
	// decline takes a request out.
	decline(ctx context.Context, key chat.Key, group string) (chatJSON, error)
	fileHouse
	// alone is the caller of a chat that names none; empty where there may be several.
	alone() string
	// close gives up what is open.
	close() error
}

// chatJSON is how the groups of a chat stand, what was found in it, and its files.
type chatJSON struct {
	ID       string                 `json:"id"`
	Caller   string                 `json:"caller"`
	Active   []string               `json:"active"`
	Inactive []httpapi.OfferedGroup `json:"inactive"`
	Requests []chat.Request         `json:"requests"`
	// Found are the deferred tools that searches have found in it, in that order.
	Found []string `json:"found,omitempty"`
	// Files are its files, by path.
	Files []chat.File `json:"files,omitempty"`
}

// chatFlags say where chats are, and whose.
func chatFlags(others ...cli.Flag) []cli.Flag {
	return configFlags(append([]cli.Flag{
		jsonFlag(),
		&cli.StringFlag{Name: "server", Usage: "ask the gateway at this `URL` instead of the store; TOOLGATE_TOKEN holds the token of a caller that may activate"},
		&cli.StringFlag{Name: "caller", Usage: "the `NAME` of the caller whose chat it is; needed, where there are tokens, if several have one of the name or none has"},
	}, others...)...)
}

func chatsCommand(io streams) *cli.Command {
	group := func(name, usage, args string, change func(ctx context.Context, h chatHouse, key chat.Key, groups []string) (chatJSON, error)) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: args, Flags: chatFlags(),
			Action: func(ctx context.Context, cmd *cli.Command) error { return changeChat(ctx, io, cmd, change) },
		}
	}
	return &cli.Command{
		Name:   "chats",
		Usage:  "show chats, activate groups of tools in them, and put and get their files",
		Action: noCommand,
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "list chats that hold something, the one used last first",
				Flags: chatFlags(
					&cli.BoolFlag{Name: "asking", Usage: "only those whose model asks for a group"},
					&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 50, Usage: "at most `N` chats, up to 1000"},
				),
				Action: func(ctx context.Context, cmd *cli.Command) error { return listChats(ctx, io, cmd) },
			},
			{
				Name: "show", Usage: "show which groups are active in a chat, which could be, what its model asks for, and its files", ArgsUsage: "CHAT", Flags: chatFlags(),
				Action: func(ctx context.Context, cmd *cli.Command) error {
					if cmd.Args().Len() != 1 {
						return usagef("%s takes one argument, the name of the chat", cmd.FullName())
					}
					return inChatHouse(ctx, io, cmd, false, func(h chatHouse) error { return showChat(ctx, io, cmd, h) })
				},
			},
			group("activate", "activate groups of tools in a chat", "CHAT GROUP...", activateGroups),
			group("deactivate", "deactivate groups of tools in a chat", "CHAT GROUP...", deactivateGroups),
			group("decline", "take requests for groups out without activating them", "CHAT GROUP...", declineGroups),
			chatFilesCommand(io),
		},
	}
}

// inChatHouse opens what the flags name.
func inChatHouse(ctx context.Context, io streams, cmd *cli.Command, writes bool, use func(chatHouse) error) error {
	h, err := openChats(ctx, io, cmd, writes)
	if err != nil {
		return err
	}
	err = use(h)
	if closeErr := h.close(); err == nil {
		err = closeErr
	}
	return err
}

func openChats(ctx context.Context, io streams, cmd *cli.Command, writes bool) (chatHouse, error) {
	if cmd.IsSet("server") {
		return newRemoteChats(cmd.String("server"))
	}
	return openLocalChats(ctx, io, layers(cmd), writes)
}

func listChats(ctx context.Context, io streams, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	most := cmd.Int("limit")
	if most < 1 || most > 1000 {
		return usagef("--limit is between 1 and 1000, not %d", most)
	}
	return inChatHouse(ctx, io, cmd, false, func(h chatHouse) error {
		chats, more, err := h.list(ctx, chat.Filter{Caller: cmd.String("caller"), Asking: cmd.Bool("asking")}, most)
		if err != nil {
			return err
		}
		if more {
			_, _ = fmt.Fprintf(io.err, "there are more; --limit N shows up to 1000\n")
		}
		if cmd.Bool("json") {
			return printJSON(io.out, map[string]any{"chats": append([]chat.Owned{}, chats...), "more": more})
		}
		return tableOfChats(io, chats)
	})
}

func tableOfChats(io streams, chats []chat.Owned) error {
	if len(chats) == 0 {
		_, _ = fmt.Fprintln(io.err, "no such chat holds anything")
		return nil
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CHAT\tCALLER\tUSED\tACTIVE\tASKS FOR")
	for i := range chats {
		c := &chats[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", plain(c.ID), plain(c.Caller), c.Used.Format(time.RFC3339), orDash(c.Groups), orDash(asked(c.Requests)))
	}
	return w.Flush()
}

func asked(requests []chat.Request) []string {
	var groups []string
	for i := range requests {
		groups = append(groups, requests[i].Group)
	}
	return groups
}

func orDash(list []string) string {
	if len(list) == 0 {
		return "-"
	}
	return plain(strings.Join(list, " "))
}

func showChat(ctx context.Context, io streams, cmd *cli.Command, h chatHouse) error {
	key, err := keyOf(ctx, cmd, h)
	if err != nil {
		return err
	}
	c, err := h.show(ctx, key)
	if err != nil {
		return err
	}
	return printChat(io, cmd, &c)
}

func printChat(io streams, cmd *cli.Command, c *chatJSON) error {
	if cmd.Bool("json") {
		return printJSON(io.out, c)
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "chat\t%s\ncaller\t%s\nactive\t%s\n", plain(c.ID), plain(c.Caller), orDash(c.Active))
	for i := range c.Inactive {
		g := &c.Inactive[i]
		_, _ = fmt.Fprintf(w, "inactive\t%s (%s) %s\n", plain(g.Name), count(g.Tools, "tool"), plain(g.Description))
	}
	for i := range c.Requests {
		r := &c.Requests[i]
		_, _ = fmt.Fprintf(w, "asks for\t%s since %s: %s\n", plain(r.Group), r.Made.Format(time.RFC3339), plain(r.Reason))
	}
	if len(c.Found) > 0 {
		_, _ = fmt.Fprintf(w, "found\t%s\n", orDash(c.Found))
	}
	for i := range c.Files {
		f := &c.Files[i]
		_, _ = fmt.Fprintf(w, "file\t%s (%d bytes, %s)\n", plain(f.Path), f.Size, plain(f.Media))
	}
	return w.Flush()
}

// keyOf finds out whose chat is meant.
func keyOf(ctx context.Context, cmd *cli.Command, h chatHouse) (chat.Key, error) {
	key := chat.Key{Caller: cmd.String("caller"), ID: cmd.Args().First()}
	if key.Caller == "" {
		key.Caller = h.alone()
	}
	if key.Caller != "" {
		return key, nil
	}
	chats, _, err := h.list(ctx, chat.Filter{ID: key.ID}, 1000)
	if err != nil {
		return key, err
	}
	var owners []string
	for i := range chats {
		owners = append(owners, chats[i].Caller)
	}
	slices.Sort(owners)
	switch len(owners) {
	case 1:
		key.Caller = owners[0]
		return key, nil
	case 0:
		return key, usagef("no chat named %q holds anything yet, so --caller NAME has to say whose it is", key.ID)
	}
	return key, usagef("several callers have a chat named %q (%s): --caller NAME says which one is meant", key.ID, strings.Join(owners, ", "))
}

func changeChat(ctx context.Context, io streams, cmd *cli.Command, change func(context.Context, chatHouse, chat.Key, []string) (chatJSON, error)) error {
	groups := cmd.Args().Tail()
	if len(groups) == 0 {
		return usagef("%s needs the name of the chat and of a group", cmd.FullName())
	}
	return inChatHouse(ctx, io, cmd, true, func(h chatHouse) error {
		key, err := keyOf(ctx, cmd, h)
		if err != nil {
			return err
		}
		c, err := change(ctx, h, key, groups)
		if err != nil {
			return err
		}
		if !cmd.IsSet("server") {
			_, _ = fmt.Fprintf(io.err, "written to the store; a server that runs on it knows within %v\n", chat.FollowInterval)
		}
		return printChat(io, cmd, &c)
	})
}

func activateGroups(ctx context.Context, h chatHouse, key chat.Key, groups []string) (chatJSON, error) {
	c, err := h.show(ctx, key)
	if err != nil {
		return c, err
	}
	return h.set(ctx, key, slices.Compact(slices.Sorted(slices.Values(append(c.Active, groups...)))))
}

func deactivateGroups(ctx context.Context, h chatHouse, key chat.Key, groups []string) (chatJSON, error) {
	c, err := h.show(ctx, key)
	if err != nil {
		return c, err
	}
	for _, g := range groups {
		if !slices.Contains(c.Active, g) {
			return c, fmt.Errorf("the group %q is not active in this chat (active: %s)", g, orDash(c.Active))
		}
	}
	return h.set(ctx, key, slices.DeleteFunc(c.Active, func(g string) bool { return slices.Contains(groups, g) }))
}

func declineGroups(ctx context.Context, h chatHouse, key chat.Key, groups []string) (c chatJSON, err error) {
	for _, g := range groups {
		if c, err = h.decline(ctx, key, g); err != nil {
			return c, err
		}
	}
	return c, nil
}
