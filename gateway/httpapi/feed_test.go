package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// notice is what a feed is told of a call of a caller.
func notice(who, id string, code tool.Code) *tool.Notice {
	r := &tool.Result{CallID: id, Status: tool.StatusOK, Duration: 1500 * time.Microsecond, Output: tool.TextOutput("hunter2")}
	if code != "" {
		r.Status, r.Error = tool.StatusError, tool.Errorf(code, "hunter2")
	}
	call := &tool.Call{ID: id, Tool: "pay_hunter2", Arguments: []byte(`"hunter2"`), Caller: tool.Caller{ID: who, Name: "hunter2"}, Via: tool.ViaDirect}
	return &tool.Notice{Call: call, Request: "r", Known: true, Shown: "pay", Caller: who + "'s", Decision: "allow", Rule: "rule 1", Result: r}
}

func startedNotice(who, id string) *tool.Notice {
	n := notice(who, id, "")
	n.Result = nil
	return n
}

// follower reads events of a server.
type follower struct {
	t     *testing.T
	res   *http.Response
	lines *bufio.Reader
	last  string // identifier of the last event
}

// follow opens a stream as somebody; the event that was seen last may be named.
func follow(t *testing.T, web *httptest.Server, who, last string) *follower {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Who", who)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return &follower{t: t, res: res, lines: bufio.NewReader(res.Body)}
}

// next is the next event, without its time.
func (f *follower) next() string {
	f.t.Helper()
	kind := ""
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return "end: " + err.Error()
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "id":
			f.last = value
		case "event":
			kind = value
		case "data":
			var data map[string]any
			if err := json.Unmarshal([]byte(value), &data); err != nil || data["type"] != kind {
				f.t.Errorf("event %s: %s, %v", kind, value, err)
			}
			delete(data, "time")
			delete(data, "type")
			text, _ := json.Marshal(data)
			return kind + " " + string(text)
		}
	}
}

// following is a server of a feed to which the header X-Who says who asks; root
// may administer, and approver may approve.
func following(t *testing.T, feed *httpapi.Feed) *httptest.Server {
	t.Helper()
	handler := httpapi.New(&fake{}, httpapi.Options{Feed: feed})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := tool.Caller{ID: r.Header.Get("X-Who"), May: []tool.Right{tool.MayCall}}
		if who.ID == "root" {
			who.May = []tool.Right{tool.MayAdmin}
		}
		if who.ID == "approver" {
			who.May = []tool.Right{tool.MayApprove}
		}
		handler.ServeHTTP(w, r.WithContext(tool.WithCaller(r.Context(), who)))
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

const (
	annStarted = `call_started {"call_id":"1","chat":"default","decision":"allow","request":"r","tool":"pay","via":"direct"}`
	annEnded   = `call_ended {"call_id":"1","chat":"default","decision":"allow","duration_ms":1.5,"request":"r","status":"ok","tool":"pay","via":"direct"}`
	bobDenied  = `call_denied {"call_id":"2","chat":"default","decision":"allow","duration_ms":1.5,"error_type":"denied","request":"r","status":"error","tool":"pay","via":"direct"}`
	rootDenied = `call_denied {"call_id":"2","caller":"bob's","chat":"default","decision":"allow","duration_ms":1.5,"error_type":"denied","request":"r","rule":"rule 1","status":"error","tool":"pay","via":"direct"}`
	reloaded   = `reload {"data":{"outcome":"ok"}}`
)

// TestFollow holds who is told what, in order, also of those who come back.
func TestFollow(t *testing.T) {
	feed := httpapi.NewFeed()
	web := following(t, feed)
	feed.Ended(notice("ann", "before", ""))
	ann, bob, root, nobody := follow(t, web, "ann", ""), follow(t, web, "bob", ""), follow(t, web, "root", ""), follow(t, web, "", "")
	feed.Began(startedNotice("ann", "1"))
	feed.Ended(notice("ann", "1", ""))
	feed.Ended(notice("bob", "2", tool.Denied))
	feed.Say("reload", map[string]string{"outcome": "ok"})
	rootsView := func(line string) string {
		line = strings.Replace(line, `"chat"`, `"caller":"ann's","chat"`, 1)
		line = strings.Replace(line, `"status"`, `"rule":"rule 1","status"`, 1)
		if strings.HasPrefix(line, "call_started") {
			line = strings.Replace(line, `"tool"`, `"rule":"rule 1","tool"`, 1)
		}
		return line
	}
	got := []string{ann.next(), ann.next(), bob.next(), root.next(), root.next(), root.next(), root.next()}
	want := []string{annStarted, annEnded, bobDenied, rootsView(annStarted), rootsView(annEnded), rootDenied, reloaded}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Ann comes back and hears what she missed, and no more.
	last := ann.last
	feed.Ended(notice("ann", "3", tool.NeedsApproval)) // that is no denial
	feed.Ended(notice("ann", "3", tool.ApprovalDenied))
	feed.Ended(notice("bob", "4", ""))
	again := follow(t, web, "ann", last)
	for _, kind := range []string{"call_ended", "call_denied"} {
		if got := again.next(); !strings.HasPrefix(got, kind+` {"call_id":"3"`) {
			t.Error(got)
		}
	}
	// Whoever comes from another process is told that something may be missing.
	stranger := follow(t, web, "bob", "zzz-1")
	if got := stranger.next(); got != `lost {"reason":"events of before are not kept"}` {
		t.Error(got)
	}
	if got := stranger.next(); got != bobDenied {
		t.Error(got)
	}
	web.CloseClientConnections()
	if got := nobody.next(); !strings.HasPrefix(got, "end: ") {
		t.Errorf("nobody was told %s", got)
	}
}

// TestSlowFollower holds that one who does not read holds nobody up, and learns
// what happened to it.
func TestSlowFollower(t *testing.T) {
	feed := httpapi.NewFeed()
	web := following(t, feed)
	slow := follow(t, web, "root", "")
	began := time.Now()
	const many = 20 * httpapi.FeedSize
	for i := range many {
		feed.Ended(notice("ann", fmt.Sprint(i), ""))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%d events took %v", many, took)
	}
	lost := false
	for n := range many {
		got := slow.next()
		lost = lost || got == `lost {"reason":"they were not taken in time"}`
		if strings.Contains(got, fmt.Sprintf(`"call_id":"%d"`, many-1)) {
			t.Logf("%d events came, lost %v", n, lost)
			if !lost {
				t.Error("nothing was lost, or it was not told")
			}
			return
		}
	}
	t.Error("the last event never came")
}

// TestFollowerLimits holds how many may follow, and that those who leave make
// room.
func TestFollowerLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := httpapi.New(&fake{}, httpapi.Options{Feed: httpapi.NewFeed()})
		var group sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		ask := func(ctx context.Context, who string) *httptest.ResponseRecorder {
			req := httptest.NewRequestWithContext(tool.WithCaller(ctx, tool.Caller{ID: who}), http.MethodGet, "/v1/events", http.NoBody)
			res := httptest.NewRecorder()
			handler.ServeHTTP(res, req)
			return res
		}
		for i := range httpapi.MaxFollowers {
			group.Go(func() { ask(ctx, fmt.Sprint(i/httpapi.MaxOwnFollowers)) })
		}
		synctest.Wait()
		for _, who := range []string{"0", "another"} {
			if res := ask(t.Context(), who); res.Code != 503 || res.Header().Get("Retry-After") != "1" || !strings.Contains(res.Body.String(), `"error_type":"overloaded"`) {
				t.Errorf("%s: %d %s", who, res.Code, res.Body)
			}
		}
		stop()
		group.Wait()
		short, end := context.WithTimeout(t.Context(), 50*time.Second)
		defer end()
		if res := ask(short, "0"); res.Code != 200 || strings.Count(res.Body.String(), ": nothing new\n\n") != 3 {
			t.Errorf("%d %q", res.Code, res.Body)
		}
	})
}

// TestFeedHammer lets calls end, followers come and go, and nothing be lost that
// was taken in time.
func TestFeedHammer(t *testing.T) {
	feed := httpapi.NewFeed()
	web := following(t, feed)
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			for i := range 500 {
				feed.Began(startedNotice("ann", fmt.Sprint(n, ".", i)))
			}
		})
	}
	for range 8 {
		group.Go(func() {
			f := follow(t, web, "ann", "x-0")
			for range 200 {
				if got := f.next(); strings.HasPrefix(got, "end") {
					t.Error(got)
					return
				}
			}
			_, _ = f.res.Body, f.res.Body.Close()
		})
	}
	group.Wait()
}

func BenchmarkFeed(b *testing.B) {
	feed, n := httpapi.NewFeed(), notice("ann", "1", "")
	b.ReportAllocs()
	for b.Loop() {
		feed.Ended(n)
	}
}
