package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// journals is a log that lies in journals.
type journals struct {
	*runlog.Journal
	dir string
}

func newJournals(t *testing.T) journals {
	t.Helper()
	dir := t.TempDir()
	j, err := runlog.Open(dir, runlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return journals{j, dir}
}

func (j journals) Find(ctx context.Context, q runlog.Query) ([]runlog.Entry, bool, error) {
	entries, _, err := runlog.Find(ctx, j.dir, nil, q)
	return entries, true, err
}

func (j journals) Summarise(ctx context.Context, q runlog.Query) ([]runlog.Summary, bool, error) {
	summaries, _, err := runlog.Summarise(ctx, j.dir, nil, q)
	return summaries, true, err
}

func (j journals) record(t *testing.T, rec runlog.Record) {
	t.Helper()
	if err := j.End(rec); err != nil {
		t.Fatal(err)
	}
}

var (
	admin = &tool.Caller{ID: "admin", Name: "admin", May: []tool.Right{tool.MayAdmin}}
	ann   = &tool.Caller{ID: "ann", Name: "ann", May: []tool.Right{tool.MayCall}}
	desk  = &tool.Caller{ID: "desk", Name: "desk", May: []tool.Right{tool.MayApprove}}
)

// getAs asks as a caller; nil is one who did not authenticate.
func getAs(t *testing.T, api http.Handler, who *tool.Caller, path string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if who != nil {
		r = r.WithContext(tool.WithCaller(r.Context(), *who))
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// logPage is a page of the log as a client reads it.
type logPage struct {
	Calls []struct {
		CallID string `json:"call_id"`
	}
	Next string
}

func pageOf(t *testing.T, api http.Handler, who *tool.Caller, path string) (ids, next string) {
	t.Helper()
	status, body := getAs(t, api, who, path)
	var p logPage
	if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	var all []string
	for _, c := range p.Calls {
		all = append(all, c.CallID)
	}
	return strings.Join(all, " "), p.Next
}

var logNoon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// TestLogPages reads pages while calls come, some of them by a clock that was set
// back: no call that was there is missed or shown twice.
func TestLogPages(t *testing.T) {
	log := newJournals(t)
	api := httpapi.New(nil, httpapi.Options{Log: log})
	for i := range 7 {
		log.record(t, runlog.Record{CallID: fmt.Sprint(i), Time: logNoon.Add(time.Duration(i/2) * time.Second)}) // pairs of one time
	}
	var pages []string
	next := ""
	for i := range 10 {
		ids, cursor := pageOf(t, api, admin, "/v1/log?limit=2&cursor="+url.QueryEscape(next))
		pages = append(pages, ids)
		log.record(t, runlog.Record{CallID: fmt.Sprint("new", i), Time: logNoon.Add(time.Hour)})
		if next = cursor; next == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"6 5", "4 3", "2 1", "0"}, pages); diff != "" {
		t.Error(diff)
	}
}

// TestLogOfCallers shows all calls to an admin and to others their own, without
// what is the operator's.
func TestLogOfCallers(t *testing.T) {
	log := newJournals(t)
	api := httpapi.New(nil, httpapi.Options{Log: log})
	full := runlog.Record{
		CallID: "a", Tool: "pay", Time: logNoon, Caller: runlog.Caller{ID: "ann", Name: "ann"}, Arguments: []byte(`{"own": "set by the server"}`),
		Rule: "a rule", Notes: []string{"a note"}, Code: tool.Timeout, Error: "it took too long", Cause: "10.0.0.1 refused",
	}
	log.record(t, full)
	log.record(t, runlog.Record{CallID: "b", Tool: "pay", Time: logNoon.Add(time.Second), Caller: runlog.Caller{ID: "bob", Name: "bob", Kind: tool.KindMCP}, Code: tool.Interrupted})
	log.record(t, runlog.Record{CallID: "c", Tool: "pay", Time: logNoon.Add(2 * time.Second), Caller: runlog.Caller{ID: tool.Anonymous, Name: tool.Anonymous}})
	cases := []struct {
		name string
		who  *tool.Caller
		path string
		want string
	}{
		{"admin", admin, "/v1/log", "c b a"},
		{"admin, one caller", admin, "/v1/log?caller=b*", "b"},
		{"admin, kind and name", admin, "/v1/log?caller=mcp/bob", "b"},
		{"admin, interrupted by a stop", admin, "/v1/log?status=interrupted", "b"},
		{"admin, code", admin, "/v1/log?code=timeout&rule=a+rule&status=error", "a"},
		{"admin, since", admin, "/v1/log?since=2026-01-31T12:00:01Z", "c b"},
		{"own", ann, "/v1/log", "a"},
		{"own, another's name", ann, "/v1/log?caller=bob", ""},
		{"nobody", nil, "/v1/log", "c"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if ids, _ := pageOf(t, api, c.who, c.path); ids != c.want {
				t.Errorf("%q, want %q", ids, c.want)
			}
		})
	}
	private := []string{"set by the server", "a rule", "a note", "10.0.0.1"}
	for _, path := range []string{"/v1/log", "/v1/log/a"} {
		_, all := getAs(t, api, admin, path)
		_, own := getAs(t, api, ann, path)
		for _, text := range private {
			if !strings.Contains(all, text) || strings.Contains(own, text) {
				t.Errorf("%s: %q: an admin reads %s, a caller %s", path, text, all, own)
			}
		}
		if !strings.Contains(own, "it took too long") {
			t.Errorf("%s: a caller does not read its own error: %s", path, own)
		}
	}
	if _, body := getAs(t, api, ann, "/v1/log/stats"); !strings.Contains(body, `"count":1,"errors":1`) {
		t.Errorf("a caller counts %s", body)
	}
	if _, body := getAs(t, api, admin, "/v1/log/stats"); !strings.Contains(body, `"count":3,"errors":2`) {
		t.Errorf("an admin counts %s", body)
	}
}

// unreadLog is a log that cannot be read.
type unreadLog struct{}

func (unreadLog) Find(context.Context, runlog.Query) ([]runlog.Entry, bool, error) {
	return nil, false, fmt.Errorf("/secret/path is gone")
}

func (unreadLog) Summarise(context.Context, runlog.Query) ([]runlog.Summary, bool, error) {
	return nil, false, fmt.Errorf("/secret/path is gone")
}

func TestLogRefusals(t *testing.T) {
	log := newJournals(t)
	log.record(t, runlog.Record{CallID: "b", Time: logNoon, Caller: runlog.Caller{ID: "bob"}})
	api := httpapi.New(nil, httpapi.Options{Log: log})
	cases := []struct {
		who    *tool.Caller
		path   string
		status int
		want   string
	}{
		{ann, "/v1/log/b", 404, "no call of this id is in the log"}, // another's reads like none
		{ann, "/v1/log/zzz", 404, "no call of this id is in the log"},
		{desk, "/v1/log", 403, "this needs the right call"},
		{desk, "/v1/log/b", 403, "this needs the right call"},
		{desk, "/v1/log/stats", 403, "this needs the right call"},
		{ann, "/v1/log?rule=x", 400, "for admins"},
		{admin, "/v1/log?limit=0", 400, "from 1 to 1000"},
		{admin, "/v1/log?limit=1001", 400, "from 1 to 1000"},
		{admin, "/v1/log?cursor=x", 400, "cursor is none of this log"},
		{admin, "/v1/log?code=denid", 400, "did you mean denied?"},
		{admin, "/v1/log?status=fine", 400, "running"},
		{admin, "/v1/log?decision=no", 400, "deny"},
		{admin, "/v1/log?since=yesterday", 400, "such as 15m"},
		{admin, "/v1/log?tools=x", 400, "did you mean tool?"},
		{admin, "/v1/log/stats?limit=3", 400, "unknown query parameter"},
	}
	for _, c := range cases {
		if status, body := getAs(t, api, c.who, c.path); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.want)
		}
	}
	for _, path := range []string{"/v1/log", "/v1/log/a", "/v1/log/stats"} {
		if status, body := getAs(t, httpapi.New(nil, httpapi.Options{Log: unreadLog{}}), admin, path); status != 503 || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, _ := getAs(t, httpapi.New(nil, httpapi.Options{}), admin, path); status != 404 {
			t.Errorf("%s is served without a log", path)
		}
	}
}
