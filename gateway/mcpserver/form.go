package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Where a rule lets the user of the calling program approve, the user is asked in
// a form of that program: up to 2025-11-25 by elicitation/create while the call
// waits, and on 2026-07-28 by the answer to the call, which is then made again. Both
// need a client that declared forms; nobody else is ever asked.

// answerName is the name of the question among the input requests of 2026-07-28.
const answerName = "approval"

// approveName is the one member of the form.
const approveName = "approve"

// formSchema has no default: who sends the form off without looking has not agreed.
const formSchema = `{"type":"object","properties":{"` + approveName + `":{"type":"boolean","title":"Approve this call",` +
	`"description":"Yes lets the call run, once. No refuses it."}},"required":["` + approveName + `"]}`

// neededCapabilities is written out, since the SDK's type always asks for roots,
// too.
const neededCapabilities = `{"requiredCapabilities":{"elicitation":{"form":{}}}}`

// elicitation is a question the protocol's way.
func elicitation(q *approval.Question) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: questionText(q), RequestedSchema: json.RawMessage(formSchema)}
}

// verdict is what the user said. Who declines or closes the form refuses; anything
// that does not fit the form is an error and no answer.
func verdict(res *mcp.ElicitResult) (approve bool, err error) {
	switch res.Action {
	case "decline", "cancel":
		return false, nil
	case "accept":
		approve, ok := res.Content[approveName].(bool)
		if !ok {
			return false, fmt.Errorf("the form came back without %q as true or false", approveName)
		}
		return approve, nil
	}
	return false, errors.New(`the form came back with an action other than "accept", "decline" and "cancel"`)
}

// canAsk reports whether a client declared that it can show forms. One that
// declares neither kind of elicitation has forms (2025-06-18 knew no other).
func canAsk(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// sessionForm asks in a session, while the call waits.
type sessionForm struct{ session *mcp.ServerSession }

// Ask sends the question on the stream of the call and waits for the answer.
func (f sessionForm) Ask(ctx context.Context, q *approval.Question) (bool, error) {
	res, err := f.session.Elicit(ctx, elicitation(q))
	if err != nil {
		return false, err
	}
	return verdict(res)
}

// laterForm asks by the answer to the call, and knows what came back.
type laterForm struct {
	state *state            // that the call brought; nil when it brought none
	said  mcp.InputResponse // what the user said to the question of the state; nil when nothing

	mu    sync.Mutex         // guards asked
	asked *approval.Question // that the answer to the call has to ask
}

// Ask gives the answer that the call brought with it, where that is to this
// question; else the question is put by the answer.
func (f *laterForm) Ask(_ context.Context, q *approval.Question) (bool, error) {
	if f.said != nil && f.state.answers(q, time.Now()) {
		res, ok := f.said.(*mcp.ElicitResult)
		if !ok {
			return false, errors.New("what the client sent for it is not the answer to a form")
		}
		return verdict(res)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked != nil && f.asked.ID != q.ID {
		return false, errors.New("its answer asks about another call already")
	}
	f.asked = q
	return false, approval.ErrLater
}

// Answer gives the answer that the call brought to the question.
func (f *laterForm) Answer(q *approval.Question) (approve, ok bool) {
	res, _ := f.said.(*mcp.ElicitResult)
	if res == nil || !f.state.answers(q, time.Now()) {
		return false, false
	}
	approve, err := verdict(res)
	return approve, err == nil
}

// inquiry is how one call asks the user of its client.
type inquiry struct {
	later  *laterForm  // nil up to 2025-11-25, and where the client has no forms
	missed atomic.Bool // the client would have to ask its user and cannot
	modern bool
}

// inquire gives the context of a call in which its client can ask. It fails when
// the call brings a state that was not made here.
func (s *Server) inquire(ctx context.Context, req *mcp.CallToolRequest) (context.Context, *inquiry, error) {
	opened := req.Session.InitializeParams()
	q := &inquiry{modern: opened == nil || opened.ProtocolVersion >= statelessVersion} // as the SDK sees it
	if !q.modern {
		if canAsk(opened.Capabilities) {
			ctx = tool.WithActivationForm(approval.WithForm(ctx, sessionForm{req.Session}), activationForm(req.Session))
		}
		return ctx, q, nil
	}
	state, err := s.stateOf(ctx, req)
	if err != nil {
		return ctx, nil, err
	}
	if _, declared := req.Params.Meta[mcp.MetaKeyClientCapabilities]; !declared || !canAsk(req.ClientCapabilities()) {
		return approval.WithoutForm(ctx, func() { q.missed.Store(true) }), q, nil
	}
	q.later = &laterForm{state: state, said: req.Params.InputResponses[answerName]}
	return approval.WithForm(ctx, q.later), q, nil
}

// stateOf is the state that a call brings; nil when it brings none, or while it
// cannot be read, which is as if there were none.
func (s *Server) stateOf(ctx context.Context, req *mcp.CallToolRequest) (*state, error) {
	text := req.Params.RequestState
	if text == "" {
		return nil, nil
	}
	key, err := s.sealer.load(ctx)
	if err != nil {
		s.logger.ErrorContext(ctx, "the key of request states cannot be read", "problem", err.Error())
		return nil, nil
	}
	opened, err := openState(key, text)
	if err != nil {
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("Error: the requestState of this call is not valid: %v. Nothing ran. "+
				"Make the call again without requestState and inputResponses to be asked anew.", err),
		}
	}
	return opened, nil
}

// question is the answer to a call that asks the user, or nil where it does not.
// What cannot be signed is not asked: the answer then says that it waits.
func (s *Server) question(ctx context.Context, q *inquiry, res *tool.Result) *mcp.CallToolResult {
	if q.later == nil || res.Error == nil || res.Error.Code != tool.NeedsApproval {
		return nil
	}
	q.later.mu.Lock()
	asked := q.later.asked
	q.later.mu.Unlock()
	if asked == nil || asked.ID != res.Error.Approval {
		return nil
	}
	key, err := s.sealer.load(ctx)
	if err != nil {
		s.logger.ErrorContext(ctx, "a user cannot be asked: the key of request states cannot be read", "problem", err.Error())
		return nil
	}
	return &mcp.CallToolResult{
		Content:       []mcp.Content{}, // null would be against the schema
		InputRequests: mcp.InputRequestMap{answerName: elicitation(asked)},
		RequestState:  sealState(key, &state{expires: time.Now().Add(stateLifetime), question: questionDigest(asked)}),
	}
}

// missing is the protocol error for a call that only the client's user can approve,
// of a client that did not say that it can ask (2026-07-28, basic, Client
// Capabilities); nil for other answers. Earlier revisions have no such error.
func (q *inquiry) missing(res *tool.Result) error {
	if !q.missed.Load() || res.Error == nil || res.Error.Code != tool.NeedsApproval || res.Error.Approval != "" {
		return nil
	}
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: res.Error.Text(), Data: json.RawMessage(neededCapabilities)}
}
