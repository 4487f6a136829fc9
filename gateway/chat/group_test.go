package chat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

func groups(d *chat.Desk, key chat.Key) []string {
	return d.Enter(key.Caller, tool.Chat{ID: key.ID, Groups: []string{"forged"}}).Groups
}

func activate(t *testing.T, d *chat.Desk, key chat.Key, group string) {
	t.Helper()
	if _, err := d.Activate(t.Context(), key, group, "desk"); err != nil {
		t.Fatal(err)
	}
}

// TestGroupsOfOneChat holds that a group is active in the chat it was activated in
// and in no other, whoever has one of that name.
func TestGroupsOfOneChat(t *testing.T) {
	d := open(t, new(shelf), chat.Config{})
	set(t, d, ann("c"), `{"tier": 2}`)
	activate(t, d, ann("c"), "web")
	activate(t, d, ann("c"), "code")
	activate(t, d, ann("c"), "web")
	for key, want := range map[chat.Key][]string{
		ann("c"): {"code", "web"}, ann("d"): nil, {Caller: "bob", ID: "c"}: nil,
	} {
		if got := groups(d, key); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", key, got, want)
		}
	}
	if fields(d, ann("c"))["tier"] == nil {
		t.Error("the fields are gone")
	}
	if got, err := d.Deactivate(t.Context(), ann("c"), "web", "desk"); err != nil || !slices.Equal(got.Groups, []string{"code"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := d.SetGroups(t.Context(), ann("c"), nil, "desk"); err != nil || len(got.Groups) != 0 || groups(d, ann("c")) != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGroupsOutlive holds that groups and requests outlive the process, and go with
// the chat when it was idle for too long.
func TestGroupsOutlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, limits := new(shelf), chat.Options{Limits: chat.Config{Idle: time.Hour}}
		d := chat.Open(t.Context(), s, limits)
		activate(t, d, ann("c"), "web")
		if again, err := d.Ask(t.Context(), ann("c"), "code", "to read"); again || err != nil {
			t.Fatal(again, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d = chat.Open(t.Context(), s, limits)
		defer func() { _ = d.Close() }()
		shown, ok := d.Show(ann("c"))
		if want := []chat.Request{{Group: "code", Reason: "to read", Made: shown.Made}}; !ok || !slices.Equal(shown.Groups, []string{"web"}) || cmp.Diff(want, shown.Requests) != "" || string(shown.Context) != "{}" {
			t.Errorf("%+v", shown)
		}
		var told []chat.Change
		defer d.Watch(func(c chat.Change) { told = append(told, c) })()
		time.Sleep(50 * time.Minute)
		groups(d, ann("c"))
		time.Sleep(50 * time.Minute)
		if !slices.Equal(groups(d, ann("c")), []string{"web"}) {
			t.Error("a chat that is used is forgotten")
		}
		time.Sleep(61 * time.Minute)
		if got := d.Look("ann", tool.Chat{ID: "c"}); got.Groups != nil {
			t.Errorf("an idle chat has %v", got.Groups)
		}
		activate(t, d, ann("c"), "code") // it begins anew
		if got := groups(d, ann("c")); !slices.Equal(got, []string{"code"}) {
			t.Errorf("%v", got)
		}
		time.Sleep(62 * time.Minute)
		if n, _ := s.count(); n != 0 {
			t.Errorf("%d chats in the store", n)
		}
		if last := told[len(told)-1]; !slices.Equal(last.Deactivated, []string{"code"}) {
			t.Errorf("%+v", told)
		}
	})
}

// TestRequests holds what becomes of what a model asks for.
func TestRequests(t *testing.T) {
	d := open(t, new(shelf), chat.Config{})
	var told []string
	defer d.Watch(func(c chat.Change) {
		for _, r := range c.Requested {
			told = append(told, "asked "+r.Group+" "+r.Reason)
		}
		told = append(told, fmt.Sprintf("+%v -%v x%v by %q", c.Activated, c.Deactivated, c.Declined, c.By))
	})()
	ask := func(group, reason string, wantAgain bool) {
		t.Helper()
		if again, err := d.Ask(t.Context(), ann("c"), group, reason); again != wantAgain || err != nil {
			t.Errorf("%s: %v, %v", group, again, err)
		}
	}
	ask("web", "one", false)
	ask("web", "two", true)
	ask("code", "three", false)
	if got, _ := d.Show(ann("c")); len(got.Groups) != 0 || len(got.Requests) != 2 || groups(d, ann("c")) != nil {
		t.Errorf("asking activates: %+v", got)
	}
	activate(t, d, ann("c"), "web")
	ask("web", "again", false) // it is active: nothing is noted
	for _, want := range []bool{true, false} {
		if ok, err := d.Decline(t.Context(), ann("c"), "code", "desk"); ok != want || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	}
	if got, _ := d.Show(ann("c")); len(got.Requests) != 0 {
		t.Errorf("%+v", got)
	}
	want := []string{
		"asked web one", `+[] -[] x[] by ""`, "asked code three", `+[] -[] x[] by ""`, `+[web] -[] x[] by "desk"`, `+[] -[] x[code] by "desk"`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// TestGroupLimits holds that neither models nor users pile up what is kept.
func TestGroupLimits(t *testing.T) {
	d := open(t, nil, chat.Config{MostPerCaller: 2})
	for i := range chat.MaxRequests {
		if _, err := d.Ask(t.Context(), ann("c"), fmt.Sprint(i), "r"); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(err error, code tool.Code, text string) {
		t.Helper()
		if e := tool.AsError(err); err == nil || e.Code != code || !strings.Contains(e.Text(), text) {
			t.Errorf("got %v", err)
		}
	}
	_, err := d.Ask(t.Context(), ann("d"), "one more", "r")
	refused(err, tool.Denied, "100 requests of this caller")
	if _, ok := d.Show(ann("d")); ok {
		t.Error("a chat was made for a request that was refused")
	}
	if again, err := d.Ask(t.Context(), ann("c"), "7", "r"); !again || err != nil {
		t.Errorf("%v, %v", again, err)
	}
	if _, err := d.Ask(t.Context(), chat.Key{Caller: "bob", ID: "c"}, "web", "r"); err != nil {
		t.Error(err)
	}
	if _, err := d.Decline(t.Context(), ann("c"), "7", "desk"); err != nil {
		t.Error(err)
	}
	activate(t, d, ann("d"), "web")
	_, err = d.Ask(t.Context(), ann("e"), "web", "r")
	refused(err, tool.Denied, "has 2 chats that hold something")
	many := make([]string, chat.MaxGroups+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	_, err = d.SetGroups(t.Context(), ann("d"), many, "desk")
	refused(err, tool.InvalidArgs, "would have 65 active groups")
	if _, err := d.SetGroups(t.Context(), ann("d"), many[1:], "desk"); err != nil {
		t.Error(err)
	}
}

// TestGroupsUnsaved holds that what is not in the store has not happened.
func TestGroupsUnsaved(t *testing.T) {
	s := new(shelf)
	d := open(t, s, chat.Config{})
	s.fail(errors.New("disk full"))
	told := 0
	defer d.Watch(func(chat.Change) { told++ })()
	if _, err := d.Activate(t.Context(), ann("c"), "web", "desk"); err == nil || tool.AsError(err).Code != tool.Internal || !tool.AsError(err).Retryable {
		t.Errorf("%v", err)
	}
	if _, err := d.Ask(t.Context(), ann("c"), "web", "r"); err == nil {
		t.Error("noted all the same")
	}
	if groups(d, ann("c")) != nil || told != 0 {
		t.Error("it is active all the same")
	}
}

func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := chat.Open(t.Context(), nil, chat.Options{Limits: chat.Config{Idle: time.Hour}})
		defer func() { _ = d.Close() }()
		set(t, d, ann("old"), `{}`)
		time.Sleep(59 * time.Minute)
		activate(t, d, ann("c"), "web")
		time.Sleep(time.Second)
		if _, err := d.Ask(t.Context(), chat.Key{Caller: "bob", ID: "c"}, "web", "r"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(90 * time.Second) // old has expired
		names := func(f chat.Filter, most int) (out []string) {
			chats, more := d.List(f, most)
			for _, c := range chats {
				out = append(out, c.Caller+"/"+c.ID)
			}
			if more {
				out = append(out, "more")
			}
			return out
		}
		for _, tt := range []struct {
			filter chat.Filter
			most   int
			want   []string
		}{
			{chat.Filter{}, 9, []string{"bob/c", "ann/c"}},
			{chat.Filter{}, 1, []string{"bob/c", "more"}},
			{chat.Filter{Caller: "ann"}, 9, []string{"ann/c"}},
			{chat.Filter{Asking: true}, 9, []string{"bob/c"}},
			{chat.Filter{ID: "old"}, 9, nil},
		} {
			if diff := cmp.Diff(tt.want, names(tt.filter, tt.most), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%+v\n%s", tt.filter, diff)
			}
		}
	})
}
