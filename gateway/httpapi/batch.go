package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Batch runs the calls of one step of a model.
type Batch interface {
	// Batch answers every call, in order, each once per caller and chat: a call
	// whose id was run before is given the same answer again. StopOn is "never",
	// "fatal" or "error": after which failures no further call is started.
	// Finished is told of each call once when its answer is there, before Batch
	// returns and never twice at a time. When ctx ends, no call is started any
	// more and those that run are cancelled. The error is for what is no batch
	// at all; nothing has run then.
	Batch(ctx context.Context, calls []BatchCall, stopOn string, finished func(int, BatchAnswer)) ([]BatchAnswer, error)
}

// BatchCall is one call of a batch.
type BatchCall struct {
	ID   string    // the provider's, unique in its batch; not that of Call
	Call tool.Call // with its chat, and ViaBatch
}

// BatchAnswer is how one call of a batch ended.
type BatchAnswer struct {
	Result   tool.Result
	Replayed bool // it is the answer that an earlier request was given
}

// callFormat reads the calls that a provider's answer holds, and writes what to
// give that provider next.
type callFormat struct {
	calls    func(body []byte) ([]provider.ToolCall, error)
	messages func(answers []provider.Answer) any
}

// callFormats are the formats of calls. One that is nil is known, but not built.
func callFormats() map[string]*callFormat {
	return map[string]*callFormat{
		"openai-chat": {
			calls:    provider.OpenAIChatCalls,
			messages: func(answers []provider.Answer) any { return provider.OpenAIChatMessages(answers) },
		},
		"openai-responses": nil,
		"anthropic":        nil,
		"gemini":           nil,
	}
}

// step is the calls of one request.
type step struct {
	format *callFormat
	calls  []BatchCall
	stopOn string
}

// runCalls runs the calls that a model's answer holds:
//
//	POST /v1/calls?format=openai-chat&stop_on=error&chat=NAME
//	{"role": "assistant", "tool_calls": [...]}
//
// It answers {"results": [...], "messages": [...]}, the messages ready to be
// appended to the conversation, or, to a client that accepts text/event-stream,
// with an event as each call ends. Only what is no batch at all is an error.
func (a *api) runCalls(w http.ResponseWriter, r *http.Request) {
	s, p := a.readStep(w, r)
	if p != nil {
		p.write(w)
		return
	}
	if wantsEvents(r.Header.Values("Accept")) {
		a.stream(w, r, s)
		return
	}
	answers, p := a.run(r.Context(), r, s, func(int, BatchAnswer) {})
	if p != nil {
		p.write(w)
		return
	}
	writeJSON(w, http.StatusOK, s.whole(answers))
}

// readStep reads a request for a batch, or says why it cannot be one.
func (a *api) readStep(w http.ResponseWriter, r *http.Request) (step, *problem) {
	values, p := query(r, "format", "stop_on", "chat", "profile")
	if p != nil {
		return step{}, p
	}
	format, p := chosen(values, callFormats())
	if p != nil {
		return step{}, p
	}
	stopOn, p := stopping(values)
	if p != nil {
		return step{}, p
	}
	inChat, p := chatOf(r, values)
	if p != nil {
		return step{}, p
	}
	profile, p := a.profile(values)
	if p != nil {
		return step{}, p
	}
	body, p := readBody(w, r, noun{plural: "calls", less: "Send the message that holds the calls, without the messages before it."})
	if p != nil {
		return step{}, p
	}
	calls, err := format.calls(body)
	if err != nil {
		e := tool.AsError(err)
		return step{}, badQuery(e.Message, e.Hint)
	}
	return step{format: format, stopOn: stopOn, calls: batchOf(calls, tool.Call{Caller: caller(r), Via: tool.ViaBatch, Chat: inChat, Profile: profile})}, nil
}

// stopping reads after which failures no further call is started.
func stopping(values url.Values) (string, *problem) {
	known := []string{"never", "fatal", "error"}
	stopOn := known[0]
	if values.Has("stop_on") {
		stopOn = values.Get("stop_on")
	}
	if !slices.Contains(known, stopOn) {
		return "", badQuery(fmt.Sprintf("unknown stop_on %q", stopOn), knownHint(stopOn, known))
	}
	return stopOn, nil
}

// batchOf are the calls of a batch, each like the one given but for what it calls.
func batchOf(calls []provider.ToolCall, like tool.Call) []BatchCall {
	batch := make([]BatchCall, len(calls))
	for i, c := range calls {
		batch[i] = BatchCall{ID: c.ID, Call: like}
		batch[i].Call.Tool, batch[i].Call.Arguments = c.Name, c.Arguments
	}
	return batch
}

// run runs the calls of a step, if there are any. A panic of the gateway is a
// fault of its own, like an answer that is not of these calls.
func (a *api) run(ctx context.Context, r *http.Request, s step, finished func(int, BatchAnswer)) (answers []BatchAnswer, p *problem) {
	defer func() {
		if reason := recover(); reason != nil {
			a.logPanic(r, reason)
			answers, p = nil, problemOf(fmt.Errorf("panic: %v", reason))
		}
	}()
	if len(s.calls) == 0 {
		return nil, nil
	}
	answers, err := a.batch.Batch(ctx, s.calls, s.stopOn, finished)
	if err == nil && len(answers) != len(s.calls) {
		err = fmt.Errorf("%d answers to %d calls", len(answers), len(s.calls))
	}
	if err != nil {
		a.logFault(r, tool.AsError(err))
		return nil, problemOf(err)
	}
	return answers, nil
}

// problemOf is a failure that is none of a call, such as that of a whole batch.
func problemOf(err error) *problem {
	e := tool.AsError(err)
	return &problem{status: statusOf(e.Code), after: whenAgain(e), Type: string(e.Code), Message: e.Message, Hint: e.Hint}
}

// wholeJSON is the answer to a step.
type wholeJSON struct {
	Results  []callResult `json:"results"`
	Messages any          `json:"messages"`
}

func (s step) whole(answers []BatchAnswer) wholeJSON {
	results := make([]callResult, len(answers))
	messages := make([]provider.Answer, len(answers))
	for i, answer := range answers {
		results[i] = callResult{ID: s.calls[i].ID, Replayed: answer.Replayed, result: answer.Result}
		messages[i] = provider.Answer{ID: s.calls[i].ID, Result: answer.Result}
	}
	return wholeJSON{Results: results, Messages: s.format.messages(messages)}
}

// callResult is the result object of every call, with what it is the answer to.
type callResult struct {
	Index    *int   `json:"index,omitempty"` // its place in the batch, where the list does not tell
	ID       string `json:"id"`              // the provider's
	Replayed bool   `json:"replayed,omitempty"`
	result   tool.Result
}

// MarshalJSON writes one object: the members of the call before those of its
// result.
func (c callResult) MarshalJSON() ([]byte, error) {
	type plain callResult // without this method
	call, err := encode(plain(c))
	if err != nil {
		return nil, err
	}
	result, err := encode(c.result)
	if err != nil {
		return nil, err
	}
	return joined(call, result), nil
}
