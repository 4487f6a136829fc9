package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// wary is a gateway that runs nothing before the user of the client agrees: the
// tool is named "ask". It keeps one approval for each call, answers it once and
// uses it once, as the gateway does.
type wary struct {
	fake
	mu      sync.Mutex // guards what follows
	pending map[approval.Binding]string
	refused map[approval.Binding]bool
	made    int     // approvals
	ran     int     // calls
	unasked []error // why questions had no answer
}

func newWary() *wary {
	return &wary{fake: fake{specs: numbered(1)}, pending: map[approval.Binding]string{}, refused: map[approval.Binding]bool{}}
}

// raise gives the approval that a call waits for.
func (w *wary) raise(b approval.Binding) (id string, refused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[b] == "" {
		w.made++
		w.pending[b] = fmt.Sprintf("apr_%d", w.made)
	}
	return w.pending[b], w.refused[b]
}

func (w *wary) Call(ctx context.Context, call tool.Call) tool.Result {
	digest := sha256.Sum256(call.Arguments)
	b := approval.Binding{Caller: call.Caller.ID, Chat: call.Chat.ID, Tool: call.Tool, Digest: hex.EncodeToString(digest[:])}
	form := approval.FormOf(ctx)
	if form == nil {
		approval.Missed(ctx)
		return failed(call, tool.Errorf(tool.NeedsApproval, "this client has no way to ask"))
	}
	id, refused := w.raise(b)
	if refused {
		return failed(call, tool.Errorf(tool.ApprovalDenied, "refused"))
	}
	approve, err := form.Ask(ctx, &approval.Question{ID: id, Tool: call.Tool, Reason: "it costs", Arguments: call.Arguments, Binding: b})
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		if !errors.Is(err, approval.ErrLater) {
			w.unasked = append(w.unasked, err)
		}
		waits := tool.Errorf(tool.NeedsApproval, "it waits")
		waits.Approval = id
		return failed(call, waits)
	case !approve:
		w.refused[b] = true
		return failed(call, tool.Errorf(tool.ApprovalDenied, "refused"))
	}
	delete(w.pending, b)
	w.ran++
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput("ran")}
}

// state is how many calls ran and how many approvals were made.
func (w *wary) state() (ran, made int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ran, w.made
}

// withForm is a client whose user does as told.
func withForm(user func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{ElicitationHandler: user})
}

// says is a user that always answers alike.
func says(action string, content map[string]any) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}
}

// TestUserIsAsked calls a tool through every door, with users of all kinds.
func TestUserIsAsked(t *testing.T) {
	tests := map[string]struct {
		user  func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		want  string // that the answer has; an error of the client will do too where it is "it waits"
		twice string // that the answer to the same call has, made again
	}{
		"approves":     {says("accept", map[string]any{"approve": true}), "ran", "ran"},
		"says no":      {says("accept", map[string]any{"approve": false}), "refused", "refused"},
		"declines":     {says("decline", nil), "refused", "refused"},
		"closes it":    {says("cancel", nil), "refused", "refused"},
		"says a text":  {says("accept", map[string]any{"approve": "true"}), "it waits", "it waits"},
		"says nothing": {says("accept", map[string]any{}), "it waits", "it waits"},
		"is not reached": {func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("no screen")
		}, "it waits", "it waits"},
	}
	for name, tt := range tests {
		for _, door := range doors {
			t.Run(name+", "+door.name, func(t *testing.T) {
				gw := newWary()
				s := mcpserver.New(gw, mcpserver.Options{})
				t.Cleanup(func() { _ = s.Close() })
				session := door.connectAs(t, s, withForm(tt.user))
				for _, want := range []string{tt.want, tt.twice} {
					if got := saidTo(t, session); !strings.Contains(got, want) {
						t.Errorf("the answer is %q, want %q", got, want)
					}
				}
				if ran, _ := gw.state(); (ran > 0) != (tt.want == "ran") {
					t.Errorf("%d calls ran", ran)
				}
			})
		}
	}
}

// saidTo calls the tool and gives the text of the answer; "it waits" for an error
// of the client, which may fail on what its user said by itself.
func saidTo(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"n": 1}})
	if err != nil {
		return "it waits: " + err.Error()
	}
	if len(res.Content) != 1 {
		t.Fatalf("%d blocks", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// TestQuestion holds what is asked, through every door.
func TestQuestion(t *testing.T) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			s := mcpserver.New(newWary(), mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			asked := make(chan *mcp.ElicitParams, 1)
			session := door.connectAs(t, s, withForm(func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked <- req.Params
				return &mcp.ElicitResult{Action: "decline"}, nil
			}))
			saidTo(t, session)
			got := wait(t, "a question", asked)
			if want := "Shall this call run? Answer only if you know what it does.\nTool: ask\nYou are asked because: it costs\nArguments: {\"n\":1}"; got.Message != want || got.Mode != "form" {
				t.Errorf("%s: %q", got.Mode, got.Message)
			}
			schema, err := json.Marshal(got.RequestedSchema)
			if err != nil {
				t.Fatal(err)
			}
			const want = `{"properties":{"approve":{"description":"Yes lets the call run, once. No refuses it.","title":"Approve this call","type":"boolean"}},"required":["approve"],"type":"object"}`
			if diff := cmp.Diff(want, string(schema)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNobodyIsAskedUndeclared holds that a client that declared no forms is asked
// nothing, and what it is told.
func TestNobodyIsAskedUndeclared(t *testing.T) {
	clients := map[string]*mcp.ClientCapabilities{
		"nothing": {},
		"links":   {Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
	}
	for name, caps := range clients {
		for _, door := range doors {
			t.Run(name+", "+door.name, func(t *testing.T) {
				gw := newWary()
				s := mcpserver.New(gw, mcpserver.Options{})
				t.Cleanup(func() { _ = s.Close() })
				opts := &mcp.ClientOptions{Capabilities: caps}
				if caps.Elicitation != nil {
					opts.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						t.Error("the user was asked")
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
					}
				}
				session := door.connectAs(t, s, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, opts))
				if got := saidTo(t, session); !strings.Contains(got, "no way to ask") {
					t.Errorf("the answer is %q", got)
				}
				if ran, made := gw.state(); ran+made != 0 {
					t.Errorf("%d calls ran, %d approvals were made", ran, made)
				}
			})
		}
	}
}

// TestClientLeavesTheQuestion gives up the call while the user is asked.
func TestClientLeavesTheQuestion(t *testing.T) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			gw := newWary()
			s := mcpserver.New(gw, mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			asked := make(chan struct{})
			session := door.connectAs(t, s, withForm(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(asked)
				<-ctx.Done()
				return nil, ctx.Err()
			}))
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{}})
				done <- err
			}()
			wait(t, "a question", asked)
			leave()
			if err := wait(t, "the end of the call", done); err == nil {
				t.Error("the call was answered")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if ran, made := gw.state(); ran != 0 || made != 1 {
				t.Errorf("%d calls ran, %d approvals were made", ran, made)
			}
		})
	}
}

// fixedKeys are what a store keeps.
type fixedKeys string

// Key gives the key.
func (k fixedKeys) Key(context.Context, string) ([]byte, error) { return []byte(k), nil }

// asking is a client of 2026-07-28 that is written out, with the name of its user.
type asking struct {
	t    *testing.T
	gw   *wary
	web  *httptest.Server
	user string
}

func newAsking(t *testing.T, gw *wary, keys mcpserver.Keys) *asking {
	s := mcpserver.New(gw, mcpserver.Options{Keys: keys})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := tool.Caller{ID: r.Header.Get("X-User"), Kind: tool.KindMCP}
		s.Handler().ServeHTTP(w, r.WithContext(tool.WithCaller(r.Context(), who)))
	}))
	t.Cleanup(func() {
		_ = s.Close()
		web.Close()
	})
	return &asking{t: t, gw: gw, web: web, user: "ann"}
}

// by is the same client in the hands of somebody else.
func (a asking) by(user string) *asking {
	a.user = user
	return &a
}

// reply is what an answer to a call may have.
type reply struct {
	Result *struct {
		ResultType    string                     `json:"resultType"`
		IsError       bool                       `json:"isError"`
		RequestState  string                     `json:"requestState"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Content       []struct{ Text string }    `json:"content"`
	} `json:"result"`
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

const canShowForms = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"0"}}`

// call calls the tool with more params; it gives the status and the answer.
func (a *asking) call(params string) (int, *reply) {
	a.t.Helper()
	return a.callIn("", `{"n":1}`, canShowForms, params)
}

func (a *asking) callIn(chat, args, meta, params string) (int, *reply) {
	a.t.Helper()
	req := post(a.t, a.web.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":`+args+`,`+meta+params+`}}`)
	for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask", "X-User": a.user, "X-Chat-Id": chat} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	status, body := answer(a.t, a.web.Client(), req)
	got := new(reply)
	if err := json.Unmarshal(body, got); err != nil {
		a.t.Fatalf("%v: %d %s", err, status, body)
	}
	return status, got
}

// question calls the tool and gives the state that comes with the question.
func (a *asking) question() string {
	a.t.Helper()
	_, got := a.call("")
	if word := got.word(); word != "asked" {
		a.t.Fatalf("%s, want a question", word)
	}
	return got.Result.RequestState
}

// yes are the params of a call that brings the user's agreement.
func yes(state string) string {
	return `,"inputResponses":{"approval":{"action":"accept","content":{"approve":true}}},"requestState":"` + state + `"`
}

// word says what an answer is.
func (r *reply) word() string {
	switch {
	case r.Error != nil:
		return fmt.Sprint(r.Error.Code)
	case r.Result == nil:
		return "nothing"
	case r.Result.ResultType == "input_required":
		if r.Result.RequestState == "" || len(r.Result.InputRequests) != 1 || r.Result.InputRequests["approval"] == nil || r.Result.IsError {
			return "a question that cannot be answered"
		}
		return "asked"
	case r.Result.ResultType != "complete" || len(r.Result.Content) != 1:
		return "an answer of another kind"
	}
	return strings.TrimPrefix(r.Result.Content[0].Text, "Error: ")
}

// TestBroughtAnswers brings answers with states that were made here, and with
// others.
func TestBroughtAnswers(t *testing.T) {
	keys := fixedKeys(strings.Repeat("k", 32))
	answered := func(answer string) func(string) string {
		return func(state string) string { return `,"inputResponses":` + answer + `,"requestState":"` + state + `"` }
	}
	tests := map[string]struct {
		params func(state string) string
		want   string
	}{
		"yes":                    {yes, "ran"},
		"no":                     {answered(`{"approval":{"action":"accept","content":{"approve":false}}}`), "refused"},
		"declined":               {answered(`{"approval":{"action":"decline"}}`), "refused"},
		"cancelled":              {answered(`{"approval":{"action":"cancel"}}`), "refused"},
		"a text":                 {answered(`{"approval":{"action":"accept","content":{"approve":"true"}}}`), "it waits"},
		"a number":               {answered(`{"approval":{"action":"accept","content":{"approve":1}}}`), "it waits"},
		"no content":             {answered(`{"approval":{"action":"accept"}}`), "it waits"},
		"another action":         {answered(`{"approval":{"action":"approve","content":{"approve":true}}}`), "it waits"},
		"not an answer":          {answered(`{"approval":{"roots":[]}}`), "it waits"},
		"and others":             {answered(`{"x":{"action":"decline"},"approval":{"action":"accept","content":{"approve":true}}}`), "ran"},
		"under another name":     {answered(`{"approve":{"action":"accept","content":{"approve":true}}}`), "asked"},
		"none":                   {answered(`{}`), "asked"},
		"null":                   {answered(`null`), "asked"},
		"a number for an answer": {answered(`{"approval":1}`), "-32020"}, // the SDK's
		"no state": {func(string) string {
			return `,"inputResponses":{"approval":{"action":"accept","content":{"approve":true}}}`
		}, "asked"},
		"an empty state":       {func(string) string { return yes("") }, "asked"},
		"a changed state":      {func(state string) string { return yes(state + "-TAMPERED") }, "-32602"},
		"a cut state":          {func(state string) string { return yes(state[:len(state)-1]) }, "-32602"},
		"a state of elsewhere": {func(string) string { return yes("x") }, "-32602"},
		"a huge state":         {func(string) string { return yes(strings.Repeat("A", 1<<20)) }, "-32602"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAsking(t, newWary(), keys)
			status, got := a.call(tt.params(a.question()))
			if got.word() != tt.want {
				t.Errorf("%d %s: %+v, want %s", status, got.word(), got.Error, tt.want)
			}
			if ran, _ := a.gw.state(); (ran > 0) != (tt.want == "ran") {
				t.Errorf("%d calls ran", ran)
			}
			if want := http.StatusBadRequest; (status == want) != (got.Error != nil) {
				t.Errorf("status %d", status)
			}
		})
	}
}

// TestStateIsForOneCall brings a yes to another call than the one that was asked
// about: its user is asked anew, and nothing runs.
func TestStateIsForOneCall(t *testing.T) {
	keys := fixedKeys(strings.Repeat("k", 32))
	a := newAsking(t, newWary(), keys)
	state := a.question()
	_, other := a.by("bob").call(yes(state))
	_, args := a.callIn("", `{"n":2}`, canShowForms, yes(state))
	_, chat := a.callIn("elsewhere", `{"n":1}`, canShowForms, yes(state))
	for name, got := range map[string]*reply{"another caller": other, "other arguments": args, "another chat": chat} {
		if got.word() != "asked" {
			t.Errorf("%s: %s, want a question", name, got.word())
		}
	}
	if ran, _ := a.gw.state(); ran != 0 {
		t.Fatalf("%d calls ran", ran)
	}
	if _, got := a.call(yes(state)); got.word() != "ran" {
		t.Errorf("the call itself: %s", got.word())
	}
	if _, got := a.call(yes(state)); got.word() != "asked" { // again: it was used
		t.Errorf("the call itself, again: %s", got.word())
	}
	if ran, _ := a.gw.state(); ran != 1 {
		t.Errorf("%d calls ran", ran)
	}
}

// TestOtherProcessTakesState holds that a state is taken by whoever has the key, and
// by nobody else.
func TestOtherProcessTakesState(t *testing.T) {
	gw, keys := newWary(), fixedKeys(strings.Repeat("k", 32))
	state := newAsking(t, gw, keys).question()
	for name, stranger := range map[string]mcpserver.Keys{"another key": fixedKeys(strings.Repeat("x", 32)), "a key of its own": nil} {
		if _, got := newAsking(t, gw, stranger).call(yes(state)); got.word() != "-32602" {
			t.Errorf("%s: %s", name, got.word())
		}
	}
	if _, got := newAsking(t, gw, keys).call(yes(state)); got.word() != "ran" {
		t.Errorf("the same key: %s", got.word())
	}
}

// noKeys is a store that cannot be used.
type noKeys struct{}

// Key fails.
func (noKeys) Key(context.Context, string) ([]byte, error) {
	return nil, errors.New("the disk is gone")
}

// TestNoKey holds that nothing is asked, and nothing runs, without a key.
func TestNoKey(t *testing.T) {
	a := newAsking(t, newWary(), noKeys{})
	for _, params := range []string{"", yes("x")} {
		if status, got := a.call(params); got.word() != "it waits" || status != http.StatusOK {
			t.Errorf("%d %s", status, got.word())
		}
	}
}

// TestMissingCapability holds the error of 2026-07-28 for a client that would have to
// ask and did not say that it can.
func TestMissingCapability(t *testing.T) {
	a := newAsking(t, newWary(), nil)
	for _, caps := range []string{`{}`, `{"sampling":{}}`, `{"elicitation":{"url":{}}}`} {
		meta := strings.Replace(canShowForms, `{"elicitation":{}}`, caps, 1)
		status, got := a.callIn("", `{"n":1}`, meta, "")
		if got.word() != "-32021" || status != http.StatusBadRequest {
			t.Fatalf("%s: %d %s", caps, status, got.word())
		}
		if want := `{"requiredCapabilities":{"elicitation":{"form":{}}}}`; !bytes.Equal(got.Error.Data, []byte(want)) || got.Error.Message != "Error: this client has no way to ask" {
			t.Errorf("%s: %s %s", caps, got.Error.Message, got.Error.Data)
		}
	}
	if _, made := a.gw.state(); made != 0 {
		t.Errorf("%d approvals were made", made)
	}
}

// TestQuestionIsOnTheStreamOfTheCall asks the user of a client of 2025-11-25 that has
// no other stream open than that of its call.
func TestQuestionIsOnTheStreamOfTheCall(t *testing.T) {
	gw := newWary()
	s := mcpserver.New(gw, mcpserver.Options{})
	web := serve(t, s)
	send := func(session, body string) *http.Response {
		req := post(t, web.URL, body)
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
			req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
		res, err := web.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	session := send("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"0"}}}`).Header.Get("Mcp-Session-Id")
	send(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	stream := send(session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{}}}`)
	if kind := stream.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("the answer is %s", kind)
	}
	events := bufio.NewScanner(stream.Body)
	next := func() (m struct {
		ID     json.RawMessage
		Method string
		Result struct{ Content []struct{ Text string } }
	},
	) {
		for events.Scan() {
			data, ok := strings.CutPrefix(events.Text(), "data: ")
			if !ok || data == "" {
				continue
			}
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			return m
		}
		t.Fatalf("the stream ended: %v", events.Err())
		return m
	}
	question := next()
	if question.Method != "elicitation/create" {
		t.Fatalf("the first message is %+v", question)
	}
	send(session, `{"jsonrpc":"2.0","id":`+string(question.ID)+`,"result":{"action":"accept","content":{"approve":true}}}`)
	if last := next(); string(last.ID) != "2" || len(last.Result.Content) != 1 || last.Result.Content[0].Text != "ran" {
		t.Errorf("the last message is %+v", last)
	}
}
