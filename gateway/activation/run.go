package activation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Desk keeps what models ask for. An error is a [*tool.Error].
type Desk interface {
	// Ask notes that the model of a chat wants a group; again says that it had asked
	// before and was not answered.
	Ask(ctx context.Context, caller, chat, group, reason string) (again bool, err error)
	// Activate makes the group active in the chat, for the user of its client said so.
	Activate(ctx context.Context, caller, chat, group string) error
	// Decline takes the request out, if there is one: the user said no.
	Decline(ctx context.Context, caller, chat, group string) error
}

// Runner runs the tool for one call. Desk is nil where nothing is kept of chats.
type Runner struct {
	Desk    Desk
	Offered []Group             // the groups that the caller may have and has not in this chat
	Mask    func(string) string // takes secrets out of what the model wrote
}

// Run asks for the group, of the user of the client where that has a form for it,
// else of whoever answers requests.
func (r *Runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	group, _ := in.Args["group"].(string)
	reason, _ := in.Args["reason"].(string)
	if slices.Contains(in.Call.Chat.Groups, group) {
		return noop(group + " is active in this chat already: call its tools. If they are not in your list, ask for the list again."), nil
	}
	offered := names(r.Offered)
	if !slices.Contains(offered, group) {
		e := tool.Errorf(tool.InvalidArgs, "there is no group of this name to ask for")
		e.InputSchema = in.Spec.Parameters
		if len(offered) == 0 {
			return tool.Output{}, e.WithHint("No group is inactive that you could ask for.")
		}
		return tool.Output{}, e.WithHint("Ask for one of these: %s.", strings.Join(offered, ", "))
	}
	if r.Desk == nil {
		return tool.Output{}, tool.Errorf(tool.Internal, "nothing is kept of chats here, so the user cannot be asked").
			WithHint("Tell the user that you would need the group %s.", group)
	}
	return r.ask(ctx, in.Call, group, r.Mask(reason))
}

func (r *Runner) ask(ctx context.Context, call *tool.Call, group, reason string) (tool.Output, error) {
	if form := tool.ActivationFormOf(ctx); form != nil {
		accepted, err := form(ctx, group, reason)
		switch {
		case ctx.Err() != nil:
			return tool.Output{}, tool.Ended(ctx)
		case err == nil && accepted:
			return tool.TextOutput("The user activated " + group + ": its tools are in your list now."), r.Desk.Activate(ctx, call.Caller.ID, call.Chat.ID, group)
		case err == nil:
			return noop("The user does not want " + group + " to be active in this chat. Go on without its tools, and do not ask for them again."),
				r.Desk.Decline(ctx, call.Caller.ID, call.Chat.ID, group)
		}
	}
	switch again, err := r.Desk.Ask(ctx, call.Caller.ID, call.Chat.ID, group, reason); {
	case err != nil:
		return tool.Output{}, err
	case again:
		return noop("The user was asked to activate " + group + " before, and has not answered. It is not active. Asking again changes nothing: " + goOn), nil
	}
	return tool.TextOutput("The user is asked to activate " + group + ". It is not active yet, and it is not sure that it will be. Do not ask again: " + goOn), nil
}

// goOn tells a model what to do while nobody has answered.
const goOn = "go on without its tools, or end your turn and tell the user what you wait for."

func noop(text string) tool.Output {
	out := tool.TextOutput(text)
	out.Noop = true
	return out
}

// Unplaced runs the tool where it was not looked up in a chat, which is nowhere.
type Unplaced struct{}

// Run fails.
func (Unplaced) Run(context.Context, tool.Input) (tool.Output, error) {
	return tool.Output{}, tool.AsError(errors.New(ToolName + " was run without its chat"))
}
