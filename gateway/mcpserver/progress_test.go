package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// pacing is a tool that says three times how far it is, and once when it is over.
func pacing() *fake {
	return &fake{specs: numbered(1), tools: map[string]func(context.Context, tool.Call) tool.Output{
		"tool_0": func(ctx context.Context, _ tool.Call) tool.Output {
			for i := range 3 {
				tool.Progress(ctx, tool.Step{Done: float64(i), Total: 2, Message: "step"})
				time.Sleep(60 * time.Millisecond)
			}
			time.AfterFunc(10*time.Millisecond, func() { tool.Progress(ctx, tool.Step{Done: 3, Total: 2}) })
			return tool.TextOutput("done")
		},
	}}
}

// TestProgress holds that a client that asks for it is told of steps and of the
// last one, at every door, in order and before the answer.
func TestProgress(t *testing.T) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			s := mcpserver.New(pacing(), mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			told := make(chan mcp.ProgressNotificationParams, 10)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- *req.Params },
			})
			session := door.connectAs(t, s, client)
			params := &mcp.CallToolParams{Name: "tool_0", Meta: mcp.Meta{"progressToken": "p"}}
			res, err := session.CallTool(t.Context(), params)
			if err != nil || len(res.Content) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			for last := -1.0; last < 2; { // a machine that is busy may leave out one
				got := wait(t, "a step", told)
				want := mcp.ProgressNotificationParams{ProgressToken: "p", Progress: got.Progress, Total: 2, Message: "step"}
				if diff := cmp.Diff(want, got); diff != "" || got.Progress <= last {
					t.Errorf("after %v: %+v %s", last, got, diff)
				}
				last = got.Progress
			}
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_0"}); err != nil {
				t.Error(err)
			}
			if len(told) > 0 {
				t.Errorf("told of %d steps behind the answer, or that nobody asked for", len(told))
			}
		})
	}
}

// TestProgressFrame holds that an answer is a stream exactly when there was
// progress that somebody asked for.
func TestProgressFrame(t *testing.T) {
	s := mcpserver.New(pacing(), mcpserver.Options{})
	web := serve(t, s)
	for token, kind := range map[string]string{"": "application/json", `,"progressToken":7`: "text/event-stream"} {
		req := request(t, web.URL, "tools/call", "tool_0", `"name":"tool_0"`)
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(body), `"_meta":{`, `"_meta":{"x":1`+token+`,`, 1)
		again := post(t, web.URL, text)
		again.Header = req.Header
		res, err := web.Client().Do(again)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != kind {
			t.Errorf("%q: %v %d %s: %s", token, err, res.StatusCode, res.Header.Get("Content-Type"), all)
		}
		if events := strings.Count(string(all), "event: message\ndata: {"); token != "" && (events < 2 || events > 4 || !strings.Contains(string(all), `"progressToken":7,"progress":2,"total":2,"message":"step"`)) {
			t.Errorf("%d events:\n%s", events, all)
		}
	}
}
