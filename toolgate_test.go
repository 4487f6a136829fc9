package toolgate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// worker is this test binary, as a process that runs programs.
var worker toolgate.Worker

func TestMain(m *testing.M) {
	worker = toolgate.ThisProgram()
	goleak.VerifyTestMain(m)
}

const shop = `
version: 1
tools:
  price: {description: Give a price., tags: [read_only], parameters: {type: object, properties: {n: {type: integer}}, required: [n]}, expr: args.n * 3}
  refund: {description: Give money back., expr: '"paid"'}
  who: {description: Say who calls., expr: '"?"'}
policy:
  rules:
    - {name: reads, tags: [read_only], action: allow}
    - {name: staff, tools: [refund], when: 'caller.kind == "go" && "staff" in caller.groups', action: allow}
    - {name: nobody, tools: [who], action: deny}
    - {name: no, tools: [refund], action: deny, reason: Only staff gives money back., show: true}
`

func open(t *testing.T, opts toolgate.Options) *toolgate.Gateway {
	t.Helper()
	gw, err := toolgate.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
	return gw
}

func call(gw *toolgate.Gateway, ctx context.Context, name, args string) string {
	r := gw.Call(ctx, tool.Call{Tool: name, Arguments: json.RawMessage(args)})
	return r.Output.Text()
}

// TestCallers: rules see who calls: the program, who it names, or who its context names.
func TestCallers(t *testing.T) {
	t.Parallel()
	const denied = "Error: calling refund is not allowed: Only staff gives money back"
	gw := open(t, toolgate.Options{YAML: shop})
	staff := tool.Caller{ID: "ann", Groups: []string{"staff"}}
	if got := call(gw, t.Context(), "refund", ""); !strings.HasPrefix(got, denied) {
		t.Error("the program:", got)
	}
	if got := call(gw, tool.WithCaller(t.Context(), staff), "refund", ""); got != "paid" {
		t.Error("of the context:", got)
	}
	r := gw.Call(t.Context(), tool.Call{Tool: "refund", Caller: staff})
	if r.Error != nil {
		t.Error("named:", r.Error)
	}
	staff.Kind = tool.KindHTTP
	if got := call(gw, tool.WithCaller(t.Context(), staff), "refund", ""); !strings.HasPrefix(got, denied) {
		t.Error("of another kind:", got)
	}
	if r := gw.Call(t.Context(), tool.Call{Tool: "price"}); r.Error == nil || r.Error.Code != tool.InvalidArgs {
		t.Error("without an argument:", r.Error)
	}
	var names []string
	for _, s := range gw.Tools(t.Context(), tool.View{}) {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); !strings.Contains(got, "price") || strings.Contains(got, "who") {
		t.Error("listed:", got)
	}
	program := open(t, toolgate.Options{YAML: shop, Caller: tool.Caller{ID: "job", Groups: []string{"staff"}}})
	if got := call(program, t.Context(), "refund", ""); got != "paid" {
		t.Error("Options.Caller:", got)
	}
}

// TestRegister: 50 callers call what comes and goes, and are answered or told that there
// is no such tool.
func TestRegister(t *testing.T) {
	t.Parallel()
	gw := open(t, toolgate.Options{YAML: shop, Set: []string{"policy.default=allow"}})
	made := tool.Func("made", "Answer.", func(context.Context, struct{}) (string, error) { return "made", nil })
	var callers sync.WaitGroup
	var answered, missed atomic.Int64
	over := make(chan struct{})
	for range 50 {
		callers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				switch r := gw.Call(t.Context(), tool.Call{Tool: "made"}); {
				case r.Error == nil && r.Output.Text() == "made":
					answered.Add(1)
				case r.Error != nil && (r.Error.Code == tool.NotFound || r.Error.Code == tool.Overloaded):
					missed.Add(1)
				default:
					t.Errorf("%+v", r.Error)
				}
			}
		})
	}
	for range 20 {
		undo, err := gw.Register(made)
		if err != nil {
			t.Fatal(err)
		}
		if r := gw.Call(t.Context(), tool.Call{Tool: "made"}); r.Error != nil && r.Error.Code != tool.Overloaded {
			t.Error(r.Error)
		}
		undo()
		undo()
		if r := gw.Call(t.Context(), tool.Call{Tool: "made"}); r.Error == nil {
			t.Error("it is there still")
		}
	}
	close(over)
	callers.Wait()
	t.Logf("%d answered, %d missed", answered.Load(), missed.Load())
	if _, err := gw.Register(tool.Func("price", "Another price.", func(context.Context, struct{}) (string, error) { return "", nil })); diag.As(err) == nil {
		t.Error("a name that is taken:", err)
	}
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	if _, err := gw.Register(made); err == nil {
		t.Error("it came into a closed gateway")
	}
}

// TestEndlessCalls: a tool that calls itself for ever is stopped at gateway.MaxDepth calls
// inside of each other, and who called it is told.
func TestEndlessCalls(t *testing.T) {
	t.Parallel()
	var gw *toolgate.Gateway
	runs := 0
	again := tool.Func("again", "Call itself.", func(ctx context.Context, _ struct{}) (string, error) {
		runs++
		if r := gw.Call(ctx, tool.Call{Tool: "again"}); r.Error != nil {
			return "", r.Error
		}
		return "", nil
	})
	gw = open(t, toolgate.Options{Tools: []*tool.Tool{again}, YAML: "version: 1\npolicy: {default: allow}\n"})
	r := gw.Call(t.Context(), tool.Call{Tool: "again"})
	if r.Error == nil || r.Error.Code != tool.UpstreamError || !strings.Contains(r.Text(), "calls lie inside of each other") || runs != gateway.MaxDepth+1 {
		t.Errorf("%d runs, %v", runs, r.Error)
	}
}

// TestNested: a tool that makes calls makes them as whoever called it, in the same chat,
// and cannot be used to get past a rule.
func TestNested(t *testing.T) {
	t.Parallel()
	var gw *toolgate.Gateway
	outer := tool.Func("outer", "Pay by another tool.", func(ctx context.Context, _ struct{}) (string, error) {
		r := gw.Call(ctx, tool.Call{Tool: "inner"})
		if r.Error != nil {
			return "", r.Error
		}
		return "outer of " + r.Output.Text(), nil
	})
	inner := tool.Func("inner", "Pay.", func(ctx context.Context, _ struct{}) (string, error) {
		call, ok := tool.CallFrom(ctx)
		if !ok || call.Depth != 1 || call.Parent == "" {
			t.Errorf("called at depth %d, from %q", call.Depth, call.Parent)
		}
		return string(call.Caller.Kind) + " " + call.Caller.ID + " in " + call.Chat.ID, nil
	})
	gw = open(t, toolgate.Options{Tools: []*tool.Tool{outer, inner}, YAML: `
version: 1
policy:
  rules:
    - {name: all, tools: [outer], action: allow}
    - {name: known, tools: [inner], when: caller.id != "anonymous", action: allow}
`})
	who := tool.CallerOf(t.Context(), tool.KindHTTP)
	if r := gw.Call(t.Context(), tool.Call{Tool: "outer", Caller: who}); r.Error == nil || r.Error.Code != tool.NotFound {
		t.Errorf("nobody: %+v", r.Error)
	}
	who.ID = "ann"
	r := gw.Call(t.Context(), tool.Call{Tool: "outer", Caller: who, Chat: tool.Chat{ID: "c"}})
	if got := r.Output.Text(); got != "outer of http ann in c" {
		t.Error(got)
	}
}

// TestStarted: a call that was started outlives its context, is cancelled by who started
// it, and ends with the gateway.
func TestStarted(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context, _ struct{}) (string, error) {
		tool.Progress(ctx, tool.Step{Done: 1})
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	gw := open(t, toolgate.Options{Tools: []*tool.Tool{tool.Func("wait", "Wait.", wait)}})
	ctx, stop := context.WithCancel(t.Context())
	steps := make(chan tool.Step, 9)
	first, err := gw.Start(tool.WithProgress(ctx, func(s tool.Step) { steps <- s }), tool.Call{Tool: "wait"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := gw.Start(ctx, tool.Call{Tool: "wait"})
	if err != nil || first.ID() == second.ID() {
		t.Fatal(err)
	}
	if s := <-steps; s.Done != 1 {
		t.Error(s)
	}
	stop()
	if _, err := first.Result(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	first.Cancel()
	if r, err := first.Result(t.Context()); err != nil || r.Error == nil || r.Error.Code != tool.Cancelled {
		t.Errorf("%+v, %v", r.Error, err)
	}
	if status, ok := second.Status(); !ok || status.Result != nil {
		t.Errorf("%+v", status)
	}
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	if status, ok := second.Status(); !ok || status.Result == nil || status.Result.Error.Code != tool.Interrupted {
		t.Errorf("%+v", status)
	}
}

// TestTwo opens two gateways in one process: each has its own tools and state, and
// leaves nothing behind.
func TestTwo(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	store := filepath.Join(temp, "state", "gateway.db")
	first := open(t, toolgate.Options{YAML: shop})
	second := open(t, toolgate.Options{YAML: strings.ReplaceAll(shop, "* 3", "* 5"), Store: store})
	if a, b := call(first, t.Context(), "price", `{"n":2}`), call(second, t.Context(), "price", `{"n":2}`); a != "6" || b != "10" {
		t.Errorf("%s and %s", a, b)
	}
	for range 2 {
		if err := errors.Join(first.Close(), second.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(store); err != nil {
		t.Error(err)
	}
}

// TestTemporary: without any file, and without a word about the store, nothing is left.
func TestTemporary(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	gw := open(t, toolgate.Options{})
	if r := gw.Call(t.Context(), tool.Call{Tool: "none"}); r.Error == nil || r.Error.Code != tool.NotFound {
		t.Error(r.Error)
	}
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	kept := filepath.Join(temp, "kept.db")
	if err := open(t, toolgate.Options{YAML: "version: 1\nstore: {url: 'sqlite:" + kept + "'}\n"}).Close(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "kept.db") {
			t.Error("left:", e.Name())
		}
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// TestMistakes: what is wrong has its place, and nothing is open.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		opts toolgate.Options
		want string
	}{
		{"a key", toolgate.Options{YAML: "version: 1\ntols: {}\n"}, "options.yaml:2:1: tols: unknown key (did you mean tools?)"},
		{"no such file", toolgate.Options{Files: []string{"none.yaml"}}, "none.yaml: there is no such file"},
		{"a setting", toolgate.Options{Set: []string{"log.level=loud"}}, `"loud"`},
		{"no worker", toolgate.Options{YAML: "version: 1\ncode_interpreter: {enabled: true}\n"}, "it sets Options.Worker"},
		{"no hook", toolgate.Options{Before: []gateway.Before{nil}}, "Options.Before[0] is nil (give a function, or leave it out)"},
		{
			"nothing at all",
			toolgate.Options{Tools: []*tool.Tool{nil}, After: []gateway.After{nil}, Observe: []gateway.Observer{counted{}, nil}},
			"Options.Tools[0] is nil (give a tool, or leave it out)\n" +
				"Options.After[0] is nil (give a function, or leave it out)\n" +
				"Options.Observe[1] is nil (give an observer, or leave it out)",
		},
		{"no store", toolgate.Options{Store: filepath.Join(os.DevNull, "x", "gateway.db")}, "not a directory"},
	} {
		gw, err := toolgate.Open(t.Context(), c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if gw != nil {
			_ = gw.Close()
		}
	}
	opts := toolgate.Options{YAML: shop, Tools: []*tool.Tool{nil}}
	if err := toolgate.Check(opts); err == nil || err.Error() != "Options.Tools[0] is nil (give a tool, or leave it out)" {
		t.Error("checked:", err)
	}
}

// TestLayers: a text of the program changes what files say, and files are read again
// when somebody asks.
func TestLayers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(shop)
	gw := open(t, toolgate.Options{Files: []string{file}, YAML: "tools: {price: {expr: args.n * 7}}\n", Still: true})
	if got := call(gw, t.Context(), "price", `{"n":2}`); got != "14" {
		t.Error(got)
	}
	write(strings.ReplaceAll(shop, "Only staff", "Nobody"))
	if res, err := gw.Reload(t.Context()); err != nil || res.Generation != 2 {
		t.Error(res, err)
	}
	if got := call(gw, t.Context(), "refund", ""); !strings.HasPrefix(got, "Error: calling refund is not allowed: Nobody gives") {
		t.Error(got)
	}
	write("tols: 1\n")
	if _, err := gw.Reload(t.Context()); diag.As(err) == nil {
		t.Error(err)
	}
	if got := call(gw, t.Context(), "price", `{"n":2}`); got != "14" {
		t.Error(got)
	}
}

// TestDoors mounts the doors on a mux of the program's own, and stops them.
func TestDoors(t *testing.T) {
	t.Parallel()
	gw := open(t, toolgate.Options{YAML: shop})
	mux := http.NewServeMux()
	mux.Handle("/agent/", http.StripPrefix("/agent", gw.Handler()))
	mux.Handle("/mcp", gw.MCP())
	mux.Handle("/v1/", gw.HTTP())
	web := httptest.NewUnstartedServer(mux)
	stopped := make(chan error, 1)
	web.Config.RegisterOnShutdown(func() { stopped <- gw.Stop() })
	web.Start()
	post := func(path, body string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "price",
		} {
			req.Header.Set(key, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"price","arguments":{"n":4},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`
	for path, body := range map[string]string{
		"/mcp": message, "/agent/mcp": message,
		"/v1/tools/price/call": `{"n":4}`, "/agent/v1/tools/price/call": `{"n":4}`,
	} {
		if got := post(path, body); !strings.Contains(got, `"text":"12"`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	events, err := http.Get(web.URL + "/v1/events") // a stream without an end of its own
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Body.Close() }()
	if err := errors.Join(web.Config.Shutdown(t.Context()), <-stopped); err != nil {
		t.Error(err)
	}
	web.Close()
	http.DefaultClient.CloseIdleConnections()
}

// TestServe serves until it is told to stop, and logs without secrets.
func TestServe(t *testing.T) {
	t.Setenv("SHOP_TOKEN", "hunter22hunter22")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := &stopAt{word: "serving", stop: stop}
	gw := open(t, toolgate.Options{
		YAML: shop + "secrets: {token: {env: SHOP_TOKEN}}\n", Set: []string{"server.listen=127.0.0.1:0", "server.token=${secret.token}"},
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	_ = call(gw, tool.WithCaller(ctx, tool.Caller{ID: "hunter22hunter22"}), "price", `{"n":1}`)
	if err := gw.Serve(ctx); err != nil {
		t.Error(err)
	}
	if text := log.String(); !strings.Contains(text, "msg=stopping") || !strings.Contains(text, "msg=call") || strings.Contains(text, "hunter22") {
		t.Error(text)
	}
}

// stopAt takes log lines and stops who writes them at one that holds a word.
type stopAt struct {
	bytes.Buffer
	word string
	stop context.CancelFunc
}

func (s *stopAt) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(s.word)) {
		s.stop()
	}
	return s.Buffer.Write(line)
}

// TestBatch answers in the order of the calls, with the caller of the context.
func TestBatch(t *testing.T) {
	t.Parallel()
	gw := open(t, toolgate.Options{YAML: shop})
	results, err := gw.Batch(tool.WithCaller(t.Context(), tool.Caller{ID: "ann", Groups: []string{"staff"}}), []tool.Call{
		{Tool: "price", Arguments: json.RawMessage(`{"n":1}`)}, {Tool: "none"}, {Tool: "refund"},
	}, batch.Options{})
	if err != nil || len(results) != 3 || results[0].Output.Text() != "3" || results[1].Error == nil || results[2].Output.Text() != "paid" {
		t.Errorf("%+v, %v", results, err)
	}
}

// TestCheck: what is wrong and what is doubtful are both told.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		yaml, want string
		fails      bool
	}{
		{"version: 1\npolicy: {default: allow}\ntools: {one: {description: One., expr: '1'}}\n", "", false},
		{shop, "options.yaml:6:3: tools.who: warning: rule \"nobody\" denies every call of this tool", false},
		{"version: 1\ntools: {one: {description: One., expr: '1'}}\n", "policy", false},
		{"version: 1\ntools: {one: {description: One., expr: '1 +'}}\n", "options.yaml:2:", true},
		{"version: 1\npolicy: {default: allow}\ncode_interpreter: {enabled: true}\n", "it sets Options.Worker", true},
	} {
		err := toolgate.Check(toolgate.Options{YAML: c.yaml})
		switch {
		case c.want == "" && err == nil:
		case err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) || (diag.As(err).Err() != nil) != c.fails:
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// TestStdio serves one client on two pipes.
func TestStdio(t *testing.T) {
	t.Parallel()
	gw := open(t, toolgate.Options{YAML: shop})
	var out bytes.Buffer
	in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}` + "\n"))
	if err := gw.ServeStdio(t.Context(), in, &out); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `"serverInfo"`) {
		t.Error(out.String())
	}
}

// TestPrograms runs a program of code_interpreter in this test binary started again.
func TestPrograms(t *testing.T) {
	t.Parallel()
	runtime := pythontest.Runtime(t).Folder
	gw := open(t, toolgate.Options{YAML: "version: 1\ncode_interpreter: {enabled: true, workers: 1, runtime: '" + runtime + "'}\npolicy: {default: allow}\n", Worker: worker})
	r := gw.Call(t.Context(), tool.Call{Tool: "code_interpreter", Arguments: json.RawMessage(`{"code":"6 * 7"}`)})
	if !strings.Contains(r.Output.Text(), "42") {
		t.Error(r.Output.Text(), r.Error)
	}
}

// TestClosed: what comes after Close is told that the gateway stops, and does nothing.
func TestClosed(t *testing.T) {
	t.Parallel()
	ran := false
	touch := tool.Func("touch", "Touch.", func(context.Context, struct{}) (string, error) { ran = true; return "touched", nil })
	gw, err := toolgate.Open(t.Context(), toolgate.Options{Tools: []*tool.Tool{touch}})
	if err != nil {
		t.Fatal(err)
	}
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	results, err := gw.Batch(t.Context(), []tool.Call{{Tool: "touch"}}, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gw.Start(t.Context(), tool.Call{Tool: "touch"})
	started, _ := errors.AsType[*tool.Error](err)
	for way, got := range map[string]*tool.Error{"call": gw.Call(t.Context(), tool.Call{Tool: "touch"}).Error, "batch": results[0].Error, "start": started} {
		if got == nil || got.Code != tool.Interrupted || got.Message != "the gateway is stopping, so the call was not run" || !got.Retryable {
			t.Errorf("%s: %+v", way, got)
		}
	}
	if _, err := gw.Reload(t.Context()); err == nil || err.Error() != "the gateway is closed" {
		t.Error("reload:", err)
	}
	if ran {
		t.Error("the tool ran")
	}
}
