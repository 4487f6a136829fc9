package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
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
	for _, s := range append(slices.Clone(specs), find.CallSpec(true), find.CallReadSpec(), discover, reader) {
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
	want := `{"tools":[{"name":"crm-pay","description":"Pay a bill.","input_schema":{"type":"object","properties":{"amount":{"type":"number"}},"additionalProperties":false},"tags":["destructive"],"destructive":true,"permission":"depends"},` +
		`{"name":"crm-refund","description":"Refund a bill.","input_schema":{"type":"object","properties":{"amount":{"type":"number"}},"additionalProperties":false},"permission":"ask"}],"more":0,` +
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
	if r.Output.Search.Activated != nil || strings.Count(r.Output.Text(), `"listed":true`) != 2 || strings.Contains(r.Output.Text(), "input_schema") {
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
	const how = `"more":0,"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_read_tool with {\"name\": \"word_count\", \"arguments\": {…}}."}`
	for _, tt := range []struct {
		args, profile string
		groups        []string
		want          string
	}{
		{args: `{"query":"hide"}`, profile: "small", want: `{"tools":[],"more":0,"message":"nothing found for \"hide\"` + nothing},
		{args: `{"query":"nothing like it"}`, want: `{"tools":[],"more":0,"message":"nothing found for \"nothing like it\"` + nothing},
		{args: `{"query":"papers of hunter2"}`, want: `{"tools":[],"more":0,"message":"nothing found for \"papers of [secret]\"` + nothing},
		{args: `{"query":"words"}`, want: `{"tools":[{"name":"word_count","description":"Count words.","tags":["read_only"],"read_only":true,"permission":"allow","listed":true}],` + how},
		{args: `{"query":"word_count"}`, want: `{"tools":[{"name":"word_count","description":"Count words.","input_schema":{"type":"object","properties":{}},"tags":["read_only"],"read_only":true,"permission":"allow","listed":true}],` + how},
		{args: `{"query":"zephyr"}`, want: `{"tools":[],"more":0,"unavailable":[{"name":"zephyr","reason":"Not on Sundays."}],"message":"This tool may not be called: use another one, or tell the user."}`},
		{args: `{"query":"Ze Phyr"}`, want: `{"tools":[],"more":0,"unavailable":[{"name":"zephyr","reason":"Not on Sundays."}],"message":"This tool may not be called: use another one, or tell the user."}`},
		{args: `{"query":"open vault","detail":"names"}`, want: `{"tools":[{"name":"list_issues","permission":"allow"}],"more":0,"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_read_tool with {\"name\": \"list_issues\", \"arguments\": {…}}."}`},
		{args: `{"query":"vault","detail":"names"}`, groups: []string{"money"}, want: `{"tools":[{"name":"vault","permission":"allow"}],"more":0,"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"vault\", \"arguments\": {…}}."}`},
		{args: `{"query":"bill","detail":"names","limit":1,"tags":[],"namespace":"crm"}`, want: `{"tools":[{"name":"crm-pay","permission":"depends"}],"more":1,"how_to_call":"Call a tool by its name if it is in your tool list; if not, call call_tool with {\"name\": \"crm-pay\", \"arguments\": {…}}."}`},
		{args: `{"query":"bill","limit":51}`, want: "Error: invalid arguments for discover_tools: limit: must be at most 50, got 51\nCorrect the arguments to match the tool's input schema and call it again."},
	} {
		c := call("discover_tools", tt.args)
		c.Profile, c.Chat.Groups = tt.profile, tt.groups
		if got := textOf(g, c); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.args, got, tt.want)
		}
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
		{tool: "call_tool", name: "crm-pay", args: `{"amount":1,"amount":2}`, want: "Error: invalid arguments for call_tool: arguments.amount: is given twice; give it once\nCorrect the arguments and call it again.", recorded: "call_tool"},
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
		{tool: "call_tool", name: "discover_tools", args: `{}`, want: "Error: discover_tools cannot be called with call_tool\nCall discover_tools directly: it is in your tool list.", recorded: "call_tool"},
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
	inner := func(name, args string) tool.Call {
		return call("call_tool", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	}
	if !g.Safe(inner("list_issues", `{}`)) || g.Safe(inner("crm-pay", `{}`)) {
		t.Error("what may run side by side is not told by the inner tool")
	}
	results, err := g.Batch(t.Context(), []tool.Call{inner("list_issues", `{}`), inner("crm-pay", `{"amount":2}`), call("call_tool", `{}`)}, batch.Options{})
	if err != nil || results[0].Output.Text() != `{}` || results[1].Output.Text() != `{"amount":2}` || endOf(results[2]) != tool.InvalidArgs {
		t.Errorf("%+v, %v", results, err)
	}
	x, err := g.Explain(t.Context(), inner("crm-pay", `{"amount":13}`))
	if err != nil || x.Decision.Rule != "inside" || x.Request.Tool.Name != "crm-pay" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := g.Explain(t.Context(), call("call_tool", `{}`)); err == nil || tool.AsError(err).Code != tool.InvalidArgs {
		t.Errorf("got %v", err)
	}
	started, err := g.Handles().Start(t.Context(), inner("crm-pay", `{"amount":2}`))
	if err != nil || started.Tool != "crm-pay" {
		t.Errorf("%+v, %v", started, err)
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

// forgetful are chats that cannot be written.
type forgetful struct{ *chat.Desk }

func (forgetful) Find(context.Context, string, tool.Chat, []string) ([]string, error) {
	return nil, tool.Errorf(tool.Internal, "the disk hums")
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
