package host

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
)

const tellingConfig = `
version: 1
secrets: {key: {file: key}}
networks: {allow: [127.0.0.0/8]}
approvals: {webhook: {url: "%s/all", secret: "${secret.key}"}}
tools:
  pay: {description: Pay., parameters: {type: object, properties: {amount: {type: number}, note: {type: string}}}, expr: args.amount}
  wire: {description: Wire., expr: "1"}
  own: {description: Asks the user., expr: "1"}
policy:
  rules:
    - {name: payments, tools: [pay], action: ask, wait: 1ms}
    - {name: wires, tools: [wire], action: ask, wait: 1ms, notify: {url: "%s/wires", secret: "${secret.key}"}}
    - {name: theirs, tools: [own], action: ask, wait: 1ms, approve_by: client}
`

// hookServer is a service that is told of approvals. It answers as it is told to,
// and 200 in the end.
type hookServer struct {
	web      *httptest.Server
	statuses chan int // what the next requests are answered
	told     chan string
	ids      atomic.Pointer[string] // the webhook-id of the last request
}

func newHookServer(t *testing.T, statuses ...int) *hookServer {
	t.Helper()
	s := &hookServer{statuses: make(chan int, 100), told: make(chan string, 100)}
	for _, status := range statuses {
		s.statuses <- status
	}
	s.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := r.Header.Get("Webhook-Id")
		s.ids.Store(&id)
		status := http.StatusOK
		select {
		case status = <-s.statuses:
		default:
		}
		w.WriteHeader(status)
		s.told <- fmt.Sprintf("%d %s %s", status, r.URL.Path, body)
	}))
	t.Cleanup(s.web.Close)
	return s
}

// telling is a server on a configuration; the function ends it.
func telling(t *testing.T, file string) (*Server, func()) {
	t.Helper()
	h, err := Open(serving(file))
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(h, ServerOptions{})
	s.teller.pause = time.Millisecond
	stop := s.teller.begin(t.Context())
	return s, func() {
		stop()
		_ = s.MCP.Close()
		_ = h.Close()
	}
}

func writeTelling(t *testing.T, file string, hooks *hookServer) string {
	t.Helper()
	text := fmt.Sprintf(tellingConfig, hooks.web.URL, hooks.web.URL)
	if file == "" {
		file = writeConfig(t, text)
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), "key"), []byte("hunter22hunter22"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// raise makes a call that waits, and gives its approval.
func (s *Server) raise(t *testing.T, name, args string) string {
	t.Helper()
	r := s.Gateway.Call(t.Context(), tool.Call{
		ID: tool.NewCallID(), Tool: name, Arguments: json.RawMessage(args), Via: tool.ViaDirect, Chat: tool.Chat{ID: "c"},
		Caller: tool.Caller{ID: "agent", Name: "agent", Kind: tool.KindHTTP, May: []tool.Right{tool.MayCall}},
	})
	if r.Error == nil || name != "own" && r.Error.Approval == "" {
		t.Fatalf("%s: %v", name, r.Error)
	}
	return r.Error.Approval
}

// untilTold waits until the store has that somebody was told.
func (s *Server) untilTold(t *testing.T, id string) {
	t.Helper()
	for {
		a, err := s.Gateway.Approval(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if a.Told {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTelling: a webhook that fails is tried again until it takes what it is told,
// which is the object of the HTTP API, once and without secrets.
func TestTelling(t *testing.T) {
	t.Parallel()
	hooks := newHookServer(t, 500, 307, 429)
	s, stop := telling(t, writeTelling(t, "", hooks))
	defer stop()
	s.raise(t, "own", "{}") // nobody at the desk could answer it
	id := s.raise(t, "pay", `{"amount":250,"note":"hunter22hunter22"}`)
	var last string
	for _, status := range []string{"500", "307", "429", "200"} {
		if last = <-hooks.told; !strings.HasPrefix(last, status+" /all {") {
			t.Errorf("told %s, want %s", last, status)
		}
	}
	if got := *hooks.ids.Load(); got != id {
		t.Errorf("the message is %s, want %s", got, id)
	}
	s.untilTold(t, id)
	var message struct {
		Type      string
		Timestamp time.Time
		Data      approval.Shown
	}
	if err := json.Unmarshal([]byte(last[len("200 /all "):]), &message); err != nil {
		t.Fatal(err)
	}
	a, err := s.Gateway.Approval(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := a.Show(time.Now())
	want.Notified = false // it was told of this before that was known
	if diff := cmp.Diff(want, message.Data); diff != "" || message.Type != "approval.requested" || message.Timestamp.IsZero() || strings.Contains(last, "hunter22") {
		t.Errorf("%s %v: %s", message.Type, message.Timestamp, diff)
	}
	// A rule with a webhook of its own. What was answered meanwhile is told no more.
	other := s.raise(t, "wire", "{}")
	if got := <-hooks.told; !strings.HasPrefix(got, `200 /wires {"type":"approval.requested","timestamp":"`) || !strings.Contains(got, other) {
		t.Error(got)
	}
	if len(hooks.told) > 0 {
		t.Errorf("told of one thing twice: %s", <-hooks.told)
	}
}

// TestTellingAfterRestart: what a server could not tell is told by the next one, at
// the address of its configuration.
func TestTellingAfterRestart(t *testing.T) {
	t.Parallel()
	failing := newHookServer(t, slicesOf(503, 90)...)
	file := writeTelling(t, "", failing)
	first, stop := telling(t, file)
	id := first.raise(t, "pay", `{"amount":1}`)
	<-failing.told
	stop()
	hooks := newHookServer(t)
	second, stop := telling(t, writeTelling(t, file, hooks))
	defer stop()
	if got := <-hooks.told; !strings.Contains(got, id) {
		t.Error(got)
	}
	second.untilTold(t, id)
}

// TestTellingBehindMany: what was not told is told after a restart, also where more
// calls came after it than are read at a time.
func TestTellingBehindMany(t *testing.T) {
	t.Parallel()
	hooks := newHookServer(t)
	h, err := Open(serving(writeTelling(t, "", hooks)))
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(h, ServerOptions{})
	defer func() { _, _ = s.MCP.Close(), h.Close() }()
	id := s.raise(t, "pay", `{"amount":1}`)
	for i := range 2*approval.MaxLimit + 1 {
		now := time.Now()
		if _, err := h.Approvals.Raise(t.Context(), &approval.Approval{
			Binding: approval.Binding{Caller: fmt.Sprint("caller ", i/approval.MaxPending), Tool: "pay", Digest: fmt.Sprint(i)}, Arguments: []byte("{}"),
			Rule: "payments", Where: approval.AtDesk, Created: now, Expires: now.Add(time.Hour), Told: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	news := &approvalNews{feed: s.Feed, metrics: s.Metrics, logger: s.logger, open: map[string]approval.State{}}
	if news.begin(t.Context(), h.Approvals); news.pending != 2*approval.MaxLimit+2 {
		t.Errorf("%d wait, as the figures say", news.pending)
	}
	defer s.teller.begin(t.Context())()
	if got := <-hooks.told; !strings.Contains(got, id) {
		t.Error(got)
	}
	s.untilTold(t, id)
}

func slicesOf(status, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = status
	}
	return all
}

// TestTellingAfterReload: a new address counts for what waits to be told.
func TestTellingAfterReload(t *testing.T) {
	t.Parallel()
	failing, hooks := newHookServer(t, slicesOf(503, 90)...), newHookServer(t)
	file := writeTelling(t, "", failing)
	s, stop := telling(t, file)
	defer stop()
	id := s.raise(t, "pay", `{"amount":1}`)
	<-failing.told
	defer s.KeepLoaded(t.Context(), Reloads{})()
	text := fmt.Sprintf(tellingConfig, hooks.web.URL, failing.web.URL) // nothing else is another
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reloader.Reload(t.Context(), "request"); err != nil {
		t.Fatal(err)
	}
	if got := <-hooks.told; !strings.Contains(got, id) {
		t.Error(got)
	}
	s.untilTold(t, id)
}

// TestTellingGone: a webhook that says that it is gone is not asked again, and the
// call is answered all the same.
func TestTellingGone(t *testing.T) {
	t.Parallel()
	hooks := newHookServer(t, http.StatusGone)
	s, stop := telling(t, writeTelling(t, "", hooks))
	defer stop()
	id := s.raise(t, "pay", `{"amount":1}`)
	if got := <-hooks.told; !strings.HasPrefix(got, "410 ") {
		t.Error(got)
	}
	for {
		s.teller.mu.Lock()
		unsent := s.teller.unsent[id]
		s.teller.mu.Unlock()
		if unsent {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.teller.look(t.Context())
	if len(hooks.told) > 0 {
		t.Error("it was told again")
	}
	if a, err := s.Gateway.Approval(t.Context(), id); err != nil || a.Told || a.State != approval.Pending {
		t.Errorf("%+v, %v", a, err)
	}
}
