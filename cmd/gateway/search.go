package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

// details are how much a search may tell of a tool.
var details = []string{"names", "summary", "schema"}

func searchCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "search", ArgsUsage: "QUERY",
		Usage: "find tools as a model does with " + find.ToolName,
		Flags: configFlags(
			jsonFlag(), activateFlag(),
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, HideDefault: true, Usage: fmt.Sprintf("at most `N` tools, from 1 to %d; discovery.limit when not given", discovery.MaxLimit)},
			&cli.StringFlag{Name: "detail", Usage: "what is told of each tool: `names`, summary or schema; what the configuration has room for when not given"},
			&cli.BoolFlag{Name: "explain", Usage: "show how each score came about, word by word and field by field"},
			&cli.StringFlag{Name: "namespace", Usage: "only tools of the source `NAME`"},
			&cli.StringSliceFlag{Name: "tag", Usage: "only tools that have the `TAG`; where the flag is repeated, all of them"},
			&cli.StringFlag{Name: "server", Usage: "ask the gateway at this `URL` instead of the configuration; TOOLGATE_TOKEN holds the token"},
			&cli.StringFlag{Name: "chat", Usage: "with --server: search in the `CHAT`, in which what is found is active from then on"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error { return searchTools(ctx, io, cmd) },
	}
}

func searchTools(ctx context.Context, io streams, cmd *cli.Command) error {
	asked, err := newSearch(cmd)
	if err != nil {
		return err
	}
	answer, err := asked.ask(ctx, io, cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		_, err := fmt.Fprintf(io.out, "%s\n", forTerminal(answer))
		return err
	}
	var found foundJSON
	if err := json.Unmarshal(answer, &found); err != nil {
		return errors.New("the answer is that of a gateway of another version")
	}
	found.asked = asked
	return found.print(io, cmd)
}

// searchJSON are the arguments of a search, and over HTTP its chat.
type searchJSON struct {
	Query     string   `json:"query"`
	Limit     int      `json:"limit,omitempty"`
	Detail    string   `json:"detail,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Explain   bool     `json:"explain,omitempty"`
	Chat      string   `json:"chat,omitempty"`
}

func newSearch(cmd *cli.Command) (*searchJSON, error) {
	s := &searchJSON{
		Query: strings.Join(cmd.Args().Slice(), " "), Limit: cmd.Int("limit"), Detail: cmd.String("detail"),
		Namespace: cmd.String("namespace"), Tags: cmd.StringSlice("tag"), Explain: cmd.Bool("explain"), Chat: cmd.String("chat"),
	}
	switch {
	case strings.TrimSpace(s.Query) == "":
		return nil, usagef("%s needs what to search for", cmd.FullName())
	case cmd.IsSet("limit") && (s.Limit < 1 || s.Limit > discovery.MaxLimit):
		return nil, usagef("--limit is between 1 and %d, not %d", discovery.MaxLimit, s.Limit)
	case cmd.IsSet("detail") && !slices.Contains(details, s.Detail):
		return nil, usagef("--detail is names, summary or schema, not %q%s", s.Detail, hinted(diag.DidYouMean(s.Detail, details)))
	case slices.ContainsFunc(s.Tags, blank):
		return nil, usagef("--tag is empty: name a tag, or leave the flag out")
	case cmd.IsSet("chat") && !cmd.IsSet("server"):
		return nil, usagef("--chat names a chat of a gateway that runs: name that with --server URL; --activate GROUP searches as in a chat in which a group is active")
	case cmd.IsSet("activate") && cmd.IsSet("server"):
		return nil, usagef("--activate is for a search without --server; what is active there is what its chat holds (see gateway chats activate)")
	}
	return s, nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// ask makes the search where the flags say. The answer is what a model reads.
func (s *searchJSON) ask(ctx context.Context, io streams, cmd *cli.Command) (json.RawMessage, error) {
	if cmd.IsSet("server") {
		return s.remote(ctx, cmd.String("server"))
	}
	return s.local(ctx, io, cmd)
}

func (s *searchJSON) remote(ctx context.Context, address string) (answer json.RawMessage, err error) {
	r, err := newRemote(address)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	err = r.ask(ctx, http.MethodPost, s, nil, &answer, "v1", "discover")
	if refused, ok := errors.AsType[*remoteRefusal](err); ok {
		err = refusedSearch(r, refused)
	}
	return bytes.TrimSpace(answer), err
}

// refusedSearch says why a gateway makes no search. What it answers where it has no tool
// for searches, or not for this caller, is for models.
func refusedSearch(r *remote, refused *remoteRefusal) error {
	switch {
	case refused.kind == string(tool.NotFound), refused.kind == string(tool.Denied):
		return &exitError{exitRefused, fmt.Errorf("%s does not let this caller search: %s is not admitted there or a rule denies it (allow it in admit or policy there, or give the token of another caller in %s)", r.address(), find.ToolName, config.EnvToken)}
	case refused.status == http.StatusForbidden:
		return &exitError{exitRefused, refused}
	}
	return refused
}

// local makes the search in this process: a call through the gate like any other.
func (s *searchJSON) local(ctx context.Context, io streams, cmd *cli.Command) (answer json.RawMessage, err error) {
	args, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	h, err := openFor(layers(cmd), assembly.Options{Only: find.ToolName}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, h.Close())
		host.Tidy(&h.Config.Store)
	}()
	made := h.Version.Assembly
	tellAbsent(io.err, made)
	if err := activated(cmd.StringSlice("activate"), made.Generation); err != nil {
		return nil, err
	}
	if h.Tools.Registered == 0 {
		return nil, errors.New("there are no tools to search")
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	result := h.Gateway.Call(ctx, tool.Call{Tool: find.ToolName, Arguments: args, Caller: cliCaller(), Chat: tool.Chat{Groups: cmd.StringSlice("activate")}})
	if code := exitCode(&result); code != 0 && !cmd.Bool("json") && (result.Error.Code == tool.NotFound || result.Error.Code == tool.Denied) {
		return nil, &exitError{exitRefused, unsearchable(made.Generation, &result)}
	} else if code != 0 {
		return nil, errors.Join(printResult(io, &result, cmd.Bool("json")), &exitError{code: code})
	}
	return withSpared(&result.Output), nil
}

// unsearchable says to a person why models cannot search here, and what can be done.
func unsearchable(g *gateway.Generation, r *tool.Result) error {
	if _, admitted := g.Tools.Lookup(find.ToolName); !admitted {
		return fmt.Errorf("%s is not admitted, so nobody searches for tools (take it out of admit.deny; gateway tools list --deferred shows what could be found)", find.ToolName)
	}
	why := "the policy denies it"
	if r.Error.Cause != nil {
		why = plain(r.Error.Cause.Error())
	}
	return fmt.Errorf("%s may not be called from here: %s (allow it to the caller %s in policy.rules, or search at a server as somebody who may: --server)", find.ToolName, why, cliCaller().Name)
}

// withSpared is the answer to a search as it is over HTTP: the one that models read,
// and behind it about how many tokens of schemas it spared.
func withSpared(out *tool.Output) json.RawMessage {
	spared := 0
	if out.Search != nil {
		spared = out.Search.Spared
	}
	object := bytes.TrimSuffix(bytes.TrimSpace(out.Object()), []byte("}"))
	return fmt.Appendf(slices.Clip(object), `,"spared_schema_tokens":%d}`, spared)
}
