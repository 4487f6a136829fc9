package mcpserver

import (
	"context"
	"encoding/base64"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// pageSize is the most tools in one answer. It is large because many clients
// read the first page only.
const pageSize = 1000

const methodListTools = "tools/list"

// listTools replaces the SDK's list by what the gateway shows this caller.
func (s *Server) listTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		list, ok := req.(*mcp.ListToolsRequest)
		if !ok || method != methodListTools {
			return next(ctx, method, req)
		}
		cursor := takeCursor(list)
		who, profile, err := s.view(ctx, list.Session)
		if err != nil {
			return nil, err
		}
		version := list.ProtocolVersion()
		lists := s.relistsOf(list.Session, version)
		waiting := lists.begin()
		specs, after, err := page(s.gateway.Tools(ctx, tool.View{
			Caller: who, Profile: profile, Chat: chatOfRequest(list.Session, list.Extra), Steady: version >= statelessVersion,
		}), cursor)
		if err != nil {
			return nil, err
		}
		res, err := next(ctx, method, req)
		if answer, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			answer.Tools, answer.NextCursor = mcpTools(specs), after
			if after == "" {
				lists.answer(waiting) // as soon as may be: it is on its way
			}
		}
		return res, err
	}
}

// takeCursor takes the cursor out of the request, because the SDK would take
// ours for a broken one of its own.
func takeCursor(req *mcp.ListToolsRequest) string {
	if req.Params == nil {
		return ""
	}
	cursor := req.Params.Cursor
	req.Params.Cursor = ""
	return cursor
}

// page gives the tools after the cursor and the cursor of the page after that,
// empty at the end. A cursor is the name of the last tool that was sent, so it
// stays right while tools are added or removed elsewhere in the list.
func page(specs []*tool.Spec, cursor string) (_ []*tool.Spec, after string, _ error) {
	if cursor != "" {
		at := lastSent(specs, cursor)
		if at < 0 {
			return nil, "", badCursor()
		}
		specs = specs[at+1:]
	}
	if len(specs) <= pageSize {
		return specs, "", nil
	}
	specs = specs[:pageSize]
	return specs, base64.RawURLEncoding.EncodeToString([]byte(specs[pageSize-1].Name)), nil
}

// lastSent finds the tool a cursor names among those the caller may see, or -1:
// a cursor made up to probe for a hidden tool is merely a bad one.
func lastSent(specs []*tool.Spec, cursor string) int {
	name, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(specs, func(s *tool.Spec) bool { return s.Name == string(name) })
}

func badCursor() error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: "the cursor does not belong to this list, or the list has changed: list again without a cursor",
	}
}

// mcpTools turns specs into the SDK's tools; the schemas stay raw, so their keys
// stay in order.
func mcpTools(specs []*tool.Spec) []*mcp.Tool {
	tools := make([]*mcp.Tool, 0, len(specs))
	for _, t := range provider.MCP(specs) {
		tools = append(tools, &mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description,
			InputSchema: t.InputSchema, Annotations: annotations(t.Annotations),
		})
	}
	return tools
}

// annotations writes the hints the SDK's way. It always writes the hints that
// default to false, which says the same.
func annotations(a *provider.MCPAnnotations) *mcp.ToolAnnotations {
	if a == nil {
		return nil
	}
	return &mcp.ToolAnnotations{
		Title: a.Title, ReadOnlyHint: a.ReadOnlyHint,
		DestructiveHint: orNil(a.DestructiveHint), OpenWorldHint: orNil(a.OpenWorldHint),
	}
}

// orNil leaves a hint that nothing says to the protocol's default.
func orNil(hint bool) *bool {
	if !hint {
		return nil
	}
	return &hint
}
