package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// library is a generation of these tools, which echo, with the tools that find and
// call them.
func library(t testing.TB, cfg *policy.Config, specs ...*tool.Spec) *gateway.Generation {
	t.Helper()
	discover := find.NewSpec(nil)
	reader, _ := result.NewTool(nil)
	var entries []*registry.Entry
	for _, s := range append(slices.Clone(specs), find.CallSpec(true), find.CallReadSpec(true), discover, reader) {
		if s.Parameters == nil {
			s.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		s.Timeout, s.MaxOutput = cmp.Or(s.Timeout, 5*time.Second), cmp.Or(s.MaxOutput, 1<<20)
		accepted := s.Parameters
		if s == discover {
			accepted = find.Accepted()
		}
		compiled, err := schema.Compile(accepted)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, &registry.Entry{Spec: s, Schema: compiled, Runner: runnerFunc(echo)})
	}
	tools, err := registry.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	gen := &gateway.Generation{
		Tools: tools, Groups: gateway.NewGroups([]gateway.Group{{Name: "money"}}), Masker: secret.NewMasker(secret.NewValue("hunter2")),
		Profiles:  map[string]gateway.Profile{"small": {"list_issues": true, "crm-pay": true}},
		Discovery: &gateway.Discovery{Lease: new(discovery.Shelf).Take(gateway.Documents(tools))},
	}
	if cfg == nil {
		return gen
	}
	var known []policy.Known
	for _, e := range tools.All() {
		known = append(known, policy.Known{Spec: e.Spec, Parameters: e.Spec.Parameters})
	}
	var report diag.Report
	gen.Policy = policy.Compile(diag.NewCursor(&report, nil), cfg, known...)
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	return gen
}

// caller is call_tool.
func caller(t testing.TB) *registry.Entry {
	t.Helper()
	spec := find.CallSpec(false)
	compiled, err := schema.Compile(spec.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	return &registry.Entry{Spec: spec, Schema: compiled, Runner: find.Unplaced{}}
}

// inside is a call inside of one of call_tool.
func inside(name, args string) tool.Call {
	return call("call_tool", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
}

// shop are the tools of most tests here, new ones each time.
func shop() []*tool.Spec {
	object := func(properties string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{` + properties + `},"additionalProperties":false}`)
	}
	return []*tool.Spec{
		{Name: "word_count", Description: "Count words.", Tags: []string{tool.TagReadOnly}, ConcurrencySafe: true},
		{Name: "list_issues", Description: "List open issues.", Tags: []string{tool.TagReadOnly}, Deferred: true, ConcurrencySafe: true, Parameters: object(`"label":{"type":"string"}`)},
		{Name: "crm-pay", Namespace: "crm", Description: "Pay a bill.", Tags: []string{tool.TagDestructive}, Deferred: true, Parameters: object(`"amount":{"type":"number"}`)},
		{Name: "crm-refund", Namespace: "crm", Description: "Refund a bill.", Deferred: true, Parameters: object(`"amount":{"type":"number"}`)},
		{Name: "crm-secret_bill", Namespace: "crm", Description: "Hide a bill.", Deferred: true},
		{Name: "zephyr", Description: "Burn a paper.", Deferred: true},
		{Name: "vault", Description: "Open the vault and a bill.", Deferred: true, ByGroup: true, Groups: []string{"money"}},
	}
}

func shopRules() *policy.Config {
	return &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "hide", Tools: []string{"crm-secret*"}, Action: "deny"},
		{Name: "told", Tools: []string{"zephyr"}, Action: "deny", Reason: "Not on Sundays.", Show: true},
		{Name: "much", Tools: []string{"crm-pay"}, When: new("args.amount > 100"), Action: "deny", Reason: "Too much."},
		{Name: "refunds", Tools: []string{"crm-refund"}, Action: "ask", Reason: "A refund."},
		{Name: "inside", Via: []string{"call_tool"}, Tools: []string{"crm-pay"}, When: new("args.amount == 13"), Action: "deny", Reason: "Unlucky."},
	}}
}

// desk is a desk of chats in memory.
func chats(t testing.TB) *chat.Desk {
	t.Helper()
	d := chat.Open(t.Context(), nil, chat.Options{})
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func in(c tool.Call, chat string) tool.Call {
	c.Chat.ID = chat
	return c
}

func textOf(g *gateway.Gateway, c tool.Call) string {
	r := g.Call(context.Background(), c)
	return r.Output.Text()
}

func names(specs []*tool.Spec) string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

// TestDiscover goes the whole way: a list without deferred tools, a search, the list
// with what it found behind all others, and calls in each of the ways.
func TestDiscover(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := gateway.New(library(t, shopRules(), shop()...), log, gateway.Options{Chats: chats(t)})
	view := tool.View{Caller: call("", "").Caller, Chat: tool.Chat{ID: "c"}}
	const before = "call_read_tool call_tool discover_tools read_result word_count"
	if got := names(g.Tools(t.Context(), view)); got != before {
		t.Errorf("the list is %s", got)
	}
	r := g.Call(t.Context(), in(call("discover_tools", `{"query":"bill"}`), "c"))
	want := `{"tools":[{"name":"crm-pay","description":"Pay a bill.","input_schema":{"type":"object","properties":{"amount":{"type":"number"}},"additionalProperties":false},"destructive":true,"permission":"depends"},` +
		`{"name":"crm-refund","description":"Refund a bill.","input_schema":{"type":"object","properties":{"amount":{"type":"number"}},"additionalProperties":false},"permission":"ask"}],` +
		`"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"crm-pay\", \"arguments\": {…}}."}`
	if diff := gocmp.Diff(want, r.Output.Text()); diff != "" || string(r.Output.Structured) != want {
		t.Error(diff)
	}
	if s := r.Output.Search; s == nil || !slices.Equal(s.Activated, []string{"crm-pay", "crm-refund"}) || s.Spared < 20 || s.Spared > 60 {
		t.Errorf("%+v", s)
	}
	if got := names(g.Tools(t.Context(), view)); got != before+" crm-pay crm-refund" {
		t.Errorf("the list is %s", got)
	}
	steady, other := view, view
	steady.Steady, other.Chat.ID = true, "other"
	if got := names(g.Tools(t.Context(), steady)) + "|" + names(g.Tools(t.Context(), other)); got != before+"|"+before {
		t.Errorf("the lists are %s", got)
	}
	r = g.Call(t.Context(), in(call("discover_tools", `{"query":"bill"}`), "c"))
	if r.Output.Search.Activated != nil || r.Output.Text() != want {
		t.Errorf("again: %s", r.Output.Text())
	}
	for _, c := range []tool.Call{
		call("crm-pay", `{"amount":1}`), call("list_issues", `{}`), call("call_tool", `{"name":"crm-pay","arguments":{"amount":"1"}}`),
		call("call_read_tool", `{"name":"list_issues","arguments":{"label":"x"}}`),
	} {
		if r := g.Call(t.Context(), c); r.Error != nil {
			t.Errorf("%s %s: %s", c.Tool, c.Arguments, r.Output.Text())
		}
	}
	var got []string
	for _, r := range log.ends[2:] {
		got = append(got, fmt.Sprintf("%s %s %s", r.Tool, r.Via, r.Arguments))
	}
	wants := []string{`crm-pay direct {"amount":1}`, `list_issues direct {}`, `crm-pay call_tool {"amount":1}`, `list_issues call_tool {"label":"x"}`}
	if diff := gocmp.Diff(wants, got); diff != "" {
		t.Error(diff)
	}
}

// TestSearches holds what is said of single searches.
func TestSearches(t *testing.T) {
	t.Parallel()
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{})
	const nothing = `. Try other words for the same capability, one capability per search, and name the system it is of."}`
	const how = `"how_to_call":"Call a tool by its name."}`
	const inactive = `"unavailable":[{"name":"vault","reason":"not active in this chat: the user has to activate its group money"}]`
	const activate = `"message":"Use another tool, or tell the user what you need it for; do not repeat the call."}`
	for _, tt := range []struct {
		args, profile string
		groups        []string
		want          string
	}{
		{args: `{"query":"hide"}`, profile: "small", want: `{"tools":[],"message":"nothing found for \"hide\"` + nothing},
		{args: `{"query":"nothing like it"}`, want: `{"tools":[],"message":"nothing found for \"nothing like it\"` + nothing},
		{args: `{"query":"papers of hunter2"}`, want: `{"tools":[],"message":"nothing found for \"papers of [secret]\"` + nothing},
		{args: `{"query":"words"}`, want: `{"tools":[{"name":"word_count","description":"Count words.","read_only":true,"permission":"allow","listed":true}],` + how},
		{args: `{"query":"word_count"}`, want: `{"tools":[{"name":"word_count","description":"Count words.","input_schema":{"type":"object","properties":{}},"read_only":true,"permission":"allow","listed":true}],` + how},
		{args: `{"query":"zephyr"}`, want: `{"tools":[],"unavailable":[{"name":"zephyr","reason":"Not on Sundays."}],"message":"This tool may not be called: use another one, or tell the user."}`},
		{args: `{"query":"Ze Phyr"}`, want: `{"tools":[],"unavailable":[{"name":"zephyr","reason":"Not on Sundays."}],"message":"This tool may not be called: use another one, or tell the user."}`},
		{args: `{"query":"open vault","detail":"names"}`, want: `{"tools":[{"name":"list_issues","permission":"allow"}],"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_read_tool with {\"name\": \"list_issues\", \"arguments\": {…}}."}`},
		{args: `{"query":"vault","detail":"names"}`, groups: []string{"money"}, want: `{"tools":[{"name":"vault","permission":"allow"}],"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"vault\", \"arguments\": {…}}."}`},
		{args: `{"query":"bill","detail":"names","limit":1,"tags":[],"namespace":"crm"}`, want: `{"tools":[{"name":"crm-pay","permission":"depends"}],"more":1,"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"crm-pay\", \"arguments\": {…}}.","message":"1 more fits less well: search more precisely, or raise limit."}`},
		{args: `{"query":"vault"}`, want: `{"tools":[],` + inactive + `,` + activate},
		{args: `{"query":"vault"}`, profile: "small", want: `{"tools":[],"message":"nothing found for \"vault\"` + nothing},
		{args: `{"query":" "}`, want: `{"tools":[],"message":"The query is empty: say what the tool is to do, or give its exact name."}`},
		{args: `{"query":"bill","namespace":"nope"}`, want: `{"tools":[],"message":"nothing found for \"bill\" in the namespace \"nope\". Search without these limits, or try other words for the same capability."}`},
		{args: `{"query":"bill","limit":51}`, want: "Error: invalid arguments for discover_tools: limit: must be at most 50, got 51\nCorrect the arguments to match the tool's input schema and call it again."},
	} {
		c := call("discover_tools", tt.args)
		c.Profile, c.Chat.Groups = tt.profile, tt.groups
		if got := textOf(g, c); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.args, got, tt.want)
		}
	}
}

// TestWaysToCall: a way on which every call is denied is not advised, and does not
// count for what becomes of calls; nor is a tool advised that there is not.
func TestWaysToCall(t *testing.T) {
	t.Parallel()
	cfg := &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "by name", Via: []string{"call_tool"}, Tools: []string{"crm-pay"}, Action: "deny", Reason: "Not like this."},
		{Name: "inside", Via: []string{"direct"}, Tools: []string{"crm-refund"}, Action: "ask"},
	}}
	g := gateway.New(library(t, cfg, shop()...), &memoryLog{}, gateway.Options{})
	want := `{"tools":[{"name":"crm-secret_bill","permission":"allow"},{"name":"crm-pay","permission":"allow"},{"name":"crm-refund","permission":"depends"}],` +
		`"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"crm-secret_bill\", \"arguments\": {…}}. Only by its own name: crm-pay."}`
	if diff := gocmp.Diff(want, textOf(g, call("discover_tools", `{"query":"bill","detail":"names"}`))); diff != "" {
		t.Error(diff)
	}
	const denied = "Error: calling crm-pay with call_tool is not allowed: Not like this\nCall it by its name if you can; else use another tool, or tell the user."
	if got := textOf(g, inside("crm-pay", `{"amount":1}`)); got != denied {
		t.Errorf("got %s", got)
	}
}

// TestNothingToFind holds that the tools which find others are in no list, and no
// suggestion, where nothing is deferred for whoever asks; that they work all the same;
// and what is said where there is no index.
func TestNothingToFind(t *testing.T) {
	t.Parallel()
	gen := library(t, nil, shop()[0])
	g := gateway.New(gen, &memoryLog{}, gateway.Options{})
	if got := names(g.Tools(t.Context(), tool.View{})); got != "read_result word_count" {
		t.Errorf("the list is %s", got)
	}
	const unknown = "Error: no tool is named %q\nCall one of the tools in your tool list by its exact name."
	for _, name := range []string{"Discover-Tools", "CallTool", "nope"} {
		if got := textOf(g, call(name, `{}`)); got != fmt.Sprintf(unknown, name) {
			t.Errorf("got %s", got)
		}
	}
	if r := g.Call(t.Context(), call("call_tool", `{"name":"word_count","arguments":{}}`)); r.Error != nil {
		t.Error(r.Error)
	}
	if r := g.Call(t.Context(), call("discover_tools", `{"query":"words"}`)); r.Error != nil || r.Output.Search.Spared != 0 {
		t.Error(r.Error)
	}
	if r := g.Call(t.Context(), call("discover_tools", `{"query":"vault"}`)); r.Status != tool.StatusNoop {
		t.Errorf("nothing found is %s", r.Status)
	}
	gen.Discovery = nil
	r := g.Call(t.Context(), call("discover_tools", `{"query":"words"}`))
	if want := "Error: tools cannot be searched for here\nCall the tools in your tool list, or tell the user what you need."; r.Output.Text() != want {
		t.Errorf("got %s", r.Output.Text())
	}
}

// TestInnerCalls holds that a call inside of another is answered as a direct one is,
// and what else is said of it.
func TestInnerCalls(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := gateway.New(library(t, shopRules(), shop()...), log, gateway.Options{})
	const unknown = "Error: no tool is named %q\nSearch for the tool with discover_tools, or call one of the tools in your tool list by its exact name."
	const read = "Error: %[1]s does more than read, and call_read_tool calls only tools that are read_only\nMake the same call with call_tool."
	for i, tt := range []struct{ tool, name, args, want, recorded string }{
		{tool: "call_tool", name: "crm-pay", args: `{"amount":500}`},
		{tool: "call_tool", name: "crm-pay", args: `{"amount":"much"}`},
		{tool: "call_tool", name: "crm-pay", args: `{"amount":1,"amount":2}`, want: "Error: invalid arguments for call_tool: arguments.amount: is given twice; give it once\nCorrect the arguments to match", recorded: "call_tool"},
		{tool: "call_tool", name: "crm-pay", args: `{"amount":13}`, want: "Error: calling crm-pay with these arguments is not allowed: Unlucky\n"},
		{tool: "call_tool", name: "crm-refund", args: `{"amount":1}`},
		{tool: "call_tool", name: "crm-secret_bill", args: `{}`},
		{tool: "call_tool", name: "crm-secret_bill", args: `{"other":1}`, want: fmt.Sprintf(unknown, "crm-secret_bill")},
		{tool: "call_read_tool", name: "crm-secret_bill", args: `{}`, want: fmt.Sprintf(unknown, "crm-secret_bill")},
		{tool: "call_read_tool", name: "no_such_thing", args: `{}`, want: fmt.Sprintf(unknown, "no_such_thing")},
		{tool: "call_tool", name: "zephyr", args: `{}`},
		{tool: "call_tool", name: "vault", args: `{}`},
		{tool: "call_read_tool", name: "crm-pay", args: `{"amount":1}`, want: fmt.Sprintf(read, "crm-pay")},
		{tool: "call_tool", name: "read_result", args: `{}`},
		{tool: "call_tool", name: "ListIssues", args: `{}`},
		{tool: "call_tool", name: "discover_tools", args: `{}`, want: "Error: discover_tools cannot be called with call_tool\nCall discover_tools itself, not with call_tool.", recorded: "call_tool"},
		{tool: "call_read_tool", name: "call_tool", args: `{}`, want: "Error: call_tool cannot be called with call_read_tool\n", recorded: "call_read_tool"},
		{tool: "call_tool", name: "list_issues", args: `"{\"label\":\"x\"}"`},
		{tool: "call_tool", name: "list_issues", args: `{"arguments":{"label":"x"}}`},
	} {
		c := in(call(tt.tool, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tt.name, tt.args)), fmt.Sprint(i))
		got := g.Call(t.Context(), c)
		if want := tt.want; want != "" {
			if !strings.HasPrefix(got.Output.Text(), want) {
				t.Errorf("%s: got\n%s\nwant\n%s", c.Arguments, got.Output.Text(), want)
			}
		} else if direct := g.Call(t.Context(), in(call(tt.name, tt.args), fmt.Sprint(i))); direct.Output.Text() != got.Output.Text() || direct.Tool != got.Tool {
			t.Errorf("%s: got\n%s\nand directly\n%s", c.Arguments, got.Output.Text(), direct.Output.Text())
		} else {
			log.ends = log.ends[:len(log.ends)-1]
		}
		if r := log.ends[len(log.ends)-1]; r.Tool != cmp.Or(tt.recorded, tt.name) || r.Via == tool.ViaCallTool == (tt.recorded != "") {
			t.Errorf("%s: recorded as %s, via %s", c.Arguments, r.Tool, r.Via)
		}
	}
}

// TestNoCallTool: where call_tool is not registered it is a tool like any that there
// is not.
func TestNoCallTool(t *testing.T) {
	t.Parallel()
	g := ruled(t, &memoryLog{}, &policy.Config{Default: "allow"}, "read")
	r := g.Call(t.Context(), call("call_tool", `{"name":"read","arguments":{}}`))
	if endOf(r) != tool.NotFound || r.Tool != "call_tool" {
		t.Errorf("%+v", r)
	}
}

// TestInnerBatch: what batches, explanations and started calls go by is the inner call.
func TestInnerBatch(t *testing.T) {
	t.Parallel()
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{})
	if !g.Safe(inside("list_issues", `{}`)) || g.Safe(inside("crm-pay", `{}`)) {
		t.Error("what may run side by side is not told by the inner tool")
	}
	results, err := g.Batch(t.Context(), []tool.Call{inside("list_issues", `{}`), inside("crm-pay", `{"amount":2}`), call("call_tool", `{}`)}, batch.Options{})
	if err != nil || results[0].Output.Text() != `{}` || results[1].Output.Text() != `{"amount":2}` || endOf(results[2]) != tool.InvalidArgs {
		t.Errorf("%+v, %v", results, err)
	}
	x, err := g.Explain(t.Context(), inside("crm-pay", `{"amount":13}`))
	if err != nil || x.Decision.Rule != "inside" || x.Request.Tool.Name != "crm-pay" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := g.Explain(t.Context(), call("call_tool", `{}`)); err == nil || tool.AsError(err).Code != tool.InvalidArgs {
		t.Errorf("got %v", err)
	}
	if _, err := g.Explain(t.Context(), call("call_read_tool", `{"name":"crm-pay","arguments":{"amount":1}}`)); err == nil || tool.AsError(err).Code != tool.InvalidArgs {
		t.Errorf("got %v", err)
	}
	started, err := g.Handles().Start(t.Context(), inside("crm-pay", `{"amount":2}`))
	if err != nil || started.Tool != "crm-pay" {
		t.Errorf("%+v, %v", started, err)
	}
	long := inside(strings.Repeat("x", 500_000), `{}`)
	if r := g.Call(t.Context(), long); len(r.Tool) > 110 || len(r.Output.Text()) > 500 {
		t.Errorf("an answer of %d bytes, for a tool of %d", len(r.Output.Text()), len(r.Tool))
	}
	if s, err := g.Handles().Start(t.Context(), long); err != nil || len(s.Tool) > 110 {
		t.Errorf("the status has a name of %d bytes, %v", len(s.Tool), err)
	}
	key := handle.Key{Caller: "ann", Chat: "c", ID: "1"}
	for i, c := range []tool.Call{inside("crm-pay", `{"amount":2}`), call("crm-pay", `{"amount":2}`), inside("crm-pay", `{"amount":3}`)} {
		r, replayed, err := g.Handles().Once(t.Context(), key, c)
		if i < 2 && (err != nil || r.Tool != "crm-pay") || replayed != (i == 1) || i == 2 && err == nil {
			t.Errorf("call %d of one key: %+v, %v, %v", i, r, replayed, err)
		}
	}
	if s, _ := g.Handles().Wait(t.Context(), call("", "").Caller, started.ID); s.Result == nil || s.Result.Tool != "crm-pay" {
		t.Errorf("%+v", s)
	}
}

// taught are notes that remember what they are told.
type taught struct{ told []string }

func (n *taught) Searched(_ tool.Caller, chat tool.Chat, query string, found []string) {
	n.told = append(n.told, fmt.Sprintf("searched %s in %s: %s", query, chat.ID, strings.Join(found, " ")))
}

func (n *taught) Called(_ tool.Caller, chat tool.Chat, name string) {
	n.told = append(n.told, fmt.Sprintf("called %s in %s", name, chat.ID))
}

func (n *taught) Notes(tool.Caller) ([]discovery.Note, uint64) {
	return []discovery.Note{{Tool: "list_issues", Query: "bugs", Weight: 1}}, 7
}

// TestNotes holds what is told of searches and calls, and that nothing is where that
// was not asked for.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, learn := range []bool{false, true} {
		notes, gen := &taught{}, library(t, shopRules(), shop()...)
		gen.Discovery.Learn = learn
		g := gateway.New(gen, &memoryLog{}, gateway.Options{Notes: notes})
		for _, c := range []tool.Call{
			call("discover_tools", `{"query":"bill of hunter2"}`), call("discover_tools", `{"query":"nowhere"}`),
			call("call_tool", `{"name":"crm-pay","arguments":{"amount":1}}`), call("crm-pay", `{"amount":500}`), call("word_count", `{}`),
		} {
			g.Call(t.Context(), in(c, "c"))
		}
		var want []string
		if learn {
			want = []string{"searched bill of [secret] in c: crm-pay crm-refund", "called crm-pay in c", "called word_count in c"}
		}
		if diff := gocmp.Diff(want, notes.told); diff != "" {
			t.Errorf("learn %v: %s", learn, diff)
		}
	}
}

// TestDeadNamesGiveWay: what was found and is gone, or hidden from the caller by now,
// does not keep a chat from taking what is found next.
func TestDeadNamesGiveWay(t *testing.T) {
	t.Parallel()
	desk := chats(t)
	gone := []string{"list_issues", "crm-secret_bill"}
	for i := range chat.MaxFound - len(gone) {
		gone = append(gone, fmt.Sprintf("gone_%d", i))
	}
	full := tool.Chat{ID: "c"}
	if _, err := desk.Find(t.Context(), "ann", full, gone, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{Chats: desk})
	r := g.Call(t.Context(), in(call("discover_tools", `{"query":"bill"}`), "c"))
	if s := r.Output.Search; s == nil || !slices.Equal(s.Activated, []string{"crm-pay", "crm-refund"}) {
		t.Errorf("%s", r.Output.Text())
	}
	listed := names(g.Tools(t.Context(), tool.View{Caller: call("", "").Caller, Chat: full}))
	if !strings.HasSuffix(listed, "word_count list_issues crm-pay crm-refund") {
		t.Errorf("the list is %s", listed)
	}
	want := append([]string{"list_issues"}, gone[3:]...)
	if got := desk.Look("ann", full).Found; !slices.Equal(got, append(want, "crm-pay", "crm-refund")) {
		t.Errorf("found are %v", got)
	}
}

// forgetful are chats that cannot be written.
type forgetful struct{ *chat.Desk }

func (forgetful) Find(context.Context, string, tool.Chat, []string, func(string) bool) ([]string, error) {
	return nil, tool.Errorf(tool.Internal, "the disk hums")
}

// slow are chats that take until nobody waits any more, and say how long that is.
type slow struct{ *chat.Desk }

func (slow) Find(ctx context.Context, _ string, _ tool.Chat, _ []string, _ func(string) bool) ([]string, error) {
	if until, ok := ctx.Deadline(); !ok || time.Until(until) > time.Second {
		return nil, nil
	}
	return nil, tool.Errorf(tool.Internal, "the disk is busy")
}

// TestSlowlySaved: a search does not wait for more than a second for its chat to be
// written.
func TestSlowlySaved(t *testing.T) {
	t.Parallel()
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{Chats: slow{chats(t)}})
	text := textOf(g, in(call("discover_tools", `{"query":"issues"}`), "c"))
	if !strings.Contains(text, `"message":"The tools could not be added to your list."`) {
		t.Errorf("got %s", text)
	}
}

// TestUnsaved: a search answers although its chat cannot be written, and says so.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := gateway.New(library(t, shopRules(), shop()...), log, gateway.Options{Chats: forgetful{chats(t)}})
	r := g.Call(t.Context(), in(call("discover_tools", `{"query":"issues"}`), "c"))
	if r.Error != nil || r.Output.Search.Activated != nil || !strings.Contains(r.Output.Text(), `"message":"The tools could not be added to your list."`) {
		t.Errorf("got %s", r.Output.Text())
	}
	if want := []string{"what was found could not be kept in the chat: the disk hums"}; !slices.Equal(log.ends[0].Notes, want) {
		t.Errorf("noted %q", log.ends[0].Notes)
	}
}

// TestPrefix activates ten tools: in every format the earlier list is the beginning of
// the later one, byte for byte.
func TestPrefix(t *testing.T) {
	t.Parallel()
	specs := shop()
	for i := range 20 {
		specs = append(specs, &tool.Spec{Name: fmt.Sprintf("extra_%02d", 19-i), Description: "Do an extra thing.", Deferred: true})
	}
	gen := library(t, shopRules(), specs...)
	g := gateway.New(gen, &memoryLog{}, gateway.Options{Chats: chats(t)})
	view := tool.View{Caller: call("", "").Caller, Chat: tool.Chat{ID: "c"}}
	before := g.Tools(t.Context(), view)
	for _, i := range []int{7, 3, 9, 1, 0, 2, 19, 4, 5, 6} {
		r := g.Call(t.Context(), in(call("discover_tools", fmt.Sprintf(`{"query":"extra_%02d"}`, i)), "c"))
		if len(r.Output.Search.Activated) != 1 {
			t.Fatal(r.Output.Text())
		}
	}
	after := g.Tools(t.Context(), view)
	if got := names(after[len(before):]); got != "extra_07 extra_03 extra_09 extra_01 extra_00 extra_02 extra_19 extra_04 extra_05 extra_06" {
		t.Errorf("found are %s", got)
	}
	for format, shape := range map[string]func([]*tool.Spec) any{
		"openai-chat":      func(s []*tool.Spec) any { return provider.OpenAIChat(s) },
		"openai-responses": func(s []*tool.Spec) any { return provider.OpenAIResponses(s) },
		"anthropic":        func(s []*tool.Spec) any { return provider.Anthropic(s) },
		"gemini":           func(s []*tool.Spec) any { return provider.GeminiFunctions(s) },
		"mcp":              func(s []*tool.Spec) any { return provider.MCP(s) },
	} {
		earlier, err := json.Marshal(shape(before))
		if err != nil {
			t.Fatal(err)
		}
		later, err := json.Marshal(shape(after))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(later), strings.TrimSuffix(string(earlier), "]")) {
			t.Errorf("%s: the earlier list is not the beginning of the later one", format)
		}
	}
}

// word gives one of few words, so that queries meet many tools.
func word(rng *rand.Rand) string {
	words := []string{"list", "open", "create", "issue", "bill", "customer", "order", "repo", "file", "user", "pay", "send", "mail", "search", "page"}
	return words[rng.IntN(len(words))]
}

// rareWord gives one of words that are much alike, so that what a mistyped one is taken
// for depends on which tools there are.
func rareWord(rng *rand.Rand) string {
	ends := []string{"lo", "la", "li", "ra", "ro", "ri"}
	return "bake" + ends[rng.IntN(len(ends))] + ends[rng.IntN(len(ends))]
}

// someTools are tools of random words; hidden ones are denied by randomRules.
func someTools(rng *rand.Rand, n int) (all []*tool.Spec, hidden map[string]bool) {
	hidden = map[string]bool{}
	for i := range n {
		s := &tool.Spec{
			Name: fmt.Sprintf("%s_%s_%d", word(rng), word(rng), i), Description: fmt.Sprintf("%s the %s of a %s. %s.", word(rng), word(rng), word(rng), word(rng)),
			Deferred: rng.IntN(3) > 0, Tags: []string{"t" + fmt.Sprint(rng.IntN(3))},
			Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":%q}}}`, word(rng), word(rng)+" "+word(rng))),
		}
		if rng.IntN(2) == 0 {
			s.Namespace = "ns" + fmt.Sprint(rng.IntN(3))
			s.Name = s.Namespace + "-" + s.Name
		}
		if rng.IntN(3) == 0 {
			s.SearchHint = word(rng) + " " + word(rng) + ", " + rareWord(rng)
		}
		if rng.IntN(3) == 0 {
			hidden[s.Name] = true
		}
		all = append(all, s)
	}
	return all, hidden
}

// randomRules deny the hidden tools to ann, in one of several ways, and decide about
// others.
func randomRules(rng *rand.Rand, hidden map[string]bool) *policy.Config {
	cfg := &policy.Config{Default: "allow"}
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		r := policy.RuleConfig{Name: "deny " + name, Tools: []string{name}, Action: "deny"}
		switch rng.IntN(3) {
		case 0:
			r.Callers = []string{"ann"}
		case 1:
			r.When = new(`caller.name == "ann"`)
		}
		cfg.Rules = append(cfg.Rules, r)
	}
	cfg.Rules = append(cfg.Rules,
		policy.RuleConfig{Name: "ask", Tags: []string{"t1"}, Action: "ask"},
		policy.RuleConfig{Name: "some", Tags: []string{"t2"}, When: new(`call.depth > 3`), Action: "deny"})
	return cfg
}

// without are the tools and rules of a catalogue that never had the hidden ones.
func without(all []*tool.Spec, cfg *policy.Config, hidden map[string]bool) ([]*tool.Spec, *policy.Config) {
	var rest []*tool.Spec
	for _, s := range all {
		if !hidden[s.Name] {
			own := *s
			rest = append(rest, &own)
		}
	}
	less := &policy.Config{Default: cfg.Default}
	for _, r := range cfg.Rules {
		if len(r.Tools) == 0 {
			less.Rules = append(less.Rules, r)
		}
	}
	return rest, less
}

// TestHiddenToolsLeaveNoTrace compares random catalogues with the same ones without
// the tools that a caller may not call: lists, the lines about deferred tools, results,
// scores, near names, suggestions and refusals are the same bytes.
func TestHiddenToolsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		all, hidden := someTools(rng, 5+rng.IntN(60))
		cfg := randomRules(rng, hidden)
		rest, less := without(all, cfg, hidden)
		view := tool.View{Caller: call("", "").Caller, Chat: tool.Chat{ID: "c"}}
		var calls []tool.Call
		for range 30 {
			calls = append(calls, randomCall(rng, all))
		}
		seen := func(specs []*tool.Spec, cfg *policy.Config) (out []string) {
			g := gateway.New(library(t, cfg, specs...), &memoryLog{}, gateway.Options{Chats: chats(t)})
			for _, c := range calls {
				r := g.Call(t.Context(), c)
				list, err := json.Marshal(provider.MCP(g.Tools(t.Context(), view)))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, fmt.Sprintf("%s %s\n%s\n%s\n%+v\n%s", c.Tool, c.Arguments, r.Status, r.Output.Text(), r.Output.Search, list))
			}
			return out
		}
		if diff := gocmp.Diff(seen(rest, less), seen(all, cfg)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// randomCall searches for words or names, or calls a name that is nearly one.
func randomCall(rng *rand.Rand, all []*tool.Spec) tool.Call {
	name := all[rng.IntN(len(all))].Name
	query := word(rng) + " " + word(rng)
	switch rng.IntN(9) {
	case 0:
		query = name
	case 1:
		query = name[:len(name)-2]
	case 6: // a word with a letter missing, and one that no tool has
		w := word(rng)
		at := rng.IntN(len(w))
		query = w[:at] + w[at+1:] + []string{"", " fetch", " bug"}[rng.IntN(3)]
	case 7: // a name in a shape that only suggestions are for
		query = strings.ReplaceAll(name, "_", "")[:len(name)/2] + "qjkvwzpy"
	case 8: // a word that few have, mistyped
		query = strings.Replace(rareWord(rng), "e", "ex", 1)
	case 2:
		query = strings.ToUpper(name)
	case 3:
		return in(call("call_tool", fmt.Sprintf(`{"name":%q,"arguments":{}}`, strings.ToUpper(name))), "c")
	case 4:
		return in(call(strings.ReplaceAll(name, "_", ""), `{}`), "c")
	}
	asked := map[string]any{"query": query, "explain": rng.IntN(2) == 0, "limit": 1 + rng.IntN(9)}
	if rng.IntN(4) == 0 {
		asked["namespace"] = "ns" + fmt.Sprint(rng.IntN(3))
	}
	if rng.IntN(4) == 0 {
		asked["tags"] = []string{"t" + fmt.Sprint(rng.IntN(3))}
	}
	args, err := json.Marshal(asked)
	if err != nil {
		panic(err) // texts and numbers
	}
	return in(call("discover_tools", string(args)), "c")
}

// manyTools are a few listed tools and many that are deferred.
func manyTools(b *testing.B, deferred int) *gateway.Gateway {
	var specs []*tool.Spec
	for i := range deferred + 10 {
		specs = append(specs, &tool.Spec{Name: fmt.Sprintf("tool_%05d", i), Description: "Do a thing. And another.", Deferred: i >= 10, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	cfg := &policy.Config{Default: "allow", Rules: []policy.RuleConfig{
		{Name: "one", Tags: []string{"x"}, Action: "deny"}, {Name: "two", When: new(`caller.name == "bob"`), Action: "deny"},
	}}
	return gateway.New(library(b, cfg, specs...), nowhere{}, gateway.Options{Logger: slog.New(slog.DiscardHandler)})
}

// BenchmarkList is a list of ten tools beside many that are deferred; first is that of
// a caller who was not seen before.
func BenchmarkList(b *testing.B) {
	for _, deferred := range []int{0, 1000, 10_000} {
		g := manyTools(b, deferred)
		b.Run(fmt.Sprintf("deferred=%d", deferred), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := len(g.Tools(b.Context(), tool.View{Caller: call("", "").Caller})); n < 11 {
					b.Fatal(n)
				}
			}
		})
		b.Run(fmt.Sprintf("deferred=%d/first", deferred), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				g.Tools(b.Context(), tool.View{Caller: tool.Caller{ID: fmt.Sprint(i)}})
			}
		})
	}
}

// TestInnerReason: why the model makes the call may stand in either place; the inner
// one counts.
func TestInnerReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, reason string }{
		{`{"name":"pay","arguments":{"amount":1},"toolcall_reason":"tea"}`, "tea"},
		{`{"name":"pay","arguments":{"amount":1,"toolcall_reason":"cake"},"toolcall_reason":"tea"}`, "cake"},
		{`{"name":"pay","arguments":{"amount":1,"toolcall_reason":"cake"}}`, "cake"},
		{`{"name":"pay","arguments":{"amount":1}}`, ""},
		{`{"name":"pay","arguments":"{\"amount\":1}","toolcall_reason":"tea"}`, "tea"},
		{`{"name":"pay","arguments":"{\"amount\":1,\"toolcall_reason\":\"cake\"}","toolcall_reason":"tea"}`, "cake"},
		{`{"name":"pay","arguments":{"arguments":{"amount":1}},"toolcall_reason":"tea"}`, "tea"},
		{`{"arguments":{"name":"pay","arguments":{"amount":1}},"toolcall_reason":"tea"}`, "tea"},
		{`{"arguments":"{\"name\":\"pay\",\"arguments\":\"{\\\"amount\\\":1}\"}","toolcall_reason":"tea"}`, "tea"},
		{`{"arguments":{"name":"pay","arguments":{"amount":1},"toolcall_reason":"cake"},"toolcall_reason":"tea"}`, "cake"},
	} {
		d := &diary{}
		r := hooked(t, d, hook.Config{}, nil).Call(t.Context(), call("call_tool", tt.args))
		if r.Error != nil || d.record.CallReason != tt.reason || d.record.Tool != "pay" {
			t.Errorf("%s: reason %q, %s", tt.args, d.record.CallReason, r.Output.Text())
		}
	}
}

// TestInnerAsks: a person is asked about the inner call, once for both ways of making
// it, and about all calls of a batch before the first of them runs.
func TestInnerAsks(t *testing.T) {
	withAsks(t, gateway.Options{}, func(t *testing.T, h *askHouse) {
		wait := h.later(t.Context(), inside("pay", `{"amount":10}`))
		found, err := h.Approvals(t.Context(), approval.Query{State: approval.Pending})
		if err != nil || len(found) != 1 || found[0].Tool != "pay" || found[0].Via != tool.ViaCallTool {
			t.Fatalf("%+v, %v", found, err)
		}
		again := h.later(t.Context(), call("pay", `{"amount":"10"}`))
		if n := h.answer(t, true); n != 1 {
			t.Errorf("%d were asked about", n)
		}
		synctest.Wait()
		if n := h.answer(t, true); n != 1 { // the other one asks anew
			t.Errorf("%d were asked about then", n)
		}
		for _, r := range []tool.Result{<-wait, <-again} {
			if r.Error != nil || r.Tool != "pay" {
				t.Errorf("%+v", r)
			}
		}
		done := make(chan []tool.Result)
		go func() {
			results, _ := h.Batch(t.Context(), []tool.Call{inside("pay", `{"amount":20}`), inside("pay", `{"amount":30}`)}, batch.Options{})
			done <- results
		}()
		synctest.Wait()
		if n := h.answer(t, true); n != 2 {
			t.Errorf("%d of the batch were asked about", n)
		}
		for _, r := range <-done {
			if r.Error != nil {
				t.Error(r.Error)
			}
		}
		if h.runs.Load() != 4 {
			t.Errorf("%d runs", h.runs.Load())
		}
	})
}

// TestInnerLimits: a limit counts a tool's calls, whichever way they come.
func TestInnerLimits(t *testing.T) {
	t.Parallel()
	specs := shop()
	specs[0].RateLimit = rate(2, time.Hour, "")
	g := gateway.New(library(t, shopRules(), specs...), &memoryLog{}, gateway.Options{})
	var got []tool.Code
	for _, c := range []tool.Call{inside("word_count", `{}`), call("word_count", `{}`), inside("word_count", `{}`)} {
		got = append(got, endOf(g.Call(t.Context(), c)))
	}
	if !slices.Equal(got, []tool.Code{"ok", "ok", tool.RateLimited}) {
		t.Errorf("got %v", got)
	}
}

// TestSeenAtOnce lets many callers list and search at the same time, also while the
// configuration changes: each sees what is its own.
func TestSeenAtOnce(t *testing.T) {
	t.Parallel()
	cfg := shopRules()
	cfg.Rules = append([]policy.RuleConfig{{Name: "bob", Tools: []string{"list_issues"}, Callers: []string{"bob"}, Action: "deny"}}, cfg.Rules...)
	g := gateway.New(library(t, cfg, shop()...), &memoryLog{}, gateway.Options{Chats: chats(t)})
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			c := in(call("discover_tools", `{"query":"open issues"}`), fmt.Sprint("c", i))
			c.Caller.ID = fmt.Sprint("caller", i)
			want := "call_read_tool call_tool discover_tools read_result word_count list_issues"
			if i%2 == 0 {
				c.Caller.Name, want = "bob", "call_read_tool call_tool discover_tools read_result word_count"
			}
			g.Call(t.Context(), c)
			if i%8 == 0 {
				g.Swap(library(t, cfg, shop()...))
			}
			if got := names(g.Tools(t.Context(), tool.View{Caller: c.Caller, Chat: tool.Chat{ID: c.Chat.ID}})); got != want {
				t.Errorf("%s sees %s", c.Caller.Name, got)
			}
		})
	}
	all.Wait()
}

// TestSameDescription: callers who may find the same tools are shown the same tool, by
// which lists are told apart, and nothing that is found changes it.
func TestSameDescription(t *testing.T) {
	t.Parallel()
	g := gateway.New(library(t, shopRules(), shop()...), &memoryLog{}, gateway.Options{Chats: chats(t)})
	shown := func(id string) *tool.Spec {
		for _, s := range g.Tools(t.Context(), tool.View{Caller: tool.Caller{ID: id}, Chat: tool.Chat{ID: "c"}}) {
			if s.Name == find.ToolName {
				return s
			}
		}
		return nil
	}
	first := shown("ann")
	g.Call(t.Context(), in(call("discover_tools", `{"query":"bill"}`), "c"))
	if first == nil || shown("ann") != first || shown("bob") != first {
		t.Error("not the same tool")
	}
	_, lines, _ := strings.Cut(first.Description, "Tools to find:")
	if lines != "\n- list_issues: List open issues.\n- crm-pay: Pay a bill.\n- crm-refund: Refund a bill." {
		t.Errorf("the lines are %q", lines)
	}
}

// TestNoHookSeesTheSearch: a hook after a search changes its answer, and not what doors
// are told of it.
func TestNoHookSeesTheSearch(t *testing.T) {
	t.Parallel()
	gen := library(t, nil, shop()...)
	entry, _ := gen.Tools.Lookup(find.ToolName)
	var report diag.Report
	gen.Hooks = hook.Compile(diag.NewCursor(&report, nil), &hook.Config{After: []hook.AfterConfig{{Name: "more", Tools: []string{find.ToolName}, Result: new(`"other"`)}}}, nil, hook.Deps{})
	gen.Hooks.Bind(hook.Tool{Spec: entry.Spec, Schema: entry.Schema})
	if err := report.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	g := gateway.New(gen, &memoryLog{}, gateway.Options{Chats: chats(t)})
	r := g.Call(t.Context(), in(call("discover_tools", `{"query":"issues"}`), "c"))
	if r.Output.Text() != "other" || r.Output.Search == nil || !slices.Equal(r.Output.Search.Activated, []string{"list_issues"}) {
		t.Errorf("%+v", r)
	}
}
