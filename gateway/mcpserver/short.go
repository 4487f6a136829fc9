package mcpserver

// The short way: requests that are understood completely are answered here, and
// everything else is handed to the SDK as it came. The SDK spends several times
// the work of a whole call on decoding, and on a session for every request since
// 2026-07-28.
//
//   - A request is taken when its headers are those of an ordinary client, its
//     body is understood by package message, and it fits its headers. Whatever is
//     odd about it, the SDK judges.
//   - A request of an older revision is taken in a session that the SDK opened
//     and that is the caller's. The SDK knows nothing of it then: what counts
//     calls, ends them, and ends sessions is in this package.
//   - The answer is the SDK's to the letter, but for escapes that say the same and
//     for its frame: one JSON body, where the SDK always sends events. It becomes
//     events with the first step of progress that the client asked to be told.
//   - A client that hangs up cancels its call from 2026-07-28. Before, it has to
//     say so in a notification, which the SDK gets as well.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolgate/toolgate/gateway/mcpserver/message"
	"github.com/toolgate/toolgate/gateway/tool"
)

// sessionVersions are the revisions that a request in a session may be of.
var sessionVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// brief is a request that is answered the short way.
type brief struct {
	*message.Message
	*Server
	reply   *reply
	session *session // nil from 2026-07-28
}

// shortStateless answers a request of 2026-07-28 that it understands.
func (s *Server) shortStateless(w http.ResponseWriter, r *http.Request) bool {
	if !isOrdinary(r) || r.Header.Get(headerVersion) != statelessVersion {
		return false
	}
	body, ok := peek(r)
	if !ok {
		return false
	}
	m, ok := message.Read(body)
	if !ok || !fitsHeaders(m, r.Header) {
		return false
	}
	b := &brief{Message: m, Server: s, reply: newReply(w)}
	b.serve(r.Context())
	return true
}

// fitsHeaders reports whether a message is of 2026-07-28 and is what its headers
// say.
func fitsHeaders(m *message.Message, h http.Header) bool {
	return string(m.Version) == statelessVersion && m.Described && m.Method != message.Ping &&
		h.Get(headerMethod) == m.Method &&
		(m.Method != message.CallTool || (len(m.Name) > 0 && h.Get(headerName) == string(m.Name)))
}

// shortSession answers a request in a session that it understands.
func (s *Server) shortSession(w http.ResponseWriter, r *http.Request, open *session) bool {
	version := r.Header.Get(headerVersion)
	if !isOrdinary(r) || (version != "" && !slices.Contains(sessionVersions, version)) {
		return false
	}
	body, ok := peek(r)
	if !ok {
		return false
	}
	m, ok := message.Read(body)
	if !ok {
		if id, ok := message.Cancelled(body); ok {
			s.calls.cancel(callName{open.sdk, string(id)})
		}
		return false
	}
	if m.Version != nil {
		return false
	}
	b := &brief{Message: m, Server: s, reply: newReply(w), session: open}
	b.serve(context.WithoutCancel(r.Context()))
	return true
}

// isOrdinary reports whether a request's headers are those that clients send
// with a message.
func isOrdinary(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Content-Type") == "application/json" &&
		acceptsBoth(r.Header["Accept"]) && r.Header.Get(headerEvent) == "" && isFromHere(r)
}

// acceptsBoth reports whether an answer may be JSON and events.
func acceptsBoth(accept []string) bool {
	if len(accept) != 1 {
		return false
	}
	var asJSON, asEvents bool
	for kind := range strings.SplitSeq(accept[0], ",") {
		switch strings.TrimSpace(kind) {
		case "application/json":
			asJSON = true
		case "text/event-stream":
			asEvents = true
		}
	}
	return asJSON && asEvents
}

// isFromHere reports whether a request on a loopback address asks for this
// machine, as the SDK demands.
func isFromHere(r *http.Request) bool {
	addr := r.Context().Value(http.LocalAddrContextKey)
	if addr == nil {
		return true
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return false
	}
	return !tcp.IP.IsLoopback() || isLoopbackName(r.Host)
}

func isLoopbackName(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.IsLoopback())
}

// peek reads the body and leaves it as if it had not been read; false when it
// cannot be read or is too long.
func peek(r *http.Request) (body []byte, ok bool) {
	body, err := readUpTo(r, maxMessage)
	if err != nil {
		r.Body = &replay{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		return nil, false
	}
	r.Body = &replay{bytes.NewReader(body), r.Body}
	return body, true
}

var errTooLong = errors.New("the body is too long")

func readUpTo(r *http.Request, most int64) ([]byte, error) {
	switch {
	case r.ContentLength > most:
		return nil, errTooLong
	case r.ContentLength >= 0:
		body := make([]byte, r.ContentLength)
		n, err := io.ReadFull(r.Body, body)
		return body[:n], err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = errTooLong
	}
	return body, err
}

// replay is a body that was read.
type replay struct {
	io.Reader
	io.Closer
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
	res := b.Server.call(ctx, tool.Call{
		Tool: string(b.Name), Arguments: b.Arguments, Caller: caller(ctx), Profile: profileOf(ctx), Via: tool.ViaDirect, Chat: chatOf(ctx, name.session),
	})
	progress.end()
	if res.Error != nil && res.Error.Code == tool.NotFound {
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
		b.reply.event(data)
	}
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
	all := b.gateway.Tools(ctx, tool.View{Caller: caller(ctx), Profile: profileOf(ctx)})
	specs, after, err := page(all, string(b.Cursor))
	if err != nil {
		b.fail(err)
		return
	}
	answer := append(appendStart(b.buffer(), b.ID), `,"result":{`...)
	if b.stateless() {
		answer = append(answer, `"resultType":"complete",`...)
		answer = b.appendMeta(answer, nil, true)
	}
	answer = fmt.Appendf(answer, `"ttlMs":%d,"cacheScope":"private",`, listTTL.Milliseconds())
	if after != "" {
		answer = append(appendText(append(answer, `"nextCursor":`...), after), ',')
	}
	answer = append(append(answer, `"tools":`...), b.lists.encode(specs)...)
	b.send(http.StatusOK, append(answer, "}}"...))
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
