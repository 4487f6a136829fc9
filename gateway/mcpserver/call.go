package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// metaError is the key of a result's _meta under which the structured error
// stands. It is not structuredContent: some hosts show a model either that or
// the content, and the content is what teaches.
const metaError = "toolgate/error"

// metaSpared is the key of the _meta of a search's answer under which it says about
// how many tokens of schemas the client was not sent: those of all deferred tools,
// less those of the tools that the answer has with a schema.
const metaSpared = "toolgate/spared_schema_tokens"

// Names of the gateway's tools that are answered otherwise than the rest.
const (
	searchTool   = "discover_tools" // finds tools, so that lists change
	callTool     = "call_tool"      // call one that is named in the arguments
	callReadTool = "call_read_tool"
)

// nameKey is the context key of the name a client called.
type nameKey struct{}

// nameTool sends every tools/call to the inner tool and keeps the name the
// client sent in the context.
func (s *Server) nameTool(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok {
			ctx = context.WithValue(ctx, nameKey{}, call.Params.Name)
			call.Params.Name = innerTool
		}
		return next(ctx, method, req)
	}
}

// callTool is the inner tool: it takes the call to the gateway.
func (s *Server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, leave := s.calls.enter(ctx, callName{session: req.Session})
	defer leave()
	if req.Extra != nil { // the context of a session is that of the request that opened it
		if id := req.Extra.Header.Get(headerRequest); tool.IsRequestID(id) {
			ctx = tool.WithRequest(ctx, id)
		}
	}
	name, _ := ctx.Value(nameKey{}).(string)
	who, profile, err := s.view(ctx, req.Session)
	if err != nil {
		return nil, err
	}
	ctx, asks, err := s.inquire(ctx, req)
	if err != nil {
		return nil, err
	}
	told, end := tellProgress(ctx, req)
	lists := s.relistsOf(req.Session, req.ProtocolVersion())
	searched := lists.search(name)
	res := s.call(told, tool.Call{Tool: name, Arguments: req.Params.Arguments, Caller: who, Profile: profile, Via: tool.ViaDirect, Chat: chatOfRequest(req.Session, req.Extra)})
	end()
	changed := func(ctx context.Context) error { return tellChanged(ctx, req.Session, &mcp.ToolListChangedParams{}) }
	lists.found(ctx, res.Output.Search, searched(), notice{send: changed, most: s.held})
	return s.answer(ctx, name, asks, &res)
}

// answer writes the answer of the gateway to a call of the name.
func (s *Server) answer(ctx context.Context, name string, asks *inquiry, res *tool.Result) (*mcp.CallToolResult, error) {
	if isUnknown(name, res) {
		return nil, notFound(res.Error)
	}
	if err := asks.missing(res); err != nil {
		return nil, err
	}
	if question := s.question(ctx, asks, res); question != nil {
		return question, nil
	}
	return result(res), nil
}

// view is who asks, and from where. In a session the caller is known as the last
// request had it; the context knows the one that opened it, who may have had other
// rights, so it fails when the session was ended meanwhile.
func (s *Server) view(ctx context.Context, sdk *mcp.ServerSession) (_ tool.Caller, profile string, _ error) {
	if open := s.sessions.of(sdk); open != nil {
		return *open.caller.Load(), open.profile, nil
	}
	if sdk.ID() != "" {
		return tool.Caller{}, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session has ended: open another"}
	}
	return caller(ctx), profileOf(ctx), nil
}

// tellProgress returns a context under which a call's progress is told to a
// client that asked for it, and what ends the telling.
func tellProgress(ctx context.Context, req *mcp.CallToolRequest) (_ context.Context, end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	s := &steps{send: func(step tool.Step) {
		// What the client cannot be told is of no consequence for the call.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: step.Done, Total: step.Total, Message: step.Message,
		})
	}}
	return tool.WithProgress(ctx, s.take), s.end
}

// call asks the gateway and turns a panic of it into a failed call.
func (s *Server) call(ctx context.Context, call tool.Call) (res tool.Result) {
	defer func() {
		if r := recover(); r != nil {
			s.logPanic(ctx, r)
			err := tool.AsError(fmt.Errorf("panic: %v", r))
			err.Tool = call.Tool
			res = tool.Result{Tool: call.Tool, Status: tool.StatusError, Output: tool.TextOutput(err.Text()), Error: err}
		}
	}()
	return s.gateway.Call(ctx, call)
}

// recoverPanics keeps a fault in one request from ending the process.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.logPanic(ctx, r)
				res, err = nil, errFault()
			}
		}()
		return next(ctx, method, req)
	}
}

func errFault() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the gateway could not answer because of a fault of its own"}
}

func (s *Server) logPanic(ctx context.Context, reason any) {
	s.logger.ErrorContext(ctx, "panic in an MCP request", "panic", reason, "stack", string(debug.Stack()))
}

// isUnknown reports whether there is no tool of the name that the client sent. What it
// named in the arguments of another one is no matter of the protocol.
func isUnknown(name string, res *tool.Result) bool {
	if res.Error == nil || res.Error.Code != tool.NotFound {
		return false
	}
	return name != callTool && name != callReadTool || res.Tool == name
}

// notFound is the protocol error for an unknown tool (2026-07-28, server/tools,
// Error Handling), with the sentence that other doors give as a result.
func notFound(e *tool.Error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Text(), Data: errorJSON(e)}
}

// result writes an answer of the gateway the protocol's way.
func result(res *tool.Result) *mcp.CallToolResult {
	answer := &mcp.CallToolResult{
		Content: contents(res.Output.Content),
		IsError: res.Status == tool.StatusError,
	}
	if hasObject(&res.Output) {
		answer.StructuredContent = res.Output.Structured
	}
	answer.Meta = meta(res)
	return answer
}

// meta is what an answer says beside what the model reads; nil where that is nothing.
func meta(res *tool.Result) mcp.Meta {
	var m mcp.Meta
	if res.Error != nil {
		m = mcp.Meta{metaError: errorJSON(res.Error)}
	}
	if search := res.Output.Search; search != nil {
		if m == nil {
			m = mcp.Meta{}
		}
		m[metaSpared] = search.Spared
	}
	return m
}

// hasObject reports whether the answer may be sent as structured content too:
// it is an object, which every revision takes, and the content beside it is one
// text, for hosts that read structured content drop all other content.
func hasObject(out *tool.Output) bool {
	return len(out.Structured) > 0 && out.Structured[0] == '{' &&
		len(out.Content) == 1 && out.Content[0].Type == tool.ContentText
}

// errorJSON is the structured form of the error. That form has no value that
// fails to encode but a broken schema, which is then left out.
func errorJSON(e *tool.Error) json.RawMessage {
	data, err := json.Marshal(e)
	if err == nil {
		return data
	}
	plain := *e
	plain.InputSchema = nil
	data, _ = json.Marshal(&plain)
	return data
}

func contents(blocks []tool.Content) []mcp.Content {
	out := make([]mcp.Content, 0, len(blocks))
	for i := range blocks {
		out = append(out, content(&blocks[i]))
	}
	return out
}

func content(c *tool.Content) mcp.Content {
	switch c.Type {
	case tool.ContentImage:
		return &mcp.ImageContent{Data: c.Data, MIMEType: c.MIMEType}
	case tool.ContentAudio:
		return &mcp.AudioContent{Data: c.Data, MIMEType: c.MIMEType}
	case tool.ContentResource:
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Blob: c.Data}}
	case tool.ContentResourceLink:
		return &mcp.ResourceLink{URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType}
	case tool.ContentText:
	}
	return &mcp.TextContent{Text: c.Text}
}
