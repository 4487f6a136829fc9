package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	askingCallers   = 20 // each may have 100 calls waiting
	askingToken     = "token-of-caller-%02d-0123456789"
	approverThreads = 4 // of one process of approvers; there are two
)

// askingConfig is a configuration in which every call of its tool, which leaves a
// mark, needs a person; tokens are in files.
func askingConfig() string {
	var callers, secrets strings.Builder
	for i := range askingCallers {
		fmt.Fprintf(&callers, "    c%02d: {token: \"${secret.t%02d}\"}\n", i, i)
		fmt.Fprintf(&secrets, "  t%02d: {file: t%02d}\n", i, i)
	}
	return `version: 1
server:
  listen: "127.0.0.1:0"
  callers:
` + callers.String() + "secrets:\n" + secrets.String() + `tools:
  mark:
    description: Leave a mark.
    parameters: {type: object, properties: {n: {type: string}}, required: [n]}
    command: {argv: [sh, -c, cat >> marks], stdin: "${args.n}\n"}
policy:
  default: deny
  rules: [{name: marks, tools: [mark], action: ask, expires: 1h, wait: 10m}]
`
}

// asking is two servers on one store, whose tool asks.
type asking struct {
	t                *testing.T
	bin, dir, config string
	client           *http.Client

	mu      sync.RWMutex // guards servers
	servers [2]*process
}

func newAsking(t *testing.T) *asking {
	t.Helper()
	a := &asking{t: t, bin: build(t, "github.com/toolgate/toolgate/cmd/gateway"), dir: t.TempDir()}
	a.config = filepath.Join(a.dir, "tools.yaml")
	if err := os.WriteFile(a.config, []byte(askingConfig()), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range askingCallers {
		if err := os.WriteFile(filepath.Join(a.dir, fmt.Sprintf("t%02d", i)), fmt.Appendf(nil, askingToken, i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 1000}
	t.Cleanup(transport.CloseIdleConnections)
	a.client = &http.Client{Transport: transport}
	for i := range a.servers {
		a.start(i)
	}
	return a
}

func (a *asking) start(i int) {
	a.t.Helper()
	p := start(a.t, a.bin, "serve", "--config", a.config)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.servers[i] = p
}

func (a *asking) url(i int) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.servers[i].url
}

// kill kills a server where it stands.
func (a *asking) kill(i int) {
	a.t.Helper()
	a.mu.RLock()
	p := a.servers[i]
	a.mu.RUnlock()
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		a.t.Fatal(err)
	}
	_ = p.cmd.Wait()
}

// once makes the n-th call by a server, and reports how it ended: ok, the kind of its
// error, or gone where nobody answered.
func (a *asking) once(server, n int) string {
	body := fmt.Sprintf(`{"n": "%d"}`, n)
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.url(server)+"/v1/tools/mark/call?chat=c", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+fmt.Sprintf(askingToken, n%askingCallers))
	resp, err := a.client.Do(req)
	if err != nil {
		return "gone"
	}
	defer func() { _ = resp.Body.Close() }()
	var result struct {
		Status string
		Error  struct {
			Type string `json:"error_type"`
		}
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return "gone"
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return string(data)
	}
	if result.Status == "ok" {
		return "ok"
	}
	if result.Error.Type == "" {
		return string(data)
	}
	return result.Error.Type
}

// until makes a call again as long as it waits for a person, or its server is gone.
func (a *asking) until(server, n int) {
	for {
		switch got := a.once(server, n); got {
		case "ok":
			return
		case string(tool.NeedsApproval), string(tool.Overloaded), "gone", string(tool.Interrupted), string(tool.Cancelled):
			time.Sleep(10 * time.Millisecond)
		default:
			a.t.Errorf("call %d: %s", n, got)
			return
		}
	}
}

// approvers starts a process of approvers, which stop when they are told to and say
// then how many of their answers were taken.
func (a *asking) approvers(name string) (stop func() int) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), "approver", a.config, name)
	in, err := cmd.StdinPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	return sync.OnceValue(func() int {
		_ = in.Close()
		var taken int
		if err := cmd.Wait(); err != nil || json.Unmarshal(out.Bytes(), &taken) != nil {
			a.t.Errorf("approvers: %v\n%s%s", err, out.String(), talk.String())
		}
		return taken
	})
}

// approver is the program of approvers: CONFIG NAME. Its threads answer whatever
// waits, all of it and in another order each, until the input ends.
func approver() {
	n, err := approveAll(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(n)
}

func approveAll(path, name string) (taken int64, err error) {
	cfg, a, _, err := load(config.Options{Files: []string{path}}, assembly.Resolved)
	if err != nil {
		return 0, err
	}
	s, err := store.Open(context.Background(), cfg.Store.File(), store.Options{})
	if err != nil {
		return 0, err
	}
	desk := approval.Open(context.Background(), s, approval.Options{})
	g := gateway.New(a.Generation, nil, gateway.Options{Approvals: desk, Logger: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	var threads sync.WaitGroup
	failed := make([]error, approverThreads)
	var all atomic.Int64
	for i := range approverThreads {
		threads.Go(func() {
			who := tool.Caller{ID: fmt.Sprint(name, i), Name: fmt.Sprint(name, i), Kind: tool.KindCLI}
			for failed[i] == nil && ctx.Err() == nil {
				n, err := approveRound(g, who)
				all.Add(n)
				failed[i] = err
			}
		})
	}
	threads.Wait()
	return all.Load(), errors.Join(append(failed, g.Close(context.Background()), desk.Close(), s.Close(), a.Close())...)
}

// approveRound answers what waits now.
func approveRound(g *gateway.Gateway, who tool.Caller) (taken int64, err error) {
	found, err := g.Approvals(context.Background(), approval.Query{State: approval.Pending, Limit: 50})
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	for _, i := range rand.Perm(len(found)) {
		_, err := g.AnswerApproval(context.Background(), found[i].ID, gateway.Reply{Approve: true, By: who, From: "cli"})
		refusal, late := errors.AsType[*approval.Refusal](err)
		switch {
		case err == nil:
			taken++
		case !late || refusal.Kind != approval.Over:
			return taken, err
		}
	}
	return taken, nil
}

// marks are how often the tool ran, in all and for each call.
func (a *asking) marks() (all int, each map[string]int) {
	a.t.Helper()
	data, err := os.ReadFile(filepath.Join(a.dir, "marks"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.t.Fatal(err)
	}
	each = map[string]int{}
	for n := range strings.FieldsSeq(string(data)) {
		each[n]++
		all++
	}
	return all, each
}

// approvals are all there are, by their state; each that was answered says by whom
// and from where.
func (a *asking) approvals() map[approval.State]map[string]approval.Approval {
	a.t.Helper()
	s, err := store.Open(a.t.Context(), filepath.Join(a.dir, "gateway.db"), store.Options{ReadOnly: true})
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	found, err := s.ApprovalChanges(a.t.Context(), 0, 100_000)
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[approval.State]map[string]approval.Approval{}
	for _, ap := range found {
		if out[ap.State] == nil {
			out[ap.State] = map[string]approval.Approval{}
		}
		out[ap.State][ap.ID] = ap
		if ap.State != approval.Pending && (ap.Answer == nil || ap.Answer.By == "" || ap.Answer.From != "cli") {
			a.t.Errorf("approval %s is %s, answered %+v", ap.ID, ap.State, ap.Answer)
		}
	}
	return out
}

// logged are the records of calls that went well or were interrupted, by the
// approval they used. A call that used none, or one that another used too, fails the
// test.
func (a *asking) logged() map[string]runlog.Entry {
	a.t.Helper()
	s, err := store.Open(a.t.Context(), filepath.Join(a.dir, "gateway.db"), store.Options{ReadOnly: true})
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	entries, _, err := runlog.Find(a.t.Context(), filepath.Join(a.dir, "gateway.db.journal"), s, runlog.Query{Limit: runlog.MaxLimit})
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[string]runlog.Entry{}
	for _, e := range entries {
		if e.Approval == nil || e.Approval.Answer != "approved" {
			if e.Status == runlog.StatusOK {
				a.t.Errorf("call %s ran without an approval", e.CallID)
			}
			continue
		}
		if other, ok := out[e.Approval.ID]; ok {
			a.t.Errorf("%s and %s used the approval %s", other.CallID, e.CallID, e.Approval.ID)
		}
		if e.Approval.By == "" || e.Approval.From != "cli" {
			a.t.Errorf("the record of %s says %+v", e.CallID, e.Approval)
		}
		out[e.Approval.ID] = e
	}
	return out
}

// TestApprovalsOnce lets 8 approvers in two processes race for 1,000 approvals of
// calls that wait in two servers on one store, each call in both at once: as many
// runs as approvals, one for each.
func TestApprovalsOnce(t *testing.T) {
	const approvals, different, atOnce = 1000, 500, 100
	a := newAsking(t)
	stops := []func() int{a.approvers("left"), a.approvers("right")}
	numbers := make(chan int)
	var callers sync.WaitGroup
	for range atOnce {
		callers.Go(func() {
			for n := range numbers {
				var both sync.WaitGroup
				both.Go(func() { a.until(0, n) })
				a.until(1, n)
				both.Wait()
			}
		})
	}
	for n := range different {
		numbers <- n
	}
	close(numbers)
	callers.Wait()
	taken := stops[0]() + stops[1]()
	all, each := a.marks()
	states := a.approvals()
	if used := len(states[approval.Used]); all != approvals || taken != approvals || used != approvals || len(states) != 1 {
		t.Errorf("%d runs, %d answers taken, %d approvals used, want %d of each; states: %d", all, taken, used, approvals, len(states))
	}
	for n, times := range each {
		if times != approvals/different {
			t.Errorf("call %s ran %d times", n, times)
		}
	}
	for id, e := range a.logged() {
		if ap := states[approval.Used][id]; ap.UsedBy != e.CallID || ap.Answer == nil || ap.Answer.By != e.Approval.By {
			t.Errorf("approval %s was used by %q and answered by %+v, and the record says %s, %+v", id, ap.UsedBy, ap.Answer, e.CallID, e.Approval)
		}
	}
	if n := len(a.logged()); n != approvals {
		t.Errorf("%d records of calls that were let through", n)
	}
}

// TestApprovalsKilled kills a server under calls that wait, and again while they are
// answered: what waits is still there afterwards, goes on in either server, and
// nothing runs twice for one answer.
func TestApprovalsKilled(t *testing.T) {
	const calls = 200
	a := newAsking(t)
	var callers sync.WaitGroup
	for n := range calls {
		callers.Go(func() { a.until(n%2, n) })
	}
	pending := func() map[string]approval.Approval { return a.approvals()[approval.Pending] }
	waitUntil(t, "all wait", func() bool { return len(pending()) == calls })
	before := pending()
	a.kill(0)
	after := pending()
	for id := range before {
		if _, ok := after[id]; !ok {
			t.Errorf("approval %s is lost", id)
		}
	}
	a.start(0)
	stop := a.approvers("both")
	waitUntil(t, "some ran", func() bool { all, _ := a.marks(); return all >= calls/4 })
	a.kill(1)
	a.start(1)
	callers.Wait()
	stop()
	states := a.approvals()
	all, each := a.marks()
	for n := range calls {
		if each[fmt.Sprint(n)] == 0 {
			t.Errorf("call %d was answered and did not run", n)
		}
	}
	if used := len(states[approval.Used]); all > used || used < calls {
		t.Errorf("%d runs of %d approvals", all, used)
	}
	if len(states[approval.Pending]) > 0 {
		t.Errorf("%d are still pending", len(states[approval.Pending]))
	}
	a.logged()
	t.Logf("%d runs, %d approvals used, %d approved and not used", all, len(states[approval.Used]), len(states[approval.Approved]))
}

// waitUntil waits until something holds that is bound to, sooner or later.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it takes too long: %s", what)
		}
	}
}
