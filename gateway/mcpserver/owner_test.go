package mcpserver

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// asker is a gateway that notes who calls and who lists.
type asker struct{ callers []tool.Caller }

func (a *asker) Call(_ context.Context, call tool.Call) tool.Result {
	a.callers = append(a.callers, call.Caller)
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput("done")}
}

func (a *asker) Tools(_ context.Context, view tool.View) []*tool.Spec {
	a.callers = append(a.callers, view.Caller)
	return nil
}

func (*asker) AsksClient(context.Context, string) bool { return false }

func (*asker) HasProfile(string) bool { return false }

const (
	list  = `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`
	callX = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":{}}}`
)

// as is the handler for requests that the caller sent.
func as(h http.Handler, who tool.Caller) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := context.WithTimeout(r.Context(), 5*time.Second) // for streams that should not open
		defer stop()
		h.ServeHTTP(w, r.WithContext(tool.WithCaller(ctx, who)))
	})
}

// TestSessionOfAnotherCaller holds that a session is its caller's: whatever
// another one sends to it is answered, to the byte, like what is sent to no
// session, and has no effect on it.
func TestSessionOfAnotherCaller(t *testing.T) {
	s := New(&asker{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	ann := as(h, tool.Caller{ID: "ann", Name: "ann"})
	bob := as(h, tool.Caller{ID: "bob", Name: "bob"})
	id := open(ann).Header().Get(headerSession)
	send(ann, http.MethodPost, initialized, headerSession, id)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodPut} {
		for _, body := range []string{ping, list, initialized, "no JSON", ""} {
			for name, other := range map[string]http.Handler{"bob": bob, "nobody": as(h, tool.Caller{ID: tool.Anonymous})} {
				theirs := send(other, method, body, headerSession, id)
				unknown := send(other, method, body, headerSession, "NOSUCHSESSION")
				if theirs.Code != unknown.Code || theirs.Body.String() != unknown.Body.String() || cmp.Diff(unknown.Header(), theirs.Header()) != "" {
					t.Errorf("%s, %s %.20q: %d %s, and for no session %d %s", name, method, body, theirs.Code, theirs.Body, unknown.Code, unknown.Body)
				}
				if method == http.MethodPost && body == ping && theirs.Code != http.StatusNotFound {
					t.Errorf("%s: %d, want 404", name, theirs.Code)
				}
			}
		}
	}
	if res := send(ann, http.MethodPost, ping, headerSession, id); res.Code != http.StatusOK {
		t.Errorf("ann's session after all that: %d %s", res.Code, res.Body)
	}
}

// TestSessionCallerIsThatOfTheRequest holds that groups and rights are those
// that the caller has now, not those with which the session began.
func TestSessionCallerIsThatOfTheRequest(t *testing.T) {
	a := &asker{}
	s := New(a, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	before := tool.Caller{ID: "ann", Name: "ann", Groups: []string{"staff"}, May: []tool.Right{tool.MayAdmin}}
	now := tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindMCP, May: []tool.Right{tool.MayCall}}
	id := open(as(h, before)).Header().Get(headerSession)
	ann := as(h, now)
	send(ann, http.MethodPost, initialized, headerSession, id)
	send(ann, http.MethodPost, list, headerSession, id)
	send(ann, http.MethodPost, callX, headerSession, id)
	if diff := cmp.Diff([]tool.Caller{now, now}, a.callers); diff != "" {
		t.Error(diff)
	}
}

// TestSessionHeaderOfTheNewEra holds that a request without sessions cannot
// borrow one.
func TestSessionHeaderOfTheNewEra(t *testing.T) {
	a := &asker{}
	s := New(a, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	ann, bob := tool.Caller{ID: "ann", Name: "ann", Kind: tool.KindMCP}, tool.Caller{ID: "bob", Name: "bob", Kind: tool.KindMCP}
	id := open(as(h, ann)).Header().Get(headerSession)
	res := send(as(h, bob), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"0"}}}}`,
		headerVersion, statelessVersion, headerMethod, methodListTools, headerSession, id)
	if diff := cmp.Diff([]tool.Caller{bob}, a.callers); res.Code != http.StatusOK || diff != "" {
		t.Errorf("%d %s\n%s", res.Code, res.Body, diff)
	}
}

// TestSessionsAreForgotten holds that nothing is left of sessions that are gone.
func TestSessionsAreForgotten(t *testing.T) {
	s := New(&asker{}, Options{})
	h := s.Handler()
	for i := range 100 {
		id := open(h).Header().Get(headerSession)
		if res := send(h, http.MethodDelete, "", headerSession, id); res.Code != http.StatusNoContent {
			t.Fatal(i, res.Code, res.Body)
		}
	}
	_ = s.Close()
	if n := len(s.sessions.byID); n > 0 || s.sessions.timer != nil {
		t.Errorf("%d sessions are remembered, timer %v", n, s.sessions.timer)
	}
}

// TestRefusedDeleteEndsTheSession holds that a session that is not known here any
// more is not known to the SDK either, whatever it says of the request.
func TestRefusedDeleteEndsTheSession(t *testing.T) {
	s := New(&asker{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	h := s.Handler()
	id := open(h).Header().Get(headerSession)
	if res := send(h, http.MethodDelete, "", headerSession, id, headerVersion, "2000-01-01"); res.Code != http.StatusBadRequest {
		t.Fatal(res.Code, res.Body)
	}
	if res := send(h, http.MethodPost, ping, headerSession, id); res.Code != http.StatusNotFound {
		t.Errorf("afterwards: %d %s", res.Code, res.Body)
	}
	for session := range s.mcp.Sessions() {
		t.Errorf("the SDK has the session %s", session.ID())
	}
}

// TestSessionThatWasEnded holds that a request which is under way in a session
// when that is ended for another one is not answered with the rights that the
// session began with.
func TestSessionThatWasEnded(t *testing.T) {
	s := New(&asker{}, Options{})
	t.Cleanup(func() { _ = s.Close() })
	id := open(s.Handler()).Header().Get(headerSession)
	sdk := s.sessions.byID[id].sdk
	if _, _, err := s.view(t.Context(), sdk); err != nil {
		t.Fatal(err)
	}
	opened, _ := s.sessions.makeRoom(1)
	defer opened()
	if who, _, err := s.view(t.Context(), sdk); err == nil {
		t.Errorf("asked as %+v", who)
	}
}
