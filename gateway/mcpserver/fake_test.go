package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what should happen at once.
const patience = 10 * time.Second

// fake is a gateway of functions by tool name.
type fake struct {
	specs []*tool.Spec
	tools map[string]func(context.Context, tool.Call) tool.Output

	mu    sync.Mutex // guards calls
	calls []tool.Call
}

func (f *fake) Tools(context.Context, tool.View) []*tool.Spec {
	if f.specs == nil {
		panic("no list")
	}
	return f.specs
}

func (f *fake) AsksClient(_ context.Context, name string) bool { return strings.HasPrefix(name, "ask") }

func (f *fake) HasProfile(name string) bool { return name == "small" }

func (f *fake) Call(ctx context.Context, call tool.Call) tool.Result {
	f.mu.Lock()
	f.calls = append(f.calls, call)
	f.mu.Unlock()
	run, ok := f.tools[call.Tool]
	if !ok {
		return failed(call, tool.Errorf(tool.NotFound, "no tool is named %q", call.Tool).WithHint("Look at the list."))
	}
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: run(ctx, call)}
}

func failed(call tool.Call, err *tool.Error) tool.Result {
	err.Tool = call.Tool
	return tool.Result{Tool: call.Tool, Status: tool.StatusError, Output: tool.TextOutput(err.Text()), Error: err}
}

// erring is a gateway whose every call fails alike.
type erring struct {
	fake
	err *tool.Error
}

func (e *erring) Call(_ context.Context, call tool.Call) tool.Result { return failed(call, e.err) }

func numbered(n int) []*tool.Spec {
	specs := make([]*tool.Spec, n)
	for i := range specs {
		specs[i] = &tool.Spec{Name: fmt.Sprintf("tool_%d", i), Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}
	}
	return specs
}

// doors are the ways in: both eras over both transports.
var doors = []entrance{
	{"http 2025-11-25", overHTTP, "2025-11-25"},
	{"http 2026-07-28", overHTTP, "2026-07-28"},
	{"stdio 2025-06-18", overStdio, "2025-06-18"},
	{"stdio 2026-07-28", overStdio, "2026-07-28"},
}

// entrance is one way in.
type entrance struct {
	name    string
	open    func(t *testing.T, s *mcpserver.Server) mcp.Transport
	version string
}

// connect connects a plain client.
func (e *entrance) connect(t *testing.T, s *mcpserver.Server) *mcp.ClientSession {
	return e.connectAs(t, s, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil))
}

func (e *entrance) connectAs(t *testing.T, s *mcpserver.Server, client *mcp.Client) *mcp.ClientSession {
	return connect(t, client, e.open(t, s), e.version)
}

// throughDoors runs a test once per door with a fresh server and client.
func throughDoors(t *testing.T, gw mcpserver.Gateway, run func(*testing.T, *mcpserver.Server, *mcp.ClientSession)) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			s := mcpserver.New(gw, mcpserver.Options{Version: "1.2.3", Instructions: "Be kind."})
			t.Cleanup(func() { _ = s.Close() })
			session := door.connect(t, s)
			if got := session.InitializeResult().ProtocolVersion; got != door.version {
				t.Fatalf("negotiated %s, want %s", got, door.version)
			}
			run(t, s, session)
		})
	}
}

func overHTTP(t *testing.T, s *mcpserver.Server) mcp.Transport {
	web := serve(t, s)
	return &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}
}

func serve(t *testing.T, s *mcpserver.Server) *httptest.Server {
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		_ = s.Close()
		web.Close()
	})
	return web
}

func overStdio(t *testing.T, s *mcpserver.Server) mcp.Transport {
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		defer func() { _ = out.Close() }()
		done <- s.ServeStdio(t.Context(), in, out)
	}()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: clientIn, Writer: clientOut}
}

func connect(t *testing.T, client *mcp.Client, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// wait fails the test when nothing comes in time.
func wait[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s: nothing after %v", what, patience)
		panic("unreachable")
	}
}

// stuck is a tool that ends with its context only: started gets a value when it
// runs, ended the reason why its context ended.
func stuck() (_ *fake, started chan struct{}, ended chan error) {
	started, ended = make(chan struct{}, 1), make(chan error, 1)
	return &fake{
		specs: numbered(1),
		tools: map[string]func(context.Context, tool.Call) tool.Output{
			"tool_0": func(ctx context.Context, _ tool.Call) tool.Output {
				started <- struct{}{}
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return tool.TextOutput("cancelled")
			},
		},
	}, started, ended
}

// request makes a raw request of the new era.
func request(t *testing.T, url, method, name, params string) *http.Request {
	t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"0"}}`
	if params != "" {
		meta = params + "," + meta
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, meta)
	req := post(t, url, body)
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	return req
}
