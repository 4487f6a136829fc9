package activation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestDescription(t *testing.T) {
	t.Parallel()
	spec := activation.NewSpec([]activation.Group{{"code", "", 1}, {"web", "The\n web and  papers.", 12}})
	if _, list, _ := strings.Cut(spec.Description, "Inactive groups:"); list != "\n- code (1 tool)\n- web: The web and papers. (12 tools)" {
		t.Errorf("got %q", list)
	}
	want := `{"type":"object","properties":{"group":{"type":"string","description":"The group to ask for.","enum":["code","web"]},` +
		`"reason":{"type":"string","description":"For the user: what you need the tools for, in a sentence.","maxLength":500,"minLength":1}},"required":["group","reason"],"additionalProperties":false}`
	if got := string(spec.Parameters); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBudget holds that the description of many groups stays short, and that all of
// them can be asked for.
func TestBudget(t *testing.T) {
	t.Parallel()
	var groups []activation.Group
	for i := range 500 {
		groups = append(groups, activation.Group{Name: fmt.Sprintf("group_%d", i), Description: strings.Repeat("é ", 300), Tools: 3})
	}
	spec := activation.NewSpec(groups)
	if n := utf8.RuneCountInString(spec.Description); n > 4600 || !strings.HasSuffix(spec.Description, "more, named in the schema") {
		t.Errorf("%d characters, ending in %q", n, spec.Description[len(spec.Description)-60:])
	}
	var s struct {
		Properties struct{ Group struct{ Enum []string } }
	}
	if err := json.Unmarshal(spec.Parameters, &s); err != nil || len(s.Properties.Group.Enum) != len(groups) {
		t.Errorf("%d groups in the schema, %v", len(s.Properties.Group.Enum), err)
	}
}

// TestSameTool holds that the same groups give the same tool, by which lists are
// told apart, and that not every set of groups is kept.
func TestSameTool(t *testing.T) {
	t.Parallel()
	var tools activation.Tools
	web := []activation.Group{{"web", "W.", 2}}
	first := tools.For(web)
	if tools.For([]activation.Group{{"web", "W.", 2}}) != first || tools.For([]activation.Group{{"web", "W.", 3}}) == first {
		t.Error("not the same for the same groups, or for others")
	}
	for i := range 100 {
		tools.For([]activation.Group{{"web", "W.", 100 + i}})
	}
	if again := tools.For(web); again == first || again.Description != first.Description {
		t.Error("everything is kept, or the tool is another one")
	}
}

// desk answers as it is told and keeps what it is asked.
type desk struct {
	again bool
	err   error
	did   []string
}

func (d *desk) Ask(_ context.Context, caller, chat, group, reason string) (bool, error) {
	d.did = append(d.did, fmt.Sprintf("ask %s/%s %s: %s", caller, chat, group, reason))
	return d.again, d.err
}

func (d *desk) Activate(_ context.Context, caller, chat, group string) error {
	d.did = append(d.did, fmt.Sprintf("activate %s/%s %s", caller, chat, group))
	return d.err
}

func (d *desk) Decline(_ context.Context, caller, chat, group string) error {
	d.did = append(d.did, fmt.Sprintf("decline %s/%s %s", caller, chat, group))
	return d.err
}

// TestRun holds what becomes of a request, with and without a form of the client.
func TestRun(t *testing.T) {
	t.Parallel()
	full := tool.Errorf(tool.Denied, "too many requests")
	yes := func(context.Context, string, string) (bool, error) { return true, nil }
	no := func(context.Context, string, string) (bool, error) { return false, nil }
	broken := func(context.Context, string, string) (bool, error) { return true, errors.New("the client went away") }
	for name, tt := range map[string]struct {
		desk  *desk
		group string
		form  tool.ActivationForm
		did   []string
		want  string // how the answer begins
		code  tool.Code
		noop  bool
	}{
		"asked":           {desk: new(desk), group: "web", did: []string{"ask ann/c web: to read [secret]"}, want: "The user is asked to activate web. It is not active yet"},
		"asked before":    {desk: &desk{again: true}, group: "web", did: []string{"ask ann/c web: to read [secret]"}, want: "The user was asked to activate web before", noop: true},
		"refused":         {desk: &desk{err: full}, group: "web", did: []string{"ask ann/c web: to read [secret]"}, want: "Error: too many requests", code: tool.Denied},
		"active":          {desk: new(desk), group: "code", want: "code is active in this chat already", noop: true},
		"no such group":   {desk: new(desk), group: "wbe", want: "Error: there is no group of this name to ask for\nAsk for one of these: web.", code: tool.InvalidArgs},
		"nothing is kept": {group: "web", want: "Error: nothing is kept of chats here", code: tool.Internal},
		"form, yes":       {desk: new(desk), group: "web", form: yes, did: []string{"activate ann/c web"}, want: "The user activated web"},
		"form, no":        {desk: new(desk), group: "web", form: no, did: []string{"decline ann/c web"}, want: "The user does not want web", noop: true},
		"form, unsaved":   {desk: &desk{err: full}, group: "web", form: yes, did: []string{"activate ann/c web"}, want: "Error: too many requests", code: tool.Denied},
		"form, no answer": {desk: new(desk), group: "web", form: broken, did: []string{"ask ann/c web: to read [secret]"}, want: "The user is asked to activate web."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := activation.Runner{Offered: []activation.Group{{Name: "web", Tools: 1}}, Mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }}
			if tt.desk != nil {
				r.Desk = tt.desk
			}
			ctx := t.Context()
			if tt.form != nil {
				ctx = tool.WithActivationForm(ctx, tt.form)
			}
			call := &tool.Call{Caller: tool.Caller{ID: "ann"}, Chat: tool.Chat{ID: "c", Groups: []string{"code"}}}
			out, err := r.Run(ctx, tool.Input{Args: map[string]any{"group": tt.group, "reason": "to read hunter2"}, Call: call, Spec: activation.NewSpec(r.Offered)})
			text, code := out.Text(), tool.Code("")
			if err != nil {
				text, code = tool.AsError(err).Text(), tool.AsError(err).Code
			}
			if !strings.HasPrefix(text, tt.want) || code != tt.code || err == nil && out.Noop != tt.noop {
				t.Errorf("got %q, %s, %v", text, code, out.Noop)
			}
			if tt.desk != nil {
				if diff := cmp.Diff(tt.did, tt.desk.did); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
