package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/retry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// longest is how long one test may take, whatever the timeout of its tool.
const longest = 30 * time.Second

// The kinds of tests.
const (
	KindTool = "tool"
	KindHook = "hook"
)

// Test is one test that can be run.
type Test struct {
	Kind  string // KindTool or KindHook
	Tool  string // that it is about
	Name  string
	Place diag.Place
	run   func(ctx context.Context) []Difference
}

// Run runs the test. Without a difference it has passed.
func (t *Test) Run(ctx context.Context) (differences []Difference) {
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			differences = []Difference{{"run", "", fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}}
		}
	}()
	return t.run(ctx)
}

// request is the call of a test, before its arguments are read.
func request(spec *tool.Spec, caller *policy.CallerConfig, chat *policy.ChatConfig, via string) *policy.Request {
	req := &policy.Request{Tool: spec, Caller: caller.Caller(), Chat: chat.Chat(), Via: tool.Via(via)}
	if via == "" {
		req.Via = tool.ViaDirect
	}
	return req
}

// callID is the ID of the call of every test, so that what is asked with it is the same
// each time.
const callID = "call_test"

// unfit is what a model is told of arguments that do not fit the schema.
func unfit(err error) error {
	if problems, ok := errors.AsType[*schema.Error](err); ok {
		return tool.Errorf(tool.InvalidArgs, "%s", problems.Error())
	}
	return err
}

// toolTest is one test of a tool.
type toolTest struct {
	subject  *Subject
	config   ToolConfig
	script   []exchange
	expected expected
}

func (t *toolTest) run(ctx context.Context) []Difference {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &script{dir: t.subject.Dir, stop: stop, exchanges: t.script}
	o := &outcome{}
	o.output, o.err = t.call(context.WithValue(ctx, scriptKey{}, s))
	differences, stray := s.end()
	if stray {
		return differences
	}
	return append(differences, t.expected.compare(o)...)
}

// call takes the arguments the way of a real call, and runs the tool as often as one
// is run.
func (t *toolTest) call(ctx context.Context) (tool.Output, error) {
	spec := t.subject.Entry.Spec
	req := request(spec, t.config.Caller, t.config.Chat, "")
	if err := t.subject.Prepare(req, t.config.Args); err != nil {
		return tool.Output{}, unfit(err)
	}
	call := &tool.Call{ID: callID, Tool: spec.Name, Caller: req.Caller, Chat: req.Chat, Via: req.Via}
	for again := 0; ; again++ {
		out, err := t.subject.Entry.Runner.Run(ctx, tool.Input{Args: req.Args, Call: call, Spec: spec})
		if err == nil || again >= spec.Retries || !retry.Worth(ctx, err) {
			return out, err
		}
	}
}

// hookTest is one test of the hooks around a tool.
type hookTest struct {
	subject  *Subject
	config   HookConfig
	script   map[string]exchange
	given    *outcome // nil where nothing is given
	expected expected
}

func (t *hookTest) run(ctx context.Context) []Difference {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &script{stop: stop, webhooks: t.script, asked: map[string]bool{}}
	req := request(t.subject.Entry.Spec, t.config.Caller, t.config.Chat, t.config.Via)
	args, o := t.call(context.WithValue(ctx, scriptKey{}, s), req)
	differences, stray := s.end()
	if stray {
		return differences
	}
	for _, name := range slices.Sorted(maps.Keys(t.script)) {
		if !s.asked[name] {
			differences = append(differences, Difference{"webhooks." + name, "the hook asks", "(it asked nothing)"})
		}
	}
	return append(differences, t.compare(args, o)...)
}

// call goes through the hooks. args are those that the tool would be given; nil where
// the call does not get so far.
func (t *hookTest) call(ctx context.Context, req *policy.Request) (args map[string]any, o *outcome) {
	if err := t.subject.Prepare(req, t.config.Args); err != nil {
		return nil, &outcome{err: unfit(err)}
	}
	call := &hook.Call{ID: callID, Request: *req}
	if err := t.subject.Plan.Before(ctx, call); err != nil {
		return nil, &outcome{err: err}
	}
	args = call.Request.Args
	if t.given == nil {
		return args, nil
	}
	var failed *tool.Error
	if t.given.err != nil {
		failed, _ = errors.AsType[*tool.Error](t.given.err)
	}
	out, err := t.subject.Plan.After(ctx, call, t.given.output, failed)
	return args, &outcome{out, err}
}

// compare says how the hooks did otherwise. o is nil where they let the call pass and
// nothing is given.
func (t *hookTest) compare(args map[string]any, o *outcome) (out []Difference) {
	want := t.config.Expect
	if want.Refuse != "" {
		return refusal(want.Refuse, args, o)
	}
	if want.Args != nil {
		v, _ := decode(want.Args)
		if args == nil {
			return []Difference{{"args", pretty(v), o.String()}}
		}
		out = values("args", v, plain(args))
	}
	if o == nil {
		if t.expected.failure != nil {
			out = append(out, Difference{"error", t.expected.failure.String(), "the call is let through with " + pretty(args)})
		}
		return out
	}
	if w := t.expected; w.failure == nil && w.result == nil && w.content == nil {
		if o.err != nil && args == nil {
			return []Difference{{"args", "the call is let through", o.String()}}
		}
		return out
	}
	return append(out, t.expected.compare(o)...)
}

// refusal compares a refusal with what is refused with.
func refusal(want string, args map[string]any, o *outcome) []Difference {
	switch {
	case o == nil:
		return []Difference{{"refuse", want, "the call is let through with " + pretty(plain(args))}}
	case o.err == nil:
		return []Difference{{"refuse", want, "the result is let through: " + o.String()}}
	}
	if e := tool.AsError(o.err); e.Code != tool.Denied || !says(e, want) {
		return []Difference{{"refuse", want, o.String()}}
	}
	return nil
}

// plain is a value as it comes out of JSON.
func plain(v any) any {
	data, err := tool.EncodeJSON(v)
	if err != nil {
		return nil // arguments are JSON
	}
	out, _ := decode(data)
	return out
}
