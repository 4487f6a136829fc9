package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestClientCancels holds that a client that gives up on a call ends it.
func TestClientCancels(t *testing.T) {
	gw, started, ended := stuck()
	throughDoors(t, gw, func(t *testing.T, _ *mcpserver.Server, session *mcp.ClientSession) {
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "tool_0"})
			answered <- err
		}()
		wait(t, "the start of the call", started)
		cancel()
		wait(t, "the end of the call", ended)
		if err := wait(t, "the client", answered); !errors.Is(err, context.Canceled) {
			t.Errorf("the client got %v, want that it cancelled", err)
		}
	})
}

// TestServerCloses holds that Close ends the calls under way.
func TestServerCloses(t *testing.T) {
	gw, started, ended := stuck()
	throughDoors(t, gw, func(t *testing.T, s *mcpserver.Server, session *mcp.ClientSession) {
		answered := make(chan error, 1)
		go func() {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_0"})
			answered <- err
		}()
		wait(t, "the start of the call", started)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if cause := wait(t, "the end of the call", ended); !strings.Contains(cause.Error(), "stopping") {
			t.Errorf("ended by %v", cause)
		}
		wait(t, "the client", answered)
	})
}

// TestSessionDeleted holds that the calls of a session end with it.
func TestSessionDeleted(t *testing.T) {
	gw, started, ended := stuck()
	s := mcpserver.New(gw, mcpserver.Options{})
	web := serve(t, s)
	session := connect(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}, "2025-11-25")
	answered := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_0"})
		answered <- err
	}()
	wait(t, "the start of the call", started)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, web.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session.ID())
	if status, body := answer(t, web.Client(), req); status != http.StatusNoContent {
		t.Errorf("%d %s, want 204", status, body)
	}
	if cause := wait(t, "the end of the call", ended); !strings.Contains(cause.Error(), "ended its session") {
		t.Errorf("ended by %v", cause)
	}
	wait(t, "the client", answered)
}

// piped are the messages of a client that sends all at once and closes.
const piped = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"pipe","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}
`

// TestStdioDrains holds that requests piped in are answered although the end of
// input is there before their answers.
func TestStdioDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &fake{tools: map[string]func(context.Context, tool.Call) tool.Output{
			"slow": func(context.Context, tool.Call) tool.Output {
				time.Sleep(4 * time.Second)
				return tool.TextOutput("at last")
			},
		}}
		s := mcpserver.New(gw, mcpserver.Options{})
		var out bytes.Buffer
		if err := s.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(piped)), &out); err != nil {
			t.Error(err)
		}
		if !strings.Contains(out.String(), "at last") || strings.Count(out.String(), "\n") != 2 {
			t.Errorf("answered:\n%s", out.String())
		}
	})
}

// TestStdioGivesUp holds that a client that left does not keep a call for ever.
func TestStdioGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw, _, ended := stuck()
		gw.tools["slow"] = gw.tools["tool_0"]
		s := mcpserver.New(gw, mcpserver.Options{})
		began := time.Now()
		if err := s.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(piped)), io.Discard); err != nil {
			t.Error(err)
		}
		<-ended
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}

// TestStdioStops holds that the end of the context ends calls and server at once.
func TestStdioStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw, started, ended := stuck()
		gw.tools["slow"] = gw.tools["tool_0"]
		s := mcpserver.New(gw, mcpserver.Options{})
		ctx, stop := context.WithCancel(t.Context())
		in, client := io.Pipe()
		done := make(chan error)
		go func() { done <- s.ServeStdio(ctx, in, io.Discard) }()
		if _, err := io.WriteString(client, piped); err != nil {
			t.Fatal(err)
		}
		<-started
		began := time.Now()
		stop()
		if cause := <-ended; !errors.Is(cause, context.Canceled) {
			t.Errorf("ended by %v", cause)
		}
		if err := <-done; err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestStdioJunk holds that what is no message is answered as such and the
// messages around it are served all the same.
func TestStdioJunk(t *testing.T) {
	const large = 4 << 20
	tests := []struct{ name, junk, want string }{
		{"text", "junk", `{"error":{"code":-32700,"message":"the line is not JSON; a message is one line of JSON"},"id":null,"jsonrpc":"2.0"}`},
		{"cut JSON", `{"jsonrpc":"2.0",`, `"code":-32700`},
		{"no JSON-RPC", `{}`, `"code":-32600`},
		{"its identifier", `{"id":"x","method":"ping"}`, `"id":"x"`},
		{"odd identifier", `{"id":{"a":1},"method":"ping"}`, `"id":null`},
		{"a batch", `[{"jsonrpc":"2.0","id":4,"method":"ping"}]`, "batches are not supported"},
		{"an identifier that would be rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "at most 2^53"},
		{"a broken identifier", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "at most 2^53"},
		{"a boolean identifier", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `"code":-32600`},
		{"a number as method", `{"jsonrpc":"2.0","id":5,"method":5}`, `"id":5`},
		{"another version", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, `"code":-32600`},
		{"a zero byte", "{\x00}", `"code":-32700`},
		{"too deep", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, `"id":5`},
		{"a number", `5`, `"code":-32600`},
		{"too large", `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", large) + `"}}`, "larger than 4194304 bytes"},
		{"blank", "  ", ""},
		{"not UTF-8", "\xff\xfe", `"code":-32700`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gw := rawFake()
			gw.tools["slow"] = func(context.Context, tool.Call) tool.Output { return tool.TextOutput("served") }
			s := mcpserver.New(gw, mcpserver.Options{})
			var out bytes.Buffer
			in := strings.NewReader(strings.ReplaceAll(piped, "\n", "\n"+tt.junk+"\n"))
			if err := s.ServeStdio(t.Context(), io.NopCloser(in), &out); err != nil {
				t.Error(err)
			}
			answers := 2
			if tt.want != "" {
				answers += 3
			}
			if got := out.String(); !strings.Contains(got, "served") || !strings.Contains(got, tt.want) || strings.Count(got, "\n") != answers {
				t.Errorf("answered:\n%s", got)
			}
		})
	}
}
