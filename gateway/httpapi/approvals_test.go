package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// approvalDesk has one approval, apr_1, and refuses answers to those that are named like a
// kind of refusal.
type approvalDesk struct{ asked string }

func oneApproval() approval.Approval {
	at := time.Date(2026, 1, 31, 9, 30, 0, 0, time.FixedZone("CET", 3600))
	return approval.Approval{
		ID: "apr_1", Binding: approval.Binding{Caller: "bob", Chat: "c", Tool: "pay", Digest: "d"}, State: approval.Pending,
		Caller: tool.Caller{ID: "bob", Name: "bob", Kind: tool.KindMCP, Claims: map[string]any{"tenant": "hidden"}}, Via: tool.ViaDirect,
		Arguments: json.RawMessage(`{"n":9007199254740993}`), Rule: "big", Summary: "Pay <5>", CallID: "call_1", Where: approval.AtDesk,
		Created: at, Expires: at.AddDate(1000, 0, 0),
	}
}

func (d *approvalDesk) Find(_ context.Context, q approval.Query) ([]approval.Approval, error) {
	d.asked = fmt.Sprintf("%s|%s|%s|%d", q.State, q.Caller, q.Prefix, q.Limit)
	if q.Caller == "broken" {
		return nil, errors.New("hidden")
	}
	return []approval.Approval{oneApproval()}, nil
}

func (*approvalDesk) Get(_ context.Context, id string) (approval.Approval, error) {
	if id != "apr_1" {
		return approval.Approval{}, approval.Refuse(approval.Unknown, "Look.", "there is no approval %q", id)
	}
	return oneApproval(), nil
}

func (d *approvalDesk) Answer(_ context.Context, id string, a httpapi.ApprovalAnswer) (approval.Approval, error) {
	d.asked = fmt.Sprintf("%s|%v|%s|%s|%s", id, a.Approve, a.Note, a.Remember, a.By.Name)
	switch kind := approval.Kind(id); kind {
	case approval.Unknown, approval.Forbidden, approval.Over, approval.Invalid:
		return approval.Approval{}, approval.Refuse(kind, "Do.", "no")
	case "broken":
		return approval.Approval{}, errors.New("hidden")
	}
	now := oneApproval()
	now.State = approval.Denied
	now.Answer = &approval.Answer{Time: now.Created, By: a.By.Name, ID: a.By.ID, From: "http", Note: a.Note}
	now.Arguments = json.RawMessage(`{"n":[secret]}`) // as masking may leave it
	return now, nil
}

const (
	shownApproval = `{"id":"apr_1","state":"pending","tool":"pay","summary":"Pay <5>","arguments":{"n":9007199254740993},"rule":"big","caller":{"id":"bob","name":"bob","kind":"mcp"},"chat":"c","via":"direct","approve_by":"desk","remember":[],"created_at":"2026-01-31T08:30:00Z","expires_at":"3026-01-31T08:30:00Z","call_id":"call_1","notified":false}`
	answered      = `{"id":"apr_1","state":"denied","tool":"pay","summary":"Pay <5>","arguments":"{\"n\":[secret]}","rule":"big","caller":{"id":"bob","name":"bob","kind":"mcp"},"chat":"c","via":"direct","approve_by":"desk","remember":[],"created_at":"2026-01-31T08:30:00Z","expires_at":"3026-01-31T08:30:00Z","answer":{"time":"2026-01-31T08:30:00Z","by":"ann","by_id":"ann","from":"http","note":"x"},"call_id":"call_1","notified":false}`
	answerForm    = `Send {\"note\": \"…\", \"remember\": \"same_args\"} or {}; nothing is needed.`
	unread        = "the calls that wait for a person cannot be read or answered now"
	unreadHint    = "Try again later, or tell the operator: the gateway's log says why."
)

// TestApprovals holds who may see and answer approvals, what is read of a request,
// and what is answered.
func TestApprovals(t *testing.T) {
	lacking := problem("forbidden", "this needs the right approve, and the caller ann has call", "Use the token of a caller that may approve (server.admin_token, or server.callers with may).")
	for _, c := range []struct {
		may          tool.Right
		method, path string
		body         string
		status       int
		want         string
		asked        string // what the desk was asked; empty for nothing
	}{
		{tool.MayApprove, "GET", "", "", 200, `{"approvals":[` + shownApproval + `]}`, "pending|||100"},
		{tool.MayAdmin, "GET", "?state=all&caller=bob&prefix=apr_&limit=200", "", 200, `{"approvals":[` + shownApproval + `]}`, "|bob|apr_|200"},
		{tool.MayApprove, "GET", "?state=expired", "", 200, `{"approvals":[` + shownApproval + `]}`, "expired|||100"},
		{tool.MayApprove, "GET", "?state=pendign", "", 400, problem("bad_request", `state is \"pendign\"`, "did you mean pending?"), ""},
		{tool.MayApprove, "GET", "?limit=201", "", 400, problem("bad_request", `limit is \"201\"`, "Give a number from 1 to 200."), ""},
		{tool.MayApprove, "GET", "?limit=x", "", 400, problem("bad_request", `limit is \"x\"`, "Give a number from 1 to 200."), ""},
		{tool.MayApprove, "GET", "?sate=all", "", 400, problem("bad_request", `unknown query parameter \"sate\"`, "did you mean state?"), ""},
		{tool.MayApprove, "GET", "?caller=broken", "", 503, problem("internal", unread, unreadHint), "pending|broken||100"},
		{tool.MayCall, "GET", "", "", 403, lacking, ""},
		{tool.MayApprove, "GET", "/apr_1", "", 200, shownApproval, ""},
		{tool.MayApprove, "GET", "/apr_1?x=1", "", 400, problem("bad_request", `unknown query parameter \"x\"`, "this path takes no query parameters"), ""},
		{tool.MayApprove, "GET", "/apr_2", "", 404, problem("not_found", `there is no approval \"apr_2\"`, "Look."), ""},
		{tool.MayCall, "GET", "/apr_1", "", 403, lacking, ""},
		{tool.MayApprove, "POST", "/apr_1/approve", "", 200, strings.Replace(answered, `,"note":"x"`, "", 1), "apr_1|true|||ann"},
		{tool.MayApprove, "POST", "/apr_1/deny", `{"note":"x"}`, 200, answered, "apr_1|false|x||ann"},
		{tool.MayAdmin, "POST", "/apr_1/approve", `{"note":"x","remember":"chat"}`, 200, answered, "apr_1|true|x|chat|ann"},
		{tool.MayCall, "POST", "/apr_1/approve", "", 403, lacking, ""},
		{tool.MayCall, "POST", "/apr_1/deny", "nonsense", 403, lacking, ""},
		{tool.MayActivate, "POST", "/apr_1/approve", "", 403, strings.Replace(lacking, "has call", "has activate", 1), ""},
		{tool.MayApprove, "POST", "/apr_1/approve?note=x", "", 400, problem("bad_request", `unknown query parameter \"note\"`, "this path takes no query parameters"), ""},
		{tool.MayApprove, "POST", "/apr_1/approve", `{"notes":"x"}`, 400, problem("bad_request", `the answer cannot be read: json: unknown field \"notes\"`, answerForm), ""},
		{tool.MayApprove, "POST", "/apr_1/approve", `{"approve":false}`, 400, problem("bad_request", `the answer cannot be read: json: unknown field \"approve\"`, answerForm), ""},
		{tool.MayApprove, "POST", "/apr_1/approve", `{} {}`, 400, problem("bad_request", `the answer cannot be read: it is not one object`, answerForm), ""},
		{tool.MayApprove, "POST", "/apr_1/approve", `null`, 400, problem("bad_request", `the answer cannot be read: it is not one object`, answerForm), ""},
		{tool.MayApprove, "POST", "/not_found/approve", "", 404, problem("not_found", "no", "Do."), "not_found|true|||ann"},
		{tool.MayApprove, "POST", "/forbidden/approve", "", 403, problem("forbidden", "no", "Do."), "forbidden|true|||ann"},
		{tool.MayApprove, "POST", "/conflict/deny", "", 409, problem("conflict", "no", "Do."), "conflict|false|||ann"},
		{tool.MayApprove, "POST", "/invalid/approve", "", 422, problem("invalid", "no", "Do."), "invalid|true|||ann"},
		{tool.MayApprove, "POST", "/broken/approve", "", 503, problem("internal", unread, unreadHint), "broken|true|||ann"},
	} {
		d := &approvalDesk{}
		req := request(c.method, "/v1/approvals"+c.path, "", c.body)
		res := serve(httpapi.New(&fake{}, httpapi.Options{Approvals: d}), req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: "ann", Name: "ann", May: []tool.Right{c.may}})))
		if got := strings.TrimSuffix(res.Body.String(), "\n"); res.Code != c.status || got != c.want || d.asked != c.asked {
			t.Errorf("%s %s %s: %d %s, asked %q\nwant %d %s, asked %q", c.method, c.path, c.body, res.Code, got, d.asked, c.status, c.want, c.asked)
		}
	}
}

// TestApprovalEvents holds who is told what of an approval.
func TestApprovalEvents(t *testing.T) {
	feed := httpapi.NewFeed()
	web := following(t, feed)
	ann, bob, root, approver := follow(t, web, "ann", ""), follow(t, web, "bob", ""), follow(t, web, "root", ""), follow(t, web, "approver", "")
	a := oneApproval()
	feed.Approval(httpapi.ApprovalRequested, &a)
	a.State, a.Answer = approval.Approved, &approval.Answer{By: "eve", From: "cli"}
	feed.Approval(httpapi.ApprovalAnswered, &a)
	feed.Ended(notice("ann", "1", ""))
	const (
		own   = `approval_requested {"data":{"call_id":"call_1","chat":"c","expires_at":"3026-01-31T08:30:00.000000Z","id":"apr_1","state":"pending","tool":"pay"}}`
		whole = `approval_requested {"data":{"call_id":"call_1","caller":"bob","chat":"c","expires_at":"3026-01-31T08:30:00.000000Z","id":"apr_1","rule":"big","state":"pending","summary":"Pay \u003c5\u003e","tool":"pay"}}`
	)
	answeredBy := strings.NewReplacer("requested", "answered", `"pending"`, `"approved"`)
	byEve := strings.NewReplacer(`"call_id"`, `"by":"eve","call_id"`, `"id"`, `"from":"cli","id"`)
	for _, c := range []struct {
		who  string
		f    *follower
		want []string
	}{
		{"the caller", bob, []string{own, answeredBy.Replace(own)}},
		{"an approver", approver, []string{whole, byEve.Replace(answeredBy.Replace(whole))}},
		{"an administrator", root, []string{whole, byEve.Replace(answeredBy.Replace(whole))}},
		{"somebody else", ann, []string{annEnded}},
	} {
		for _, want := range c.want {
			if got := c.f.next(); got != want {
				t.Errorf("%s: %s\nwant %s", c.who, got, want)
			}
		}
	}
	if got := http.StatusText(approver.res.StatusCode); got != "OK" {
		t.Error(got)
	}
}
