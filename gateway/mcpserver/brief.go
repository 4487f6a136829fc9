package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolgate/toolgate/gateway/mcpserver/message"
	"github.com/toolgate/toolgate/gateway/tool"
)

// brief is a request that is answered the short way.
type brief struct {
	*message.Message
	*Server
	reply   reply
	session *session // nil from 2026-07-28
	who     tool.Caller
}

// serve answers the request. A fault in it ends it alone.
func (b *brief) serve(ctx context.Context) {
	defer func() {
		if reason := recover(); reason != nil {
			b.logPanic(ctx, reason)
			b.fail(errFault())
		}
	}()
	switch b.Method {
	case message.CallTool:
		b.call(ctx)
	case message.ListTools:
		b.list(ctx)
	case message.Ping:
		b.send(http.StatusOK, append(appendStart(b.buffer(), b.ID), `,"result":{}}`...))
	}
}

func (b *brief) stateless() bool { return b.session == nil }

// relists is how the session lists; nil where there is none.
func (b *brief) relists() *relists {
	if b.stateless() {
		return nil
	}
	return &b.session.relists
}

// call runs a call.
func (b *brief) call(ctx context.Context) {
	name := callName{}
	if !b.stateless() {
		name = callName{b.session.sdk, string(b.ID)}
	}
	ctx, leave := b.calls.enter(ctx, name)
	if leave == nil {
		b.send(http.StatusBadRequest, appendError(b.buffer(), b.ID, errInFlight(b.ID)))
		return
	}
	defer leave()
	var progress steps
	if b.Token != nil {
		progress.send = b.tell
		ctx = tool.WithProgress(ctx, progress.take)
	}
	searched := b.relists().search(string(b.Name))
	res := b.Server.call(ctx, tool.Call{
		Tool: string(b.Name), Arguments: b.Arguments, Caller: b.who, Profile: profileOf(ctx), Via: tool.ViaDirect, Chat: chatOf(ctx, name.session),
	})
	progress.end()
	if owed := searched(); owed || res.Output.Search != nil {
		b.relists().found(ctx, res.Output.Search, owed, notice{b.tellChanged, b.reply.gone, b.held})
	}
	leave() // before the answer: who has that may use the identifier again
	if isUnknown(string(b.Name), &res) {
		b.fail(notFound(res.Error))
		return
	}
	b.send(http.StatusOK, b.appendResult(b.buffer(), b.ID, &res, b.stateless()))
}

// tell sends one step of the call.
func (b *brief) tell(step tool.Step) {
	data, err := json.Marshal(progressNote{
		JSONRPC: "2.0", Method: "notifications/progress",
		Params: progressParams{Token: b.Token, Progress: step.Done, Total: step.Total, Message: step.Message},
	})
	if err == nil { // no number is infinite that a tool may say
		_ = b.reply.event(data) // what the client cannot be told is of no consequence
	}
}

// tellChanged tells the session that its list is another one now.
func (b *brief) tellChanged(context.Context) error {
	return b.reply.event([]byte(`{"jsonrpc":"2.0","method":"` + notifyListChanged + `","params":{}}`))
}

type progressNote struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  progressParams `json:"params"`
}

// progressParams are those of a notification of progress (2026-07-28,
// ProgressNotificationParams).
type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// list answers with a page of the tools.
func (b *brief) list(ctx context.Context) {
	view := tool.View{Caller: b.who, Profile: profileOf(ctx), Steady: b.stateless()}
	if view.Chat = chatOf(ctx, nil); !b.stateless() {
		view.Chat = chatOf(ctx, b.session.sdk)
	}
	waiting := b.relists().begin()
	all := b.gateway.Tools(ctx, view)
	specs, after, err := page(all, string(b.Cursor))
	if err != nil {
		b.fail(err)
		return
	}
	answer := append(appendStart(b.buffer(), b.ID), `,"result":{`...)
	if b.stateless() {
		answer = append(answer, `"resultType":"complete",`...)
		answer = b.appendMeta(answer, &tool.Result{}, true)
	}
	answer = fmt.Appendf(answer, `"ttlMs":%d,"cacheScope":"private",`, listTTL.Milliseconds())
	if after != "" {
		answer = append(appendText(append(answer, `"nextCursor":`...), after), ',')
		waiting = nil // until the last page, where what was found stands
	}
	b.relists().reach(waiting)
	answer = append(append(answer, `"tools":`...), b.lists.encode(specs)...)
	b.send(http.StatusOK, append(answer, "}}"...))
	b.relists().answer(waiting)
}

// fail answers with an error of the protocol.
func (b *brief) fail(err error) {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		wire = errFault()
	}
	status := http.StatusOK
	if b.stateless() && wire.Code == jsonrpc.CodeInvalidParams {
		status = http.StatusBadRequest
	}
	b.send(status, appendError(b.buffer(), b.ID, wire))
}

// buffer is an empty one, which send gives back.
func (s *Server) buffer() []byte {
	if kept, ok := s.buffers.Get().(*[]byte); ok {
		return (*kept)[:0]
	}
	return make([]byte, 0, 1<<10)
}

// send sends the answer, which was made in a buffer.
func (b *brief) send(status int, answer []byte) {
	b.reply.answer(status, answer)
	if cap(answer) <= maxKeptBuffer {
		b.buffers.Put(&answer)
	}
}

// maxKeptBuffer is the size, in bytes, of the largest buffer that is used again.
const maxKeptBuffer = 64 << 10

func errInFlight(id []byte) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidRequest,
		Message: "duplicate in-flight request ID " + strings.Trim(string(id), `"`),
	}
}
