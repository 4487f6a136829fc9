package assembly_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

const chatFile = `
version: 1
tools:
  find: {description: F., expr: "1"}
  pay: {description: P., core: false, expr: "2"}
  fetch: {description: W., core: false, expr: "3"}
  post: {description: W., core: false, expr: "4"}
  wipe: {description: X., core: false, expr: "5"}
  locked: {description: L., core: false, expr: "6"}
groups:
  money: {description: Payments., tools: [pay, find]}
  web: {description: The web., tools: [fetch, post, pay]}
  admin: {tools: [wipe]}
  vault: {tools: [locked]}
  readers: {tools: [find]}
profiles: {small: {tools: [find, fetch]}, paying: {groups: [money]}}
policy:
  default: deny
  rules:
    - {name: no wiping, tools: [wipe], callers: ["a*"], action: deny}
    - {name: vault, tools: [locked], action: deny, reason: Closed., show: true}
    - {name: by groups, tools: [post], when: '!("money" in chat.groups)', action: deny, reason: Money first.}
    - {name: rest, tools: ["*"], action: allow}
`

// requests keeps what models ask for at a desk of chats.
type requests struct{ *chat.Desk }

func (r requests) Ask(ctx context.Context, caller, id, group, reason string) (bool, error) {
	return r.Desk.Ask(ctx, chat.Key{Caller: caller, ID: id}, group, reason)
}

func (r requests) Activate(ctx context.Context, caller, id, group string) error {
	_, err := r.Desk.Activate(ctx, chat.Key{Caller: caller, ID: id}, group, "form")
	return err
}

func (r requests) Decline(ctx context.Context, caller, id, group string) error {
	_, err := r.Desk.Decline(ctx, chat.Key{Caller: caller, ID: id}, group, "form")
	return err
}

// talk is a gateway of a file with its chats.
type talk struct {
	*gateway.Gateway
	desk *chat.Desk
}

func newTalk(t *testing.T, file string) *talk {
	t.Helper()
	a, problems := build(t, file, assembly.Declared)
	if a.Generation == nil {
		t.Fatal(problems)
	}
	desk := chat.Open(t.Context(), nil, chat.Options{})
	t.Cleanup(func() { _ = desk.Close() })
	return &talk{gateway.New(a.Generation, nowhere{}, gateway.Options{Chats: desk, Activations: requests{desk}}), desk}
}

func (g *talk) set(t *testing.T, caller, id string, groups ...string) {
	t.Helper()
	if _, err := g.desk.SetGroups(t.Context(), chat.Key{Caller: caller, ID: id}, groups, "desk"); err != nil {
		t.Fatal(err)
	}
}

func viewOf(caller, id, profile string) tool.View {
	return tool.View{Caller: tool.Caller{ID: caller, Name: caller, Kind: tool.KindMCP}, Chat: tool.Chat{ID: id}, Profile: profile}
}

func (g *talk) listed(t *testing.T, v tool.View) string {
	t.Helper()
	var names []string
	for _, s := range g.Tools(t.Context(), v) {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// outcome is how a call ends: its text, or the code and the sentence of its failure.
func (g *talk) outcome(t *testing.T, v tool.View, name, args string) string {
	t.Helper()
	res := g.Call(t.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(args), Caller: v.Caller, Chat: v.Chat, Profile: v.Profile})
	if res.Error != nil {
		return string(res.Error.Code) + ": " + res.Error.Message
	}
	return res.Output.Text()
}

// TestChatsOwnSet holds that what is listed can be called and what is not listed
// cannot, in each chat by the groups that are active in it.
func TestChatsOwnSet(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	g.set(t, "ann", "money", "money")
	g.set(t, "ann", "web", "web")
	g.set(t, "ann", "all", "admin", "money", "vault", "web")
	g.set(t, "bob", "admin", "admin")
	for _, tt := range []struct{ caller, chat, profile, want string }{
		{"ann", "", "", "read_result request_tool_activation find"},
		{"ann", "other", "", "read_result request_tool_activation find"},
		{"bob", "money", "", "read_result request_tool_activation find"}, // of the same name, and another one's
		{"ann", "money", "", "read_result request_tool_activation find pay"},
		{"ann", "web", "", "read_result find fetch pay post"}, // money would add nothing
		{"ann", "all", "", "read_result find fetch pay post"}, // wipe and locked are denied
		{"bob", "admin", "", "read_result request_tool_activation find wipe"},
		{"ann", "money", "small", "read_result request_tool_activation find"}, // a profile activates nothing
		{"ann", "web", "small", "read_result find fetch"},
		{"ann", "", "paying", "read_result request_tool_activation find"},
		{"ann", "money", "paying", "read_result find pay"},
	} {
		v := viewOf(tt.caller, tt.chat, tt.profile)
		got := strings.Fields(g.listed(t, v))
		if want := strings.Fields(tt.want); !slices.Equal(sortedWords(got), sortedWords(want)) {
			t.Errorf("%+v: %v", tt, got)
		}
		for _, name := range []string{"find", "pay", "fetch", "post", "wipe", "locked"} {
			end := g.outcome(t, v, name, `{}`)
			called := !strings.Contains(end, ": ")
			mayFail := name == "post" && strings.HasPrefix(end, "denied: ") // by a rule about the chat
			if called != slices.Contains(got, name) && !mayFail {
				t.Errorf("%+v: %s is listed %v, and ends with %s", tt, name, slices.Contains(got, name), end)
			}
		}
	}
	for _, tt := range []struct{ caller, chat, profile, name, want string }{
		{"ann", "", "", "pay", "inactive: pay is not active in this chat: the user has to activate one of its groups money, web"},
		{"ann", "", "", "fetch", "inactive: fetch is not active in this chat: the user has to activate its group web"},
		{"ann", "", "", "wipe", `not_found: no tool is named "wipe"`},
		{"ann", "all", "", "wipe", `not_found: no tool is named "wipe"`},
		{"bob", "", "", "wipe", "inactive: wipe is not active in this chat: the user has to activate its group admin"},
		{"ann", "", "", "locked", "denied: calling locked is not allowed: Closed"},
		{"ann", "", "small", "pay", `not_found: no tool is named "pay"`},
		{"ann", "web", "", "post", "denied: calling post this way is not allowed: Money first"},
		{"ann", "all", "", "post", "4"},
		{"ann", "", "", "nothing", `not_found: no tool is named "nothing"`},
	} {
		if got := g.outcome(t, viewOf(tt.caller, tt.chat, tt.profile), tt.name, `{}`); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

func sortedWords(words []string) []string {
	words = slices.Clone(words)
	slices.SortFunc(words, cmp.Compare[string])
	return words
}

// TestMeantIsActive holds that a suggestion names no tool that the chat has not.
func TestMeantIsActive(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	g.set(t, "ann", "money", "money")
	g.set(t, "ann", "web", "web")
	hint := func(chat, name string) string {
		res := g.Call(t.Context(), tool.Call{Tool: name, Caller: viewOf("ann", "", "").Caller, Chat: tool.Chat{ID: chat}})
		return res.Error.Hint
	}
	for _, tt := range []struct {
		chat, name string
		meant      bool
	}{
		{"", "Find", true},
		{"", "Pay", false},
		{"money", "Pay", true},
		{"money", "RequestToolActivation", true},
		{"web", "RequestToolActivation", false}, // nothing is left to ask for
	} {
		if got := strings.HasPrefix(hint(tt.chat, tt.name), "Did you mean"); got != tt.meant {
			t.Errorf("%+v: %s", tt, hint(tt.chat, tt.name))
		}
	}
}

// TestAskingGrantsNothing follows a model that asks, and a user who answers.
func TestAskingGrantsNothing(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	v := viewOf("ann", "c", "")
	specs := g.Tools(t.Context(), v)
	at := slices.IndexFunc(specs, func(s *tool.Spec) bool { return s.Name == activation.ToolName })
	if _, list, _ := strings.Cut(specs[at].Description, "Inactive groups:"); list != "\n- money: Payments. (1 tool)\n- web: The web. (3 tools)" {
		t.Errorf("offered: %s", list)
	}
	if again := g.Tools(t.Context(), viewOf("ann", "other", "")); again[at] != specs[at] {
		t.Error("the same groups are offered by another tool")
	}
	ask := func(args string) string { return g.outcome(t, v, activation.ToolName, args) }
	for _, step := range []struct{ args, want string }{
		{`{"group": "admin", "reason": "r"}`, "invalid_args: there is no group of this name to ask for"}, // it is there, and not for ann
		{`{"group": "vault", "reason": "r"}`, "invalid_args: there is no group of this name to ask for"},
		{`{"group": "readers", "reason": "r"}`, "invalid_args: there is no group of this name to ask for"}, // it would add nothing
		{`{"group": "web"}`, "invalid_args: invalid arguments for request_tool_activation: "},
		{`{"group": "web", "reason": "to read"}`, "The user is asked to activate web."},
		{`{"group": "web", "reason": "to read"}`, "The user was asked to activate web before"},
	} {
		if got := ask(step.args); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %s", step.args, got)
		}
	}
	if got := g.outcome(t, v, "fetch", `{}`); !strings.HasPrefix(got, "inactive: ") {
		t.Errorf("asking activates: %s", got)
	}
	shown, _ := g.desk.Show(chat.Key{Caller: "ann", ID: "c"})
	if len(shown.Groups) != 0 || len(shown.Requests) != 1 || shown.Requests[0].Reason != "to read" {
		t.Errorf("%+v", shown)
	}
	g.set(t, "ann", "c", "web")
	if got := g.outcome(t, v, "fetch", `{}`); got != "3" {
		t.Error(got)
	}
	if got := ask(`{"group": "web", "reason": "again"}`); !strings.HasPrefix(got, "web is active in this chat already") {
		t.Error(got)
	}
	if got := g.outcome(t, viewOf("ann", "d", ""), "fetch", `{}`); !strings.HasPrefix(got, "inactive: ") {
		t.Errorf("in another chat: %s", got)
	}
	accepts := tool.WithActivationForm(t.Context(), func(context.Context, string, string) (bool, error) { return true, nil })
	res := g.Call(accepts, tool.Call{Tool: activation.ToolName, Arguments: json.RawMessage(`{"group": "money", "reason": "r"}`), Caller: v.Caller, Chat: tool.Chat{ID: "d"}})
	if got := g.outcome(t, viewOf("ann", "d", ""), "pay", `{}`); res.Error != nil || got != "2" {
		t.Errorf("the client's user agreed: %s, %s", res.Output.Text(), got)
	}
}

// TestNothingToAskFor holds that the tool is not there for whoever could have no
// group, nor where the file refuses it.
func TestNothingToAskFor(t *testing.T) {
	t.Parallel()
	const tools = "\nversion: 1\ntools:\n  find: {description: F., expr: \"1\"}\n  pay: {description: P., core: false, expr: \"2\"}\ngroups: {money: {tools: [pay]}}\n"
	for name, tt := range map[string]struct {
		file   string
		listed bool
	}{
		"offered":           {tools + "policy: {default: allow}\n", true},
		"not allowed":       {tools + "policy: {default: allow, rules: [{name: n, tools: [pay], action: deny}]}\n", false},
		"denied by a rule":  {tools + "policy: {default: allow, rules: [{name: n, tools: [request_tool_activation], action: deny}]}\n", false},
		"denied by admit":   {tools + "admit: {deny: [request_tool_activation]}\npolicy: {default: allow}\n", false},
		"not on a list":     {tools + "admit: {allow: [find, pay]}\npolicy: {default: allow}\n", true},
		"by default denied": {tools + "policy: {default: deny, rules: [{name: n, tools: [pay], action: allow}]}\n", true},
		"nothing by group":  {strings.ReplaceAll(tools, " core: false,", "") + "policy: {default: allow}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newTalk(t, tt.file)
			v := viewOf("ann", "c", "")
			if got := strings.Contains(g.listed(t, v), activation.ToolName); got != tt.listed {
				t.Errorf("listed: %v", got)
			}
			end := g.outcome(t, v, activation.ToolName, `{"group": "money", "reason": "r"}`)
			if got := !strings.HasPrefix(end, `not_found: no tool is named "request_tool_activation"`); got != tt.listed {
				t.Errorf("called: %s", end)
			}
			res := g.Call(t.Context(), tool.Call{Tool: "pay", Caller: v.Caller})
			if told := res.Error != nil && strings.Contains(res.Error.Hint, activation.ToolName); told != tt.listed {
				t.Errorf("a call is told of it: %+v", res.Error)
			}
		})
	}
}

// TestGroupThatIsNoMore holds that a configuration without a group takes its effect
// from every chat, for rules too, and that the chat is as it was when it returns.
func TestGroupThatIsNoMore(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	g.set(t, "ann", "c", "money", "web")
	v := viewOf("ann", "c", "")
	less, _ := build(t, strings.NewReplacer("  money: {description: Payments., tools: [pay, find]}\n", "", ", paying: {groups: [money]}", "").Replace(chatFile), assembly.Declared)
	more, _ := build(t, chatFile, assembly.Declared)
	for i, step := range []struct {
		next *gateway.Generation
		post string
	}{
		{nil, "4"},
		{less.Generation, "denied: calling post this way is not allowed: Money first"},
		{more.Generation, "4"},
	} {
		if step.next != nil {
			g.Swap(step.next)
		}
		if got := g.outcome(t, v, "post", `{}`); got != step.post {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// TestExplainsInactive holds that whoever keeps the rules is told of what is decided
// before them.
func TestExplainsInactive(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	g.set(t, "ann", "c", "web")
	for chat, want := range map[string][]string{"c": nil, "d": {"money", "web"}} {
		x, err := g.Explain(t.Context(), tool.Call{Tool: "pay", Caller: viewOf("ann", "", "").Caller, Chat: tool.Chat{ID: chat}})
		if diff := gocmp.Diff(want, x.Inactive); err != nil || diff != "" || x.Effect != "allow" {
			t.Errorf("%s: %v, %s %s", chat, err, x.Effect, diff)
		}
	}
}

// TestManyAtOnce activates and calls from many sides; run it with -race.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	g := newTalk(t, chatFile)
	done := make(chan struct{})
	for i := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			v := viewOf("ann", fmt.Sprint("c", i%2), "")
			for n := range 50 {
				switch n % 5 {
				case 0:
					_, _ = g.desk.SetGroups(context.Background(), chat.Key{Caller: "ann", ID: v.Chat.ID}, []string{"web"}, "desk")
				case 1:
					g.Tools(context.Background(), v)
				case 2:
					g.Call(context.Background(), tool.Call{Tool: activation.ToolName, Arguments: json.RawMessage(`{"group": "money", "reason": "r"}`), Caller: v.Caller, Chat: v.Chat})
				case 3:
					_, _ = g.desk.SetGroups(context.Background(), chat.Key{Caller: "ann", ID: v.Chat.ID}, nil, "desk")
				default:
					g.Call(context.Background(), tool.Call{Tool: "fetch", Caller: v.Caller, Chat: v.Chat})
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// TestCoreMistakes holds what lint says of tools that no chat could have, and of groups
// that no model could choose.
func TestCoreMistakes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"in no group": {
			"tools:\n  pay: {description: P., core: false, expr: \"1\"}\n",
			`tools.yaml:4:26: tools.pay.core: the tool is in no group, so no chat could ever have it: what is not core is active where one of its groups is (name it in the tools of an entry under groups, or remove core)`,
		},
		"in another's group": {
			"tools:\n  pay: {description: P., core: false, expr: \"1\"}\n  find: {description: F., expr: \"1\"}\ngroups: {g: {tools: [find]}}\n",
			`tools.yaml:4:26: tools.pay.core: the tool is in no group, so no chat could ever have it: what is not core is active where one of its groups is (name it in the tools of an entry under groups, or remove core)`,
		},
		"groups are broken": {
			"tools:\n  pay: {description: P., core: false, expr: \"1\"}\ngroups: {g: 1}\n",
			`tools.yaml:5:10: groups.g: must be a map, got the number 1 (its keys: description, tools)`,
		},
		"nothing is said of the group": {
			"tools:\n  pay: {description: P., core: false, expr: \"1\"}\n  find: {description: F., expr: \"1\"}\ngroups: {g: {tools: [pay]}, h: {tools: [find]}}\n",
			`tools.yaml:6:10: groups.g: warning: models ask for a group by its description, and this one has none (add a description)`,
		},
		"core is said": {"tools:\n  pay: {description: P., core: true, expr: \"1\"}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := build(t, "version: 1\npolicy: {default: allow}\n"+tt.file, assembly.Declared); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
