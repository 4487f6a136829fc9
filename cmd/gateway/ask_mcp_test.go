package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// askConfig has a tool that leaves a mark when it runs, and one for each of who may
// answer.
const askConfig = `
version: 1
server: {listen: "127.0.0.1:0"}
tools:
  mark: {description: Marks., parameters: {type: object, properties: {who: {type: string}}}, command: {argv: [sh, -c, 'echo x >> marks; echo marked']}}
  anybody: {description: Marks., command: {argv: [sh, -c, 'echo x >> marks; echo marked']}}
  quick: {description: Marks., command: {argv: [sh, -c, 'echo x >> marks; echo marked']}}
policy:
  default: allow
  rules:
    - {name: user, tools: [mark], action: ask, approve_by: client, reason: It marks., summary: "Mark for ${args.who ?? 'nobody'}"}
    - {name: both, tools: [anybody], action: ask, approve_by: any}
    - {name: both and quick, tools: [quick], action: ask, approve_by: any, wait: 20ms}
`

// userAsked is a folder with a configuration and a program to serve it.
type userAsked struct {
	t           *testing.T
	bin, config string
	marks       string // the file with a line for each run
}

func newAsked(t *testing.T, bin string) *userAsked {
	dir := t.TempDir()
	a := &userAsked{t, bin, filepath.Join(dir, "tools.yaml"), filepath.Join(dir, "marks")}
	if err := os.WriteFile(a.config, []byte(askConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// ran is how often a tool ran.
func (a *userAsked) ran() int {
	a.t.Helper()
	data, err := os.ReadFile(a.marks)
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	return strings.Count(string(data), "x")
}

// connect serves the configuration to a client, over HTTP or pipes.
func (a *userAsked) connect(client *mcp.Client, transport, version string) *mcp.ClientSession {
	a.t.Helper()
	var way mcp.Transport
	if transport == "stdio" {
		way = &mcp.CommandTransport{Command: exec.CommandContext(a.t.Context(), a.bin, "serve", "--stdio", "--config", a.config)}
	} else {
		web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		way = &mcp.StreamableClientTransport{Endpoint: start(a.t, a.bin, "serve", "--config", a.config).url + "/mcp", HTTPClient: web}
	}
	session, err := client.Connect(a.t.Context(), way, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestAskingTheUser lets the users of clients of both eras, over both transports,
// agree, refuse, and never be asked.
func TestAskingTheUser(t *testing.T) {
	t.Parallel()
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	for _, transport := range []string{"http", "stdio"} {
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(transport+" "+version, func(t *testing.T) {
				t.Parallel()
				newAsked(t, bin).answers(transport, version)
			})
		}
	}
}

func (a *userAsked) answers(transport, version string) {
	t, asks := a.t, 0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asks++
			switch {
			case strings.Contains(req.Params.Message, "\nCall: Mark for ann\n"):
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
			case strings.Contains(req.Params.Message, "\nCall: Mark for bob\n"):
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": false}}, nil
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	session := a.connect(client, transport, version)
	steps := []struct{ tool, who, want, kind string }{
		{"mark", "ann", "marked", ""},
		{"mark", "ann", "marked", ""}, // each call is asked about
		{"mark", "bob", "refused", "approval_denied"},
		{"mark", "bob", "refused", "approval_denied"}, // this one stands
		{"anybody", "", "refused", "approval_denied"},
	}
	for i, s := range steps {
		said, kind := a.call(session, s.tool, s.who)
		if !strings.Contains(said, s.want) || kind != s.kind {
			t.Errorf("call %d is answered %s: %q, want %s: %q", i, kind, said, s.kind, s.want)
		}
	}
	if ran := a.ran(); ran != 2 || asks != 4 {
		t.Errorf("it ran %d times, the user was asked %d times", ran, asks)
	}
	silent := a.connect(mcp.NewClient(&mcp.Implementation{Name: "silent", Version: "0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}), transport, version)
	said, kind := a.call(silent, "mark", "eve")
	wantKind := "needs_approval"
	if version == "2026-07-28" {
		wantKind = "-32021"
	}
	if !strings.Contains(said, "this client has no way to ask") || kind != wantKind {
		t.Errorf("without forms: %s: %q, want %s", kind, said, wantKind)
	}
	if said, kind := a.call(silent, "quick", ""); kind != "needs_approval" || !strings.Contains(said, "(approval apr_") {
		t.Errorf("without forms, and anybody may answer: %s: %q", kind, said)
	}
	if ran := a.ran(); ran != 2 || asks != 4 {
		t.Errorf("without forms it ran %d times, the user was asked %d times", ran, asks)
	}
}

// TestClientGoneWhileAsked lets a client end while its user is asked: nothing runs,
// the call goes on waiting, and the next client asks about the same.
func TestClientGoneWhileAsked(t *testing.T) {
	t.Parallel()
	a := newAsked(t, build(t, "github.com/toolgate/toolgate/cmd/gateway"))
	gone := exec.CommandContext(t.Context(), a.bin, "serve", "--stdio", "--config", a.config)
	in, err := gone.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := gone.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Start(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"gone","version":"0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mark","arguments":{"who":"ann"}}}`,
	} {
		if _, err := fmt.Fprintln(in, line); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), `"elicitation/create"`) {
	}
	_ = in.Close()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := gone.Wait(); err != nil || a.ran() != 0 {
		t.Errorf("%v, and it ran %d times", err, a.ran())
	}
	next := mcp.NewClient(&mcp.Implementation{Name: "next", Version: "0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
		},
	})
	if said, kind := a.call(a.connect(next, "stdio", "2025-11-25"), "mark", "ann"); said != "marked\n" && said != "marked" || a.ran() != 1 {
		t.Errorf("the next client is answered %s: %q, and it ran %d times", kind, said, a.ran())
	}
	log, err := exec.CommandContext(t.Context(), a.bin, "log", "--config", a.config, "--json").Output()
	ids := regexp.MustCompile(`apr_[a-z0-9]+`).FindAllString(string(log), -1)
	if slices.Sort(ids); err != nil || len(slices.Compact(ids)) != 1 {
		t.Errorf("the log names the approvals %v, %v, want one: %s", ids, err, log)
	}
}

// call calls a tool; it gives the text and the error's type, or code.
func (a *userAsked) call(session *mcp.ClientSession, name, who string) (said, kind string) {
	a.t.Helper()
	args := map[string]any{}
	if name == "mark" {
		args["who"] = who
	}
	res, err := session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		wire, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok {
			a.t.Fatal(err)
		}
		return wire.Message, fmt.Sprint(wire.Code)
	}
	if failure, ok := res.Meta["toolgate/error"].(map[string]any); ok {
		kind, _ = failure["error_type"].(string)
	}
	return res.Content[0].(*mcp.TextContent).Text, kind
}

// TestAnswerAfterRestart asks a user on 2026-07-28 by one server, kills it, and
// brings the answer to the next one on the same store, and to one on another.
func TestAnswerAfterRestart(t *testing.T) {
	t.Parallel()
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	a := newAsked(t, bin)
	first := start(t, bin, "serve", "--config", a.config)
	question := callStateless(t, first.url, "ann", "")
	if question.Result.ResultType != "input_required" || question.Result.RequestState == "" || a.ran() != 0 {
		t.Fatalf("%+v, and it ran %d times", question, a.ran())
	}
	_ = first.cmd.Process.Kill()
	_ = first.cmd.Wait()
	yes := `,"inputResponses":{"approval":{"action":"accept","content":{"approve":true}}},"requestState":"` + question.Result.RequestState + `"`
	elsewhere := newAsked(t, bin)
	if got := callStateless(t, start(t, bin, "serve", "--config", elsewhere.config).url, "ann", yes); got.Error.Code != -32602 || elsewhere.ran() != 0 {
		t.Errorf("on another store: %+v, and it ran %d times", got, elsewhere.ran())
	}
	second, third := start(t, bin, "serve", "--config", a.config), start(t, bin, "serve", "--config", a.config)
	if got := callStateless(t, second.url, "bob", yes); got.Result.ResultType != "input_required" || a.ran() != 0 {
		t.Errorf("with other arguments: %+v, and it ran %d times", got, a.ran())
	}
	if got := callStateless(t, second.url, "ann", yes); got.Result.ResultType != "complete" || a.ran() != 1 {
		t.Errorf("after the restart: %+v, and it ran %d times", got, a.ran())
	}
	for _, again := range []*process{second, third} {
		if got := callStateless(t, again.url, "ann", yes); got.Result.ResultType != "input_required" || a.ran() != 1 {
			t.Errorf("the same again: %+v, and it ran %d times", got, a.ran())
		}
	}
}

// stateless is an answer of 2026-07-28.
type stateless struct {
	Result struct {
		ResultType   string `json:"resultType"`
		RequestState string `json:"requestState"`
	}
	Error struct {
		Code    int
		Message string
	}
}

// callStateless calls mark with more params.
func callStateless(t *testing.T, url, who, params string) (got stateless) {
	t.Helper()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"0"}}`
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mark","arguments":{"who":%q},%s%s}}`, who, meta, params)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mark",
	} {
		req.Header.Set(name, value)
	}
	_, text := exchange(t, req, "")
	if _, data, ok := strings.Cut(text, "data: "); ok {
		text, _, _ = strings.Cut(data, "\n")
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return got
}
