package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

const deskConfig = `
version: 1
secrets: {agent: {file: agent.token}, desk: {file: desk.token}}
server: {callers: {agent: {token: "${secret.agent}"}, desk: {token: "${secret.desk}", may: [approve]}}}
tools:
  pay: {description: Pay., parameters: {type: object, properties: {amount: {type: number}, to: {type: string}}}, expr: '"paid " + string(args.amount)'}
  wire: {description: Wire., parameters: {type: object, properties: {amount: {type: number}}}, expr: '"wired"'}
  own: {description: Asks the user., expr: "1"}
  mail: {description: Mail., expr: "1"}
  wait: {description: Wait., parameters: {type: object, properties: {amount: {type: number}}}, expr: '"waited"'}
policy:
  rules:
    - {name: waits, tools: [wait], action: ask, wait: 10m}
    - {name: payments, tools: [pay], action: ask, reason: "Payment of ${args.amount}", summary: "Pay ${args.amount}", wait: 1ms, expires: 10m, remember: [same_args]}
    - {name: theirs, tools: [own], action: ask, wait: 1ms, approve_by: client}
    - {name: mails, tools: [mail], action: ask, wait: 1ms, approve_by: any, summary: Mail, remember: [chat], notify: {url: "https://hooks.example.com/mails"}}
    - {name: chief, tools: [wire], action: ask, wait: 1ms, approvers: approver.name == "chief"}
`

// desks is a gateway that asks, and the programs of those who answer.
type desks struct {
	t      *testing.T
	house  *host.House
	web    *httptest.Server
	file   string
	server bool // answers go over HTTP
}

func newDesks(t *testing.T, server bool) *desks {
	t.Helper()
	file := writeConfig(t, deskConfig)
	for _, who := range []string{"agent", "desk"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), who+".token"), []byte(who+"-0123456789abcdef"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h, err := open(config.Options{Files: []string{file}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	s := host.NewServer(h, host.ServerOptions{})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		_ = s.Close()
		_ = h.Close()
	})
	return &desks{t, h, web, file, server}
}

// call makes a call as the agent, and gives what it was answered.
func (a *desks) call(name, args string) (text, approvalID string) {
	a.t.Helper()
	r := a.house.Gateway.Call(a.t.Context(), tool.Call{
		ID: tool.NewCallID(), Tool: name, Arguments: json.RawMessage(args), Via: tool.ViaDirect,
		Caller: tool.Caller{ID: "agent", Name: "agent", Kind: tool.KindHTTP, May: []tool.Right{tool.MayCall}}, Chat: tool.Chat{ID: "c"},
	})
	if r.Error == nil {
		return r.Output.Text(), ""
	}
	return string(r.Error.Code), r.Error.Approval
}

// run runs the program; the output is that on both streams, without what differs
// each time.
func (a *desks) run(args ...string) string {
	a.t.Helper()
	args = append([]string{"gateway", "approvals"}, args...)
	if a.server {
		args = append(args, "--server", a.web.URL)
	} else {
		args = append(args, "--config", a.file)
	}
	var out bytes.Buffer
	code := report(&out, run(a.t.Context(), args, streams{http.NoBody, &out, &out}))
	text := regexp.MustCompile(`apr_[0-9a-v]{26}`).ReplaceAllString(out.String(), "apr_ID")
	text = regexp.MustCompile(`call_[0-9a-v]{30,}`).ReplaceAllString(text, "call_ID")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(text, "TIME")
	text = regexp.MustCompile(`\b\d+m\d\ds\b`).ReplaceAllString(text, "SPAN")
	text = regexp.MustCompile(`\d+s( ago|   )`).ReplaceAllString(text, "NOW$1")
	text = strings.NewReplacer(a.file, "FILE", a.web.URL, "URL").Replace(text)
	return text + "exit " + string(rune('0'+code))
}

const shownPayment = `approval           apr_ID
state              pending, expires in SPAN (TIME)
tool               pay
summary            Pay 250
rule               payments
reason             Payment of 250
caller             http/agent, via direct
chat               c
asked              NOW ago, by the call call_ID
answered by        desk: people who may approve
may be remembered  same_args
arguments
  amount  250
  to      "Bob` + "\uFFFD" + `\u001b[2J"

gateway approvals approve apr_ID PLACE
gateway approvals deny apr_ID PLACE
exit 0`

// TestApprovalsCommand goes the way of a person who is asked, in the store and over
// HTTP: both say the same.
func TestApprovalsCommand(t *testing.T) {
	t.Setenv(config.EnvToken, "desk-0123456789abcdef")
	for name, server := range map[string]bool{"store": false, "server": true} {
		t.Run(name, func(t *testing.T) {
			a := newDesks(t, server)
			from := map[bool]string{false: "cli", true: "http"}[server]
			_, id := a.call("pay", `{"amount":250,"to":"Bob\u202e\u001b[2J"}`)
			_, wire := a.call("wire", `{"amount":1}`)
			digits := strings.TrimPrefix(id, "apr_")
			for _, step := range []struct {
				args []string
				want string
			}{
				{[]string{"show", id}, strings.ReplaceAll(shownPayment, "PLACE", a.place())},
				{[]string{"approve", id, "--remember", "chat"}, "gateway: this answer cannot be remembered for \"chat\" (It can be for: same_args)\nexit 1"},
				{[]string{"approve", wire}, "gateway: " + a.who() + " is none of the approvers of the rule \"chief\" (Somebody has to answer for whom the rule's approvers are true)\nexit 3"},
				{[]string{"approve", digits[:12], "--note", "fine"}, "approved apr_ID: Pay 250\nit runs once: at once where the caller still waits, else when it makes the same call again before TIME\nexit 0"},
				{[]string{"approve", id}, "gateway: " + a.who() + " has answered already: approved\nexit 1"},
				{[]string{"deny", id, "--note", "no"}, "denied apr_ID: Pay 250\nexit 0"},
				{[]string{"list", "--state", "approved"}, "there is no such approval\nexit 0"},
				{[]string{"show", "apr_" + strings.Repeat("0", 26)}, "gateway: there is no approval \"apr_ID\" (List those that wait: GET /v1/approvals, or gateway approvals)\nexit 1"},
				{[]string{"show", strings.Repeat("0", 20)}, "gateway: the id of no approval begins with apr_00000000000000000000 (see gateway approvals --state all)\nexit 1"},
			} {
				if diff := cmp.Diff(step.want, a.run(step.args...)); diff != "" {
					t.Errorf("%v: %s", step.args, diff)
				}
			}
			if got, _ := a.call("pay", `{"amount":250,"to":"Bob\u202e\u001b[2J"}`); got != "approval_denied" {
				t.Errorf("the call that was refused: %s", got)
			}
			_, second := a.call("pay", `{"amount":7}`)
			a.run("approve", second, "--remember", "same_args")
			_, third := a.call("pay", `{"amount":8}`)
			a.run("approve", third, "--note", "fine")
			for args, want := range map[string]string{`{"amount":7}`: "paid 7", `{"amount": 7}`: "paid 7", `{"amount":8}`: "paid 8"} {
				if got, _ := a.call("pay", args); got != want {
					t.Error(got)
				}
			}
			if got, _ := a.call("pay", `{"amount":8}`); got != "needs_approval" {
				t.Errorf("a call that was approved once ran again: %s", got)
			}
			if got := a.run("show", second); !strings.Contains(got, "state              used") {
				t.Errorf("what was remembered was not used itself: %s", got)
			}
			a.logged(third, from)
		})
	}
}

// place are the flags that name where the approvals are.
func (a *desks) place() string {
	if a.server {
		return "--server URL"
	}
	return "--config FILE"
}

// raiseOwn makes a call that only the user of its client may answer, who does not.
func (a *desks) raiseOwn() (id string) {
	a.t.Helper()
	ctx := approval.WithForm(a.t.Context(), laterForm{})
	r := a.house.Gateway.Call(ctx, tool.Call{
		ID: tool.NewCallID(), Tool: "own", Arguments: json.RawMessage(`{}`), Via: tool.ViaDirect,
		Caller: tool.Caller{ID: "agent", Name: "agent", Kind: tool.KindHTTP, May: []tool.Right{tool.MayCall}}, Chat: tool.Chat{ID: "c"},
	})
	found, err := a.house.Gateway.Approvals(a.t.Context(), approval.Query{State: approval.Pending})
	if err != nil || len(found) != 1 {
		a.t.Fatalf("%v, %v, %v", r.Error, found, err)
	}
	return found[0].ID
}

// laterForm is the form of a client whose user says nothing.
type laterForm struct{}

func (laterForm) Ask(context.Context, *approval.Question) (bool, error) {
	return false, approval.ErrLater
}

// who is the name of whoever runs the program.
func (a *desks) who() string {
	if a.server {
		return "desk"
	}
	return cliApprover().Name
}

// logged holds what the record says of who answered.
func (a *desks) logged(id, from string) {
	a.t.Helper()
	entries, _, err := a.house.Ledger.Find(a.t.Context(), runlog.Query{Status: runlog.StatusOK, Limit: 10})
	if err != nil {
		a.t.Fatal(err)
	}
	want := runlog.Approval{ID: id, Answer: "approved", By: a.who(), From: from, Note: "fine"}
	for i := range entries {
		if s := entries[i].Approval; s == nil || s.ID != id {
			continue
		}
		if diff := cmp.Diff(&want, entries[i].Approval); diff != "" {
			a.t.Error(diff)
		}
		if got, want := columns(&entries[i])[7], "approved by "+a.who()+" ("+from+"): \"fine\""; got != want {
			a.t.Errorf("got %q, want %q", got, want)
		}
		return
	}
	a.t.Error("the record does not name the approval")
}

// What is printed of an answer that is remembered, and of a list.
const (
	remembered = "approved apr_ID: %s\nit runs once: at once where the caller still waits, else when it makes the same call again before TIME\n" +
		"calls of %s run too until TIME; gateway approvals deny apr_ID %s takes that back\nexit 0"
	listedOwn = `^ID +STATE +AGE +EXPIRES +ANSWERS +TOOL +CALLER +CHAT +SUMMARY
[0-9a-v]{8} +pending +NOW +in SPAN +client +own +http/agent +c +own \{\}
gateway approvals show\|approve\|deny ID %s
client: only the user of the program that calls can answer, in that program
exit 0$`
)

// TestApprovalsReach: who makes an answer reach further is told how far, and who
// looks is told who may answer and whether a webhook was told.
func TestApprovalsReach(t *testing.T) {
	t.Setenv(config.EnvToken, "desk-0123456789abcdef")
	for name, server := range map[string]bool{"store": false, "server": true} {
		t.Run(name, func(t *testing.T) {
			a := newDesks(t, server)
			_, pay := a.call("pay", `{"amount":7}`)
			_, mail := a.call("mail", `{}`)
			if got := a.run("show", mail); !strings.Contains(got, "\nanswered by        any: people who may approve, or the user of the program that calls, in that program\n") || strings.Contains(got, "\nwebhook            not told yet\n") == server {
				t.Error(got)
			}
			if err := a.house.Approvals.Tell(t.Context(), mail); err != nil {
				t.Fatal(err)
			}
			if got := a.run("show", mail); !strings.Contains(got, "\nwebhook            was told\n") {
				t.Error(got)
			}
			for _, step := range []struct{ id, scope, want string }{
				{pay, "same_args", fmt.Sprintf(remembered, "Pay 7", "pay with the same arguments by agent", a.place())},
				{mail, "chat", fmt.Sprintf(remembered, "Mail", "mail by agent in the chat c, whatever the arguments,", a.place())},
			} {
				if diff := cmp.Diff(step.want, a.run("approve", step.id, "--remember", step.scope)); diff != "" {
					t.Error(diff)
				}
			}
			if got := a.run("show", a.raiseOwn()); !strings.Contains(got, "client: only the user of the program that calls can answer, in that program\n") || strings.Contains(got, "gateway approvals") {
				t.Error(got)
			}
			if got := a.run("list"); !regexp.MustCompile(fmt.Sprintf(listedOwn, a.place())).MatchString(got) {
				t.Error(got)
			}
		})
	}
}

// TestApprovalsRefused: who has no token, or one that may only call, answers nothing.
func TestApprovalsRefused(t *testing.T) {
	a := newDesks(t, true)
	_, id := a.call("pay", `{"amount":250}`)
	for token, want := range map[string]string{
		"":                       "gateway: the request shows no token (put the token of a caller that may approve into TOOLGATE_TOKEN)\nexit 1",
		"wrong-0123456789abcdef": "exit 1",
		"agent-0123456789abcdef": "gateway: this needs the right approve, and the caller agent has call (Use the token of a caller that may approve (server.admin_token, or server.callers with may))\nexit 3",
	} {
		t.Setenv(config.EnvToken, token)
		if got := a.run("approve", id); !strings.HasSuffix(got, want) || strings.Contains(got, "0123456789") {
			t.Errorf("with the token %q: %s", token, got)
		}
	}
	if got, _ := a.call("pay", `{"amount":250}`); got != "needs_approval" {
		t.Error(got)
	}
}

// TestApprovalsWatch tells of calls as they come, each once, until it is ended.
func TestApprovalsWatch(t *testing.T) {
	a := newDesks(t, false)
	_, first := a.call("pay", `{"amount":1}`)
	ctx, stop := context.WithCancel(t.Context())
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"gateway", "approvals", "--watch", "--json", "--config", a.file}, streams{http.NoBody, write, write})
		_ = write.Close()
	}()
	lines := json.NewDecoder(read)
	next := func() string {
		var s approval.Shown
		if err := lines.Decode(&s); err != nil {
			return err.Error()
		}
		return s.ID
	}
	if got := next(); got != first {
		t.Errorf("got %s, want %s", got, first)
	}
	_, second := a.call("pay", `{"amount":2}`)
	if got := next(); got != second {
		t.Errorf("got %s, want %s", got, second)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := next(); got != "EOF" {
		t.Errorf("told of %s", got)
	}
	_ = read.Close()
}

// TestApprovalsWatchHeadings: headings line up with the first line, also where nothing
// waited at the beginning.
func TestApprovalsWatchHeadings(t *testing.T) {
	one := approval.Shown{ID: "apr_0123456789", State: approval.Pending, Tool: "a_long_name", ApproveBy: approval.AtDesk, Caller: approval.ShownCaller{Name: "agent", Kind: tool.KindHTTP}, Chat: "a chat with a long name", Summary: "sum"}
	var out bytes.Buffer
	w := approvalWatch{lines: liner{out: &out, widths: make([]int, len(approvalHeadings()))}}
	if err := errors.Join(w.begin(nil), w.show(nil)); err != nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := errors.Join(w.show([]approval.Shown{one}), w.show([]approval.Shown{one})); err != nil {
		t.Error(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || strings.Index(lines[0], "SUMMARY") != strings.Index(lines[1], "sum")-len("…")+1 || !strings.Contains(lines[1], "a chat with a lo…  sum") {
		t.Errorf("%s", out.String())
	}
}

// TestApprovalsOfDeniedCalls: who looks ends nothing, whatever the file says by now;
// who answers is told that the rules deny the call, which ends it.
func TestApprovalsOfDeniedCalls(t *testing.T) {
	a := newDesks(t, false)
	_, id := a.call("pay", `{"amount":250}`)
	_, other := a.call("pay", `{"amount":251}`)
	if err := os.WriteFile(a.file, []byte(strings.Replace(deskConfig, "  rules:", "  rules:\n    - {name: no, tools: [pay], action: deny}", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := a.run("show", id); !strings.Contains(got, "state              pending") {
			t.Error(got)
		}
	}
	if diff := cmp.Diff("gateway: the approval was ended: the policy denies the call now: rule \"no\"\nexit 1", a.run("approve", id)); diff != "" {
		t.Error(diff)
	}
	if got := a.run("show", id); !strings.Contains(got, `ended: the policy denies the call now: rule "no"`) {
		t.Error(got)
	}
	if got := a.run("show", other); !strings.Contains(got, "pending") {
		t.Error(got)
	}
}

// TestSpan holds how durations read.
func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 90 * time.Minute: "1h30m", 49 * time.Hour: "2d01h",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestFindApproval holds which approval the beginning of an id means.
func TestFindApproval(t *testing.T) {
	pending, over := approval.Shown{ID: "apr_aa", State: approval.Pending}, approval.Shown{ID: "apr_ab", State: approval.Used}
	for id, want := range map[string]string{"apr_a": "apr_aa", "apr_ab": "apr_ab"} {
		if got, err := findApproval(t.Context(), someApprovals{pending, over}, id); err != nil || got.ID != want {
			t.Errorf("%s: %s, %v", id, got.ID, err)
		}
	}
	second := approval.Shown{ID: "apr_ac", State: approval.Pending}
	_, err := findApproval(t.Context(), someApprovals{pending, second}, "apr_a")
	if exit, ok := errors.AsType[*exitError](err); !ok || exit.code != exitUsage || !strings.Contains(err.Error(), "apr_aa, apr_ac") {
		t.Error(err)
	}
}

// someApprovals is a place that lists some approvals.
type someApprovals []approval.Shown

func (l someApprovals) list(_ context.Context, q approval.Query) (found []approval.Shown, err error) {
	for _, a := range l {
		if strings.HasPrefix(a.ID, q.Prefix) && (q.State == "" || q.State == a.State) {
			found = append(found, a)
		}
	}
	return found, nil
}

func (someApprovals) get(context.Context, string) (a approval.Shown, err error) { return a, nil }

func (someApprovals) answer(context.Context, string, reply) (a approval.Shown, err error) {
	return a, nil
}

func (someApprovals) webhook(*approval.Shown) bool { return false }

func (someApprovals) close() error { return nil }

// TestPrintArguments holds what a person is shown of arguments, whatever a model
// made them.
func TestPrintArguments(t *testing.T) {
	many := make([]string, 0, maxMembersShown+2)
	for i := range maxMembersShown + 2 {
		many = append(many, fmt.Sprintf(`"n%03d":1`, i))
	}
	for _, c := range []struct{ name, args, want string }{
		{"none", `{}`, "arguments  none\n"},
		{"in order", `{"b":{"x":[1.10,9007199254740993]},"a":"<b> & \u003cc\u003e"}`, "arguments\n  a  \"<b> & <c>\"\n  b  {\"x\":[1.10,9007199254740993]}\n"},
		{"unsafe", `{"a\u202e\nb":"x\u001b[2J\u202ey"}`, "arguments\n  a\uFFFD b  \"x\\u001b[2J\uFFFDy\"\n"},
		{"long", `{"a":"` + strings.Repeat("é", maxValueShown+10) + `"}`, "arguments\n  a  \"" + strings.Repeat("é", maxValueShown-1) + "… (12 more characters; --json shows all)\n"},
		{"masked to a text", `"{\"n\":[secret]}"`, "arguments  \"{\\\"n\\\":[secret]}\"\n"},
	} {
		var out bytes.Buffer
		if err := printArguments(&out, json.RawMessage(c.args)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	var out bytes.Buffer
	if err := printArguments(&out, json.RawMessage("{"+strings.Join(many, ",")+"}")); err != nil || !strings.HasSuffix(out.String(), "  n099  1\n  … (2 more arguments; --json shows all)\n") {
		t.Error(err, out.String())
	}
}
