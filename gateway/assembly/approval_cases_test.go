package assembly_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestApprovalCases lets calls wait for people, through a whole gateway, with
// approvals in memory and in a file, in virtual time. A case is a file of
// testdata/approvals/CLASS with
//
//	tools.yaml  the configuration; that of testdata/approvals/tools.yaml where the case has none
//	*.yaml      others, for the steps reload and restart
//	steps       one a line, see deskCase.step
//	log         what each step gave, and what the record of calls tells in the end (golden)
//
// Approvals are named #1, #2 in the order in which they were raised.
func TestApprovalCases(t *testing.T) {
	files, err := filepath.Glob("testdata/approvals/*/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	perClass := map[string]int{}
	for _, file := range files {
		class := filepath.Base(filepath.Dir(file))
		perClass[class]++
		name := class + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name+"/memory", func(t *testing.T) { approvalCase(t, file, false) })
		t.Run(name+"/file", func(t *testing.T) { approvalCase(t, file, true) })
	}
	for _, class := range []string{
		"arguments", "callers", "chats", "replayed", "expired", "denied", "racing", "restart", "reload",
		"batch", "remember", "forged", "gone", "self",
	} {
		if perClass[class] < 3 {
			t.Errorf("class %s has %d cases, want 3", class, perClass[class])
		}
	}
}

func approvalCase(t *testing.T, file string, inFile bool) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range archive.Files {
		parts[f.Name] = string(f.Data)
	}
	if parts["tools.yaml"] == "" {
		common, err := os.ReadFile("testdata/approvals/tools.yaml")
		if err != nil {
			t.Fatal(err)
		}
		parts["tools.yaml"] = string(common)
	}
	var got string
	synctest.Test(t, func(t *testing.T) {
		c := &deskCase{t: t, parts: parts, dir: t.TempDir(), inFile: inFile, names: map[string]string{}, cancels: map[string]context.CancelFunc{}}
		c.open("tools.yaml")
		for step := range strings.Lines(parts["steps"]) {
			if step = strings.TrimSpace(step); step != "" && step[0] != '#' {
				time.Sleep(time.Millisecond) // nothing of one step is as old as what comes of the next
				fmt.Fprintf(&c.out, "> %s\n", step)
				c.step(step)
				c.flush()
			}
		}
		c.close()
		c.flush()
		got = c.out.String() + c.records()
	})
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "log" })
		archive.Files = append(archive.Files, txtar.File{Name: "log", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := gocmp.Diff(parts["log"], got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// deskCase is a case that runs.
type deskCase struct {
	t      *testing.T
	parts  map[string]string
	dir    string
	inFile bool
	out    strings.Builder

	kept     approval.Store // outlives restarts
	file     *store.Store   // nil in memory
	desk     *approval.Desk
	assembly []*assembly.Assembly
	gateway  *gateway.Gateway
	names    map[string]string // of approvals, by ID
	cancels  map[string]context.CancelFunc
	runs     atomic.Int64 // of tools

	calls sync.WaitGroup
	mu    sync.Mutex // guards what follows
	came  []string   // answers that were not written down yet
	log   []string   // records of ends
}

// build makes a generation of a configuration, whose runs are counted.
func (c *deskCase) build(name string) *gateway.Generation {
	c.t.Helper()
	cfg, problems := config.Parse(filepath.Join(c.dir, "tools.yaml"), []byte(c.parts[name]))
	if err := problems.Err(); err != nil {
		c.t.Fatal(name, err)
	}
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved})
	if err := cfg.Problems().Err(); err != nil {
		c.t.Fatal(name, err)
	}
	c.assembly = append(c.assembly, a)
	var entries []*registry.Entry
	for _, e := range a.Generation.Tools.All() {
		e.Runner = counted{e.Runner, &c.runs}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		c.t.Fatal(name, "has no tools")
	}
	return a.Generation
}

// counted counts how often a tool is run.
type counted struct {
	tool.Runner
	runs *atomic.Int64
}

func (r counted) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	r.runs.Add(1)
	return r.Runner.Run(ctx, in)
}

// open opens a gateway on what is kept.
func (c *deskCase) open(name string) {
	c.t.Helper()
	generation := c.build(name)
	if c.kept == nil && !c.inFile {
		c.kept = new(approval.Memory)
	}
	if c.inFile {
		s, err := store.Open(c.t.Context(), filepath.Join(c.dir, "gateway.db"), store.Options{})
		if err != nil {
			c.t.Fatal(err)
		}
		c.file, c.kept = s, s
	}
	c.desk = approval.Open(c.t.Context(), c.kept, approval.Options{})
	c.gateway = gateway.New(generation, c, gateway.Options{Logger: slog.New(slog.DiscardHandler), Approvals: c.desk})
	c.gateway.JudgeApprovals()
}

// close ends the gateway, and with it what waits.
func (c *deskCase) close() {
	c.t.Helper()
	err := c.gateway.Close(context.Background())
	c.calls.Wait()
	err = errors.Join(err, c.desk.Close())
	if c.file != nil {
		err = errors.Join(err, c.file.Close())
	}
	for _, a := range c.assembly {
		err = errors.Join(err, a.Close())
	}
	if c.assembly = nil; err != nil {
		c.t.Fatal(err)
	}
}

// Start is the record of a start.
func (c *deskCase) Start(runlog.Record) error { return nil }

// End keeps what a record tells of policy and people.
func (c *deskCase) End(r runlog.Record) error {
	text := fmt.Sprintf("%s %s: %s", base(r.CallID), cmp.Or(r.Decision, "-"), cmp.Or(string(r.Code), "ok"))
	if a := r.Approval; a != nil {
		text += fmt.Sprintf(", %s %s", a.ID, cmp.Or(a.Answer, "waits"))
		for _, more := range [][2]string{{"by", a.By}, {"from", a.From}, {"note", a.Note}, {"remembered", a.Remembered}} {
			if more[1] != "" {
				text += " " + more[0] + " " + more[1]
			}
		}
	}
	for _, n := range r.Notes {
		text += ", " + n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, text)
	return nil
}

// base is the name of a call, without its number where there are many of it.
func base(name string) string {
	name, _, _ = strings.Cut(name, "*")
	return name
}

// records are the records of ends, sorted, each once.
func (c *deskCase) records() string {
	return "records\n" + count(c.tidied(c.log)) + fmt.Sprintf("runs %d\n", c.runs.Load())
}

// count gives each line once, with how often it is there.
func count(lines []string) string {
	times := map[string]int{}
	for _, l := range lines {
		times[l]++
	}
	slices.Sort(lines)
	var out strings.Builder
	for _, l := range slices.Compact(lines) {
		if n := times[l]; n > 1 {
			fmt.Fprintf(&out, "%d x ", n)
		}
		out.WriteString(l + "\n")
	}
	return out.String()
}

var approvalIDs = regexp.MustCompile(`apr_[0-9a-v]{26}`)

// tidied are the lines with approvals by their names.
func (c *deskCase) tidied(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = approvalIDs.ReplaceAllStringFunc(l, func(id string) string { return cmp.Or(c.names[id], id) })
	}
	return out
}

// fileTime is longer than a call waits for a file that another one has locked: that
// takes time, and not only settling.
const fileTime = 50 * time.Millisecond

// flush lets all that can happen happen, and writes down which answers came.
func (c *deskCase) flush() {
	c.t.Helper()
	time.Sleep(fileTime) // in memory too, so that both write the same down
	synctest.Wait()
	found, err := c.peek()
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range found {
		if id := found[i].ID; c.names[id] == "" {
			c.names[id] = fmt.Sprint("#", len(c.names)+1)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.WriteString(count(c.tidied(c.came)))
	c.came = nil
}

// peek reads all approvals in the order of their changes, also after the end.
func (c *deskCase) peek() ([]approval.Approval, error) {
	const most = 1000
	if !c.inFile {
		return c.kept.ApprovalChanges(c.t.Context(), 0, most)
	}
	s, err := store.Open(c.t.Context(), filepath.Join(c.dir, "gateway.db"), store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	return s.ApprovalChanges(c.t.Context(), 0, most)
}

// step does one of
//
//	call NAME CALLER CHAT TOOL ARGS      a call, which may wait
//	form=VERDICT NAME CALLER CHAT TOOL ARGS  a call whose client asks its user
//	many N NAME CALLER CHAT TOOL ARGS    the same call N times at once
//	batch NAME CALLER CHAT TOOL ARGS; TOOL ARGS …
//	start NAME CALLER CHAT TOOL ARGS     a call that nobody waits for
//	leave NAME                           its client disappears
//	approve|deny #N BY [remember=SCOPE] [note]
//	race N approve|deny|both #N          so many people answer at once
//	sleep TIME   reload FILE   restart FILE   stop
//	list [STATE]
func (c *deskCase) step(text string) {
	name, rest, _ := strings.Cut(text, " ")
	switch name {
	case "call", "form=approve", "form=deny", "form=later", "form=fail", "form=hang":
		c.call(strings.TrimPrefix(name, "form="), rest)
	case "many":
		n, what, _ := strings.Cut(rest, " ")
		for i := range number(c.t, n) {
			own, more, _ := strings.Cut(what, " ")
			c.call("call", fmt.Sprintf("%s*%d %s", own, i, more))
		}
	case "batch":
		c.batch(rest)
	case "start":
		id, made := c.parse(rest)
		if _, err := c.gateway.Handles().Start(c.t.Context(), made); err != nil {
			c.t.Fatal(id, err)
		}
		c.calls.Go(func() {
			s, _ := c.gateway.Handles().Wait(context.Background(), made.Caller, made.ID)
			c.answer(id, s.Result)
		})
	case "leave":
		c.cancels[rest]()
	case "approve", "deny":
		c.reply(name == "approve", rest)
	case "race":
		c.race(strings.Fields(rest))
	case "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			c.t.Fatal(err)
		}
		time.Sleep(d)
	case "reload":
		c.gateway.Swap(c.build(rest))
	case "restart":
		c.close()
		c.flush()
		c.open(cmp.Or(rest, "tools.yaml"))
	case "stop":
		c.desk.LetGo()
	case "list":
		c.list(approval.State(rest))
	default:
		c.t.Fatalf("no step is named %s", name)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parse reads NAME CALLER CHAT TOOL ARGS.
func (c *deskCase) parse(text string) (string, tool.Call) {
	f := strings.SplitN(text, " ", 5)
	if len(f) < 5 {
		c.t.Fatalf("a call is NAME CALLER CHAT TOOL ARGS, not %s", text)
	}
	return f[0], tool.Call{
		ID: f[0], Tool: f[3], Arguments: json.RawMessage(f[4]), Chat: tool.Chat{ID: f[2]},
		Caller: tool.Caller{ID: f[1], Name: f[1], Kind: tool.KindHTTP},
	}
}

func (c *deskCase) call(form, text string) {
	id, made := c.parse(text)
	ctx, cancel := context.WithCancel(c.t.Context())
	c.cancels[id] = cancel
	if form != "call" {
		ctx = approval.WithForm(ctx, caseForm{c, id, form})
	}
	g := c.gateway
	c.calls.Go(func() {
		r := g.Call(ctx, made)
		c.answer(id, &r)
	})
}

// batch runs the calls of one step of a model.
func (c *deskCase) batch(text string) {
	f := strings.SplitN(text, " ", 4)
	var calls []tool.Call
	for i, each := range strings.Split(f[3], "; ") {
		_, made := c.parse(fmt.Sprintf("%s.%d %s %s %s", f[0], i, f[1], f[2], each))
		calls = append(calls, made)
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	c.cancels[f[0]] = cancel
	c.calls.Go(func() {
		_, err := c.gateway.Batch(ctx, calls, batch.Options{Finished: func(i int, r tool.Result) { c.answer(calls[i].ID, &r) }})
		if err != nil {
			c.say(f[0] + ": " + err.Error())
		}
	})
}

func (c *deskCase) answer(id string, r *tool.Result) {
	text := base(id) + ": "
	if r.Error != nil {
		text += string(r.Error.Code) + ": "
	}
	c.say(text + strings.ReplaceAll(r.Output.Text(), "\n", " / "))
}

func (c *deskCase) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = append(c.came, text)
}

// caseForm is the form of a client, which answers with a word.
type caseForm struct {
	c       *deskCase
	call    string
	verdict string
}

// Ask gives the verdict.
func (f caseForm) Ask(ctx context.Context, q *approval.Question) (bool, error) {
	f.c.say(fmt.Sprintf("%s is asked: %s (%s)", f.call, q.Summary, q.Reason))
	switch f.verdict {
	case "later":
		return false, approval.ErrLater
	case "fail":
		return false, errors.New("it has no windows")
	case "hang":
		<-ctx.Done()
		return false, ctx.Err()
	}
	return f.verdict == "approve", nil
}

// id is the ID of the approval of a name; another text is what somebody made up.
func (c *deskCase) id(name string) string {
	for id, n := range c.names {
		if n == name {
			return id
		}
	}
	return name
}

func (c *deskCase) reply(approve bool, text string) {
	f := strings.SplitN(text, " ", 3)
	r := gateway.Reply{Approve: approve, From: "http", By: person(f[1])}
	if len(f) > 2 {
		r.Note = f[2]
		if scope, ok := strings.CutPrefix(r.Note, "remember="); ok {
			scope, r.Note, _ = strings.Cut(scope, " ")
			r.Remember = approval.Scope(scope)
		}
	}
	a, err := c.gateway.AnswerApproval(c.t.Context(), c.id(f[0]), r)
	if refusal, ok := errors.AsType[*approval.Refusal](err); ok {
		c.say(fmt.Sprintf("refused as %s: %s / %s", refusal.Kind, refusal.Message, refusal.Hint))
	} else if err != nil {
		c.t.Error(err)
	} else {
		c.say(fmt.Sprintf("%s is %s", a.ID, a.State))
	}
}

func person(name string) tool.Caller {
	return tool.Caller{ID: name, Name: name, Kind: tool.KindHTTP, Groups: []string{name + "s"}, May: []tool.Right{tool.MayApprove}}
}

// race lets people answer at once, and says how many of the answers were taken.
func (c *deskCase) race(f []string) {
	n, taken, people := number(c.t, f[0]), atomic.Int64{}, sync.WaitGroup{}
	for i := range n {
		approve := f[1] == "approve" || f[1] == "both" && i%2 == 0
		people.Go(func() {
			_, err := c.gateway.AnswerApproval(c.t.Context(), c.id(f[2]), gateway.Reply{Approve: approve, From: "cli", By: person("bob")})
			if refusal, ok := errors.AsType[*approval.Refusal](err); err == nil {
				taken.Add(1)
			} else if !ok || refusal.Kind != approval.Over {
				c.t.Error(err)
			}
		})
	}
	people.Wait()
	if f[1] != "both" {
		c.say(fmt.Sprintf("%d of %d answers are taken", taken.Load(), n))
	}
}

// list writes down which approvals there are.
func (c *deskCase) list(state approval.State) {
	c.flush()
	found, err := c.gateway.Approvals(c.t.Context(), approval.Query{State: state})
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range found {
		a := &found[i]
		c.say(fmt.Sprintf("%s %s: %s %s in %s by %s, %s", a.ID, a.State, a.Tool, a.Arguments, a.Chat, a.Caller.Name, a.Summary))
	}
}
