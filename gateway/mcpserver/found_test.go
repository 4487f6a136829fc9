package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// seeker is a gateway whose searches find one tool, which is in the list of the chat
// from then on, unless the list is steady.
type seeker struct {
	server *mcpserver.Server // told of what is found, as a chat desk would; may be nil

	mu    sync.Mutex // guards what follows
	found map[string]bool
	views []tool.View
	chats []tool.Chat // of calls
}

func (s *seeker) Tools(_ context.Context, view tool.View) []*tool.Spec {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views = append(s.views, view)
	if s.found[view.Chat.ID] && !view.Steady {
		return numbered(2)
	}
	return numbered(1)
}

func (s *seeker) Call(_ context.Context, call tool.Call) tool.Result {
	s.mu.Lock()
	s.chats = append(s.chats, call.Chat)
	search := &tool.Search{Spared: 77}
	if !s.found[call.Chat.ID] {
		search.Activated = []string{"tool_1"}
	}
	if s.found == nil {
		s.found = map[string]bool{}
	}
	s.found[call.Chat.ID] = true
	s.mu.Unlock()
	if s.server != nil {
		s.server.ToolsFound(tool.Anonymous, call.Chat.ID)
	}
	out := tool.TextOutput("found")
	out.Search = search
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: out}
}

func (s *seeker) AsksClient(_ context.Context, name string) bool {
	return strings.HasPrefix(name, "ask")
}

func (s *seeker) HasProfile(string) bool { return false }

// reader is a host that lists again when it is told to.
type reader struct {
	session *mcp.ClientSession
	told    atomic.Int64
	has     atomic.Int64 // tools that it knows of
	failed  atomic.Pointer[error]
}

func read(t *testing.T, transport mcp.Transport, version string) *reader {
	t.Helper()
	r := &reader{}
	ready := make(chan struct{})
	var lists sync.WaitGroup
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			r.told.Add(1)
			lists.Go(func() {
				<-ready
				list, err := r.session.ListTools(t.Context(), nil)
				switch {
				case err == nil:
					r.know(int64(len(list.Tools)))
				case t.Context().Err() == nil: // else the test is over
					r.failed.Store(&err)
				}
			})
		},
	})
	r.session = connect(t, client, transport, version)
	close(ready)
	t.Cleanup(func() {
		_ = r.session.Close()
		lists.Wait()
		if err := r.failed.Load(); err != nil {
			t.Error(*err)
		}
	})
	return r
}

// know notes how many tools a list had. One that was asked for before another may come
// after it.
func (r *reader) know(tools int64) {
	for had := r.has.Load(); had < tools && !r.has.CompareAndSwap(had, tools); had = r.has.Load() {
	}
}

// search searches by a tool, and gives how many tools the host knew of when it was
// answered.
func (r *reader) search(t *testing.T, name string) int64 {
	t.Helper()
	res, err := r.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
	has := r.has.Load()
	if err != nil {
		t.Fatal(err)
	}
	if spared, _ := json.Marshal(res.Meta["toolgate/spared_schema_tokens"]); string(spared) != "77" {
		t.Errorf("_meta is %v", res.Meta)
	}
	return has
}

// withoutStream is a client that never opens the stream of its session.
func withoutStream(t *testing.T, s *mcpserver.Server) mcp.Transport {
	web := serve(t, s)
	return &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client(), DisableStandaloneSSE: true}
}

// TestFoundInSession holds that a session has listed what a search found when the search
// is answered, and that no other is told of it.
func TestFoundInSession(t *testing.T) {
	tests := []struct {
		door entrance
		tool string
	}{
		{entrance{"http", overHTTP, "2025-11-25"}, "discover_tools"},
		{entrance{"http, no stream", withoutStream, "2025-06-18"}, "discover_tools"},
		{entrance{"http, by the SDK", overHTTP, "2025-06-18"}, "asks"},
		{entrance{"http, by the SDK, no stream", withoutStream, "2025-11-25"}, "asks"},
		{entrance{"stdio", overStdio, "2025-11-25"}, "discover_tools"},
	}
	for _, tt := range tests {
		t.Run(tt.door.name, func(t *testing.T) {
			gw := &seeker{}
			s := mcpserver.New(gw, mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			s.Hold(patience)
			if tt.tool == "discover_tools" { // else the chat tells of it as well
				gw.server = s
			}
			other := read(t, overHTTP(t, s), "2025-11-25")
			r := read(t, tt.door.open(t, s), tt.door.version)
			if has := r.search(t, tt.tool); has != 2 {
				t.Errorf("the host knows of %d tools, want 2", has)
			}
			r.search(t, tt.tool) // finds nothing new
			if told := r.told.Load(); told != 1 && gw.server == nil {
				t.Errorf("told %d times", told)
			}
			if told := other.told.Load(); told != 0 {
				t.Errorf("another session was told %d times", told)
			}
			if list, err := other.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 1 {
				t.Errorf("another session lists %v, %v", list, err)
			}
		})
	}
}

// TestFoundInNamedChat holds that the other sessions of a chat that a search found
// something in are told, but no subscriber.
func TestFoundInNamedChat(t *testing.T) {
	gw := &seeker{}
	s := mcpserver.New(gw, mcpserver.Options{})
	s.Hold(patience)
	gw.server = s
	web := serve(t, s)
	at := func(path string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: web.URL + path, HTTPClient: web.Client()}
	}
	mine := read(t, at("/chats/c/mcp"), "2025-11-25")
	friend := listenAt(t, at("/chats/c/mcp"), "2025-11-25")
	subscriber := listenAt(t, at("/chats/c/mcp"), "2026-07-28")
	said := int64(0)
	say := func() {
		said++
		s.ChatChanged(tool.Anonymous, "c")
	}
	for _, e := range []*ear{friend, subscriber} { // they hear by now
		untilHeard(t, say, e.heard)
	}
	if has := mine.search(t, "discover_tools"); has != 2 {
		t.Errorf("the host knows of %d tools, want 2", has)
	}
	untilHeard(t, func() { s.ToolsFound(tool.Anonymous, "c") }, friend.heard)
	untilHeard(t, say, subscriber.heard) // and has heard all that was said before
	if told := subscriber.times.Load(); told > said {
		t.Errorf("a subscriber was told %d times, and only %d times of the chat", told, said)
	}
	if list, err := subscriber.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 1 {
		t.Errorf("the list of 2026-07-28 changed: %v, %v", list, err)
	}
}

// TestSteady holds what is asked for in both eras: from 2026-07-28 a list without what
// the chat found, and before that the chat of the session.
func TestSteady(t *testing.T) {
	for _, door := range doors {
		t.Run(door.name, func(t *testing.T) {
			gw := &seeker{}
			s := mcpserver.New(gw, mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			s.Hold(patience)
			r := read(t, door.open(t, s), door.version)
			modern := door.version == "2026-07-28"
			want := int64(2)
			if modern {
				want = 0 // it is never told
			}
			if has := r.search(t, "discover_tools"); has != want {
				t.Errorf("the host knows of %d tools, want %d", has, want)
			}
			list, err := r.session.ListTools(t.Context(), nil)
			if err != nil || (len(list.Tools) == 2) == modern {
				t.Errorf("%v, %v", list, err)
			}
			r.search(t, "asks") // by the SDK
			own := r.session.ID() != "" || strings.HasPrefix(door.name, "stdio")
			if slices.ContainsFunc(gw.chats, func(c tool.Chat) bool { return c.ID != r.session.ID() || c.Session != own }) {
				t.Errorf("called in %+v", gw.chats)
			}
			if slices.ContainsFunc(gw.views, func(v tool.View) bool { return v.Steady != modern || v.Chat.Session != own }) {
				t.Errorf("asked for %+v", gw.views)
			}
		})
	}
}

// TestEndsWhileHeld holds that an answer that is held keeps nothing from ending: neither
// its session nor the server.
func TestEndsWhileHeld(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s *mcpserver.Server, url, id string){
		"the session": func(t *testing.T, _ *mcpserver.Server, url, id string) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", id)
			res, err := http.DefaultClient.Do(req)
			if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusNoContent {
				t.Errorf("%v, %v", res, err)
			}
		},
		"the server": func(_ *testing.T, s *mcpserver.Server, _, _ string) { _ = s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := mcpserver.New(&seeker{}, mcpserver.Options{})
			s.Hold(time.Hour) // unless it ends
			web := serve(t, s)
			told := make(chan struct{}, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
			})
			session := connect(t, client, &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client(), DisableStandaloneSSE: true}, "2025-11-25")
			answered := make(chan error, 1)
			go func() {
				_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "discover_tools"})
				answered <- err
			}()
			wait(t, "the notification", told)
			end(t, s, web.URL, session.ID())
			wait(t, "the answer", answered)
		})
	}
}

// TestSessionEnded holds that who keeps chats is told of sessions that end, and of no
// other.
func TestSessionEnded(t *testing.T) {
	ended := make(chan string, 4)
	s := mcpserver.New(&seeker{}, mcpserver.Options{SessionEnded: func(caller, chat string) { ended <- caller + " " + chat }})
	web := serve(t, s)
	var want []string
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		r := read(t, &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}, version)
		r.search(t, "discover_tools")
		if id := r.session.ID(); id != "" {
			want = append(want, tool.Anonymous+" "+id)
		}
		if version == "2025-11-25" {
			_ = r.session.Close()
			if got := wait(t, "the end of a session", ended); got != want[0] {
				t.Errorf("told of %q, want %q", got, want[0])
			}
		}
	}
	_ = s.Close()
	if got := wait(t, "the end of the server", ended); got != want[1] || len(ended) != 0 {
		t.Errorf("told of %q, want %q, and of %d more", got, want[1], len(ended))
	}
}
