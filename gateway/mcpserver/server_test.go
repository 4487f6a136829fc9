package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestCall holds what reaches the gateway and what comes back.
func TestCall(t *testing.T) {
	gw := rawFake()
	throughDoors(t, gw, func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
		gw.calls = nil
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "object", Arguments: json.RawMessage(`{"z":9007199254740993,"a":"x"}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []mcp.Content{&mcp.TextContent{Text: `{"z":9007199254740993,"a":1.10}`}}
		if diff := cmp.Diff(want, res.Content); diff != "" || res.IsError || res.StructuredContent == nil {
			t.Errorf("result %+v (-want +got):\n%s", res, diff)
		}
		sent := []tool.Call{{
			Tool: "object", Arguments: json.RawMessage(`{"z":9007199254740993,"a":"x"}`), Via: tool.ViaDirect,
			Caller: tool.Caller{ID: "anonymous", Name: "anonymous", Kind: tool.KindMCP, May: []tool.Right{tool.MayCall}},
			// Empty where there is no session, or it is that of a pipe.
			Chat: tool.Chat{ID: session.ID(), Session: session.ID() != "" || strings.Contains(t.Name(), "stdio")},
		}}
		if diff := cmp.Diff(sent, gw.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

// TestFailures holds the two forms of an error: a result for the model, and a
// protocol error for a tool that is not there.
func TestFailures(t *testing.T) {
	tests := []struct {
		err  *tool.Error
		text string
		meta map[string]any
		rpc  int64 // 0 for a result
	}{
		{
			err:  &tool.Error{Code: tool.InvalidArgs, Message: "id is missing", Hint: "Give an id.", InputSchema: json.RawMessage(`{"type":"object"}`), Retryable: true, Cause: errors.New("hidden")},
			text: "Error: id is missing\nGive an id.",
			meta: map[string]any{
				"error_type": "invalid_args", "tool": "t", "message": "id is missing", "hint": "Give an id.",
				"input_schema": map[string]any{"type": "object"}, "retryable": true, "fatal": false,
			},
		},
		{
			err:  &tool.Error{Code: tool.Denied, Message: "no", InputSchema: json.RawMessage(`{broken`), Fatal: true},
			text: "Error: no",
			meta: map[string]any{"error_type": "denied", "tool": "t", "message": "no", "retryable": false, "fatal": true},
		},
		{
			err:  &tool.Error{Code: tool.NotFound, Message: `no tool is named "t"`, Hint: "Look again."},
			text: "Error: no tool is named \"t\"\nLook again.",
			meta: map[string]any{"error_type": "not_found", "tool": "t", "message": `no tool is named "t"`, "hint": "Look again.", "retryable": false, "fatal": false},
			rpc:  jsonrpc.CodeInvalidParams,
		},
	}
	for _, tt := range tests {
		t.Run(string(tt.err.Code), func(t *testing.T) {
			throughDoors(t, &erring{err: tt.err}, func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "t"})
				text, meta, code := failure(t, res, err)
				if text != tt.text || code != tt.rpc {
					t.Errorf("text %q with code %d, want %q with code %d", text, code, tt.text, tt.rpc)
				}
				if diff := cmp.Diff(tt.meta, meta); diff != "" {
					t.Errorf("structured error (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// failure takes a failed call apart, in whichever form it came.
func failure(t *testing.T, res *mcp.CallToolResult, err error) (text string, meta map[string]any, code int64) {
	t.Helper()
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if err := json.Unmarshal(rpc.Data, &meta); err != nil {
			t.Fatal(err)
		}
		return rpc.Message, meta, rpc.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	if !res.IsError || len(res.Content) != 1 || res.StructuredContent != nil {
		t.Fatalf("not an error of one text: %+v", res)
	}
	meta, _ = res.Meta["toolgate/error"].(map[string]any)
	return res.Content[0].(*mcp.TextContent).Text, meta, 0
}

// TestPages walks a list of several pages, also while it changes.
func TestPages(t *testing.T) {
	gw := &fake{specs: numbered(2001)}
	throughDoors(t, gw, func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
		var names, want []string
		for listed, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, listed.Name)
		}
		for _, s := range gw.specs {
			want = append(want, s.Name)
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
	})
}

// TestPageAfterChange holds that a cursor goes on behind its tool when others
// come and go, and is refused when its tool is gone.
func TestPageAfterChange(t *testing.T) {
	gw := &fake{specs: numbered(1500)}
	s := mcpserver.New(gw, mcpserver.Options{})
	session := doors[0].connect(t, s)
	first, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	gw.specs = slices.Delete(slices.Clone(gw.specs), 10, 20)
	second, err := session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: first.NextCursor})
	if err != nil || len(first.Tools) != 1000 || second.Tools[0].Name != "tool_1000" || second.NextCursor != "" {
		t.Fatalf("%d tools, then from %v (%v)", len(first.Tools), second, err)
	}
	gw.specs = gw.specs[:500]
	_, err = session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: first.NextCursor})
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a cursor whose tool is gone: %v, want -32602", err)
	}
}

// TestPanics holds that a fault of the gateway ends one request only.
func TestPanics(t *testing.T) {
	gw := rawFake()
	gw.specs = nil
	throughDoors(t, gw, func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
		_, err := session.ListTools(t.Context(), nil)
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != jsonrpc.CodeInternalError {
			t.Errorf("tools/list: %v, want -32603", err)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "panic"})
		if err != nil || !res.IsError {
			t.Errorf("tools/call: %+v, %v", res, err)
		}
		if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "object"}); err != nil || res.IsError {
			t.Errorf("afterwards: %+v, %v", res, err)
		}
	})
}

func TestServerInfo(t *testing.T) {
	throughDoors(t, rawFake(), func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
		got := session.InitializeResult()
		want := &mcp.InitializeResult{
			ProtocolVersion: got.ProtocolVersion,
			Instructions:    "Be kind.",
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			},
			ServerInfo: &mcp.Implementation{Name: "toolgate", Version: "1.2.3"},
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(mcp.InitializeResult{}), cmpopts.IgnoreFields(mcp.InitializeResult{}, "Meta")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestToolsChanged holds that clients of both eras hear of another list.
func TestToolsChanged(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			s := mcpserver.New(rawFake(), mcpserver.Options{})
			web := serve(t, s)
			heard := make(chan struct{}, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
					select {
					case heard <- struct{}{}:
					default:
					}
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			untilHeard(t, s.ToolsChanged, heard)
		})
	}
}

// untilHeard says it again, since a client of the new era may not have
// subscribed yet when it is connected.
func untilHeard(t *testing.T, say func(), heard <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		say()
		select {
		case <-heard:
			return
		case <-time.After(patience / 100):
		}
	}
	t.Error("not heard")
}
