package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// shop is a store of approvals under test. Times are minutes after noon.
type shop struct {
	*testing.T
	approval.Store
}

func at(minutes float64) time.Time { return noon.Add(time.Duration(minutes * float64(time.Minute))) }

// binding is "caller chat tool digest"; what is left out is a letter.
func binding(text string) approval.Binding {
	f := append(strings.Fields(text), "ann", "c", "pay", "d")[:4]
	for i, otherwise := range []string{"ann", "c", "pay", "d"} {
		if len(strings.Fields(text)) <= i {
			f[i] = otherwise
		}
	}
	return approval.Binding{Caller: f[0], Chat: f[1], Tool: f[2], Digest: f[3]}
}

// asked is a new approval, raised at a minute, that expires after ten.
func asked(id, of string, minute float64) *approval.Approval {
	return &approval.Approval{
		ID: id, Binding: binding(of), Caller: tool.Caller{ID: binding(of).Caller, Name: "Ann", Kind: tool.KindMCP, Claims: map[string]any{"n": json.Number("12345678901234567890")}},
		Profile: "p", Via: tool.ViaDirect, CallID: "call " + id, Arguments: json.RawMessage(`{"amount":12345678901234567890.10}`),
		CallReason: "why", Rule: "r", Reason: "reason", Summary: "summary", Where: approval.AtDesk, Limited: true, Remember: []approval.Scope{approval.InChat},
		Created: at(minute), Expires: at(minute + 10), State: approval.Pending,
	}
}

// raise raises one under no limits that matter, and gives the one that stands.
func (s *shop) raise(id, of string, minute float64) *approval.Approval {
	s.Helper()
	a, err := s.RaiseApproval(s.Context(), asked(id, of, minute), 1000, 1000)
	must(s, err)
	return a
}

// change brings one to a state, if it is in another.
func (s *shop) change(id string, from, to approval.State, grant *approval.Grant) bool {
	s.Helper()
	a := s.get(id)
	a.State = to
	if to == approval.Approved || to == approval.Denied {
		a.Answer = &approval.Answer{Time: noon, By: "Bob", ID: "bob", From: "http", Note: "fine"}
	}
	ok, err := s.ChangeApproval(s.Context(), a, from, grant)
	must(s, err)
	return ok
}

func (s *shop) get(id string) *approval.Approval {
	s.Helper()
	a, err := s.Approval(s.Context(), id)
	must(s, err)
	return a
}

// stands is the ID of what stands for a binding, or nothing.
func (s *shop) stands(of string, minute float64) string {
	s.Helper()
	a, err := s.StandingApproval(s.Context(), binding(of), at(minute))
	must(s, err)
	if a == nil {
		return ""
	}
	return a.ID
}

// list is what a query finds.
func (s *shop) list(q approval.Query) string {
	s.Helper()
	found, err := s.Approvals(s.Context(), q)
	must(s, err)
	return ids(found)
}

func ids(found []approval.Approval) string {
	var out []string
	for i := range found {
		out = append(out, found[i].ID)
	}
	return strings.Join(out, " ")
}

// changes are the IDs of what changed after a change, and the last of those changes.
func (s *shop) changes(after int64, limit int) (string, int64) {
	s.Helper()
	found, err := s.ApprovalChanges(s.Context(), after, limit)
	must(s, err)
	for i := range found {
		if found[i].Change <= after {
			s.Errorf("change %d comes after %d", found[i].Change, after)
		}
		after = found[i].Change
	}
	return ids(found), after
}

// granted is the approval whose answer is remembered for a call, or nothing.
func (s *shop) granted(of, rule string, minute float64, scopes ...approval.Scope) string {
	s.Helper()
	g, err := s.ApprovalGrant(s.Context(), binding(of), rule, scopes, at(minute))
	must(s, err)
	if g == nil {
		return ""
	}
	if !g.Covers(binding(of)) || g.Rule != rule || !slices.Contains(scopes, g.Scope) || g.By != "Bob" || g.Expires.IsZero() {
		s.Errorf("granted %+v", g)
	}
	return g.Approval
}

// grant is what an answer leaves that is remembered for ten minutes.
func grant(id, of string, scope approval.Scope) *approval.Grant {
	g := &approval.Grant{Binding: binding(of), Rule: "r", Scope: scope, Approval: id, By: "Bob", Expires: at(10)}
	if scope == approval.SameArgs {
		g.Chat = ""
	} else {
		g.Digest = ""
	}
	return g
}

func (s *shop) want(what, want, got string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestApprovals holds that both stores of approvals do as [approval.Store] says.
func TestApprovals(t *testing.T) {
	for _, tt := range approvalTests() {
		t.Run("memory/"+tt.name, func(t *testing.T) { tt.test(&shop{t, new(approval.Memory)}) })
		t.Run("file/"+tt.name, func(t *testing.T) { tt.test(&shop{t, newBench(t).store}) })
	}
}

type approvalTest struct {
	name string
	test func(*shop)
}

func approvalTests() []approvalTest {
	return []approvalTest{
		{"all is kept", func(s *shop) {
			want := asked("a", "", 0)
			s.raise("a", "", 0)
			got := s.get("a")
			want.Change = got.Change
			if diff := cmp.Diff(want, got); diff != "" || got.Change == 0 {
				s.Errorf("-want +got:\n%s", diff)
			}
			s.change("a", approval.Pending, approval.Approved, nil)
			want = s.get("a")
			if want.State != approval.Approved || want.Answer == nil || want.Answer.Note != "fine" || want.Change <= got.Change {
				s.Errorf("changed to %+v", want)
			}
		}},
		{"unknown", func(s *shop) {
			if s.get("a") != nil {
				s.Error("there is one")
			}
			ok, err := s.ChangeApproval(s.Context(), asked("a", "", 0), approval.Pending, grant("a", "", approval.InChat))
			if ok || err != nil {
				s.Errorf("changed %v, %v", ok, err)
			}
			s.want("a grant of none", "", s.granted("", "r", 1, approval.InChat))
			last, err := s.LastApprovalChange(s.Context())
			if last != 0 || err != nil {
				s.Errorf("last change %d, %v", last, err)
			}
		}},
		{"the same call is raised once", func(s *shop) {
			s.want("first", "a", s.raise("a", "", 0).ID)
			s.want("again", "a", s.raise("b", "", 1).ID)
			for i, of := range []string{"bob", "ann x", "ann c find", "ann c pay e"} {
				id := fmt.Sprint("o", i)
				s.want("another call", id, s.raise(id, of, 1).ID)
			}
			s.want("all", "o3 o2 o1 o0 a", s.list(approval.Query{Now: at(1)}))
		}},
		{"what stands", func(s *shop) {
			for _, tt := range []struct {
				state  approval.State
				stands bool
			}{
				{approval.Pending, true},
				{approval.Approved, true},
				{approval.Denied, true},
				{approval.Used, false},
				{approval.Expired, false},
				{approval.Ended, false},
			} {
				of := "ann c pay " + string(tt.state)
				s.raise(string(tt.state), of, 0)
				if tt.state != approval.Pending && !s.change(string(tt.state), approval.Pending, tt.state, nil) {
					s.Errorf("%s was not reached", tt.state)
				}
				want := map[bool]string{true: string(tt.state)}[tt.stands]
				s.want(string(tt.state), want, s.stands(of, 9.999))
				s.want(string(tt.state)+", expired", "", s.stands(of, 10))
				fresh := s.raise("new "+string(tt.state), of, 9.999).ID
				if (fresh == string(tt.state)) != tt.stands {
					s.Errorf("%s: raised %s", tt.state, fresh)
				}
			}
		}},
		{"the oldest of several stands", func(s *shop) {
			s.raise("b", "", 0)
			s.change("b", approval.Pending, approval.Used, nil)
			s.raise("a", "", 1)
			s.change("b", approval.Used, approval.Approved, nil)
			s.want("stands", "b", s.stands("", 2))
		}},
		{"limits", func(s *shop) {
			try := func(id, of string, minute float64) error {
				_, err := s.RaiseApproval(s.Context(), asked(id, of, minute), 2, 3)
				return err
			}
			must(s, errors.Join(try("a", "ann c pay 1", 0), try("b", "ann d pay 2", 1)))
			if err := try("c", "ann e pay 3", 2); !errors.Is(err, approval.ErrTooMany) {
				s.Errorf("a third of Ann's: %v", err)
			}
			must(s, errors.Join(try("d", "ann c pay 1", 2), try("e", "bob", 2))) // the first one is raised already
			if err := try("f", "cid", 2); !errors.Is(err, approval.ErrTooMany) {
				s.Errorf("a fourth of all: %v", err)
			}
			s.change("b", approval.Pending, approval.Approved, nil)
			must(s, try("g", "ann e pay 3", 2)) // one was answered
			if err := try("h", "cid", 9.999); !errors.Is(err, approval.ErrTooMany) {
				s.Errorf("before the first expires: %v", err)
			}
			must(s, try("i", "cid", 10)) // the first one expired, swept or not
		}},
		{"changed from its state only", func(s *shop) {
			s.raise("a", "", 0)
			if s.change("a", approval.Approved, approval.Used, nil) {
				s.Error("used before it was approved")
			}
			if !s.change("a", approval.Pending, approval.Approved, nil) || s.change("a", approval.Pending, approval.Denied, grant("a", "", approval.InChat)) {
				s.Error("answered twice, or never")
			}
			s.want("no grant of what was not changed", "", s.granted("", "r", 1, approval.InChat))
			if !s.change("a", approval.Approved, approval.Used, nil) || s.change("a", approval.Approved, approval.Used, nil) {
				s.Error("used twice, or never")
			}
		}},
		{"changed since it was read", func(s *shop) {
			s.raise("a", "", 0)
			old := s.get("a")
			now := s.get("a")
			now.Told = true
			if ok, err := s.ChangeApproval(s.Context(), now, approval.Pending, nil); !ok || err != nil {
				s.Errorf("%v, %v", ok, err)
			}
			old.State = approval.Approved
			if ok, err := s.ChangeApproval(s.Context(), old, approval.Pending, nil); ok || err != nil {
				s.Errorf("what changed meanwhile was overwritten: %v, %v", ok, err)
			}
			if !s.get("a").Told {
				s.Error("the other change is lost")
			}
		}},
		{"changed by many at a time", changedByMany},
		{"raised by many at a time", raisedByMany},
		{"changes in order, each once", func(s *shop) {
			s.raise("a", "ann c pay 1", 0)
			s.raise("b", "ann c pay 2", 0)
			s.raise("c", "ann c pay 3", 0)
			s.change("a", approval.Pending, approval.Approved, nil)
			got, last := s.changes(0, 10)
			s.want("the latest change of each", "b c a", got)
			got, mid := s.changes(0, 2)
			s.want("the first two", "b c", got)
			got, end := s.changes(mid, 2)
			s.want("the rest", "a", got)
			got, _ = s.changes(end, 2)
			s.want("no more", "", got)
			if is, err := s.LastApprovalChange(s.Context()); is != last || end != last || err != nil {
				s.Errorf("last %d and %d, want %d, %v", is, end, last, err)
			}
		}},
		{"numbers of changes are not given twice", func(s *shop) {
			s.raise("a", "", 0)
			s.change("a", approval.Pending, approval.Denied, nil)
			_, last := s.changes(0, 10)
			_, err := s.SweepApprovals(s.Context(), at(1000), at(1000))
			must(s, err)
			s.raise("b", "", 2000)
			if got, now := s.changes(last, 10); got != "b" || now <= last {
				s.Errorf("%q as %d after %d", got, now, last)
			}
		}},
		{"grants", func(s *shop) {
			for i, scope := range []approval.Scope{approval.SameArgs, approval.InChat} {
				id := string(scope)
				s.raise(id, fmt.Sprintf("ann c pay %d", i), 0)
				s.change(id, approval.Pending, approval.Approved, grant(id, fmt.Sprintf("ann c pay %d", i), scope))
			}
			for _, tt := range []struct {
				of, rule string
				minute   float64
				scopes   []approval.Scope
				want     string
			}{
				{"ann c pay 0", "r", 1, []approval.Scope{approval.SameArgs}, "same_args"},
				{"ann x pay 0", "r", 1, []approval.Scope{approval.SameArgs}, "same_args"},
				{"ann x pay 0", "r", 1, []approval.Scope{approval.InChat, approval.SameArgs}, "same_args"},
				{"ann c pay 0", "r", 1, []approval.Scope{approval.InChat}, "chat"},
				{"ann c pay 9", "r", 1, []approval.Scope{approval.SameArgs, approval.InChat}, "chat"},
				{"ann x pay 9", "r", 1, []approval.Scope{approval.SameArgs, approval.InChat}, ""},
				{"ann c pay 9", "r", 1, []approval.Scope{approval.SameArgs}, ""},
				{"ann c pay 0", "r", 1, nil, ""},
				{"ann c pay 0", "other", 1, []approval.Scope{approval.SameArgs, approval.InChat}, ""},
				{"bob c pay 0", "r", 1, []approval.Scope{approval.SameArgs, approval.InChat}, ""},
				{"ann c find 0", "r", 1, []approval.Scope{approval.SameArgs, approval.InChat}, ""},
				{"ann c pay 0", "r", 9.999, []approval.Scope{approval.SameArgs}, "same_args"},
				{"ann c pay 0", "r", 10, []approval.Scope{approval.SameArgs, approval.InChat}, ""},
			} {
				s.want(fmt.Sprint(tt.of, tt.rule, tt.minute, tt.scopes), tt.want, s.granted(tt.of, tt.rule, tt.minute, tt.scopes...))
			}
		}},
		{"a later grant lasts", func(s *shop) {
			for i, id := range []string{"a", "b"} {
				s.raise(id, fmt.Sprint("ann c pay ", id), 0)
				g := grant(id, "", approval.InChat)
				g.Expires = at(float64(10 + i))
				s.change(id, approval.Pending, approval.Approved, g)
			}
			s.want("after the first is over", "b", s.granted("", "r", 10, approval.InChat))
		}},
		{"what is taken back is not remembered", func(s *shop) {
			for _, to := range []approval.State{approval.Used, approval.Denied, approval.Ended} {
				id := string(to)
				s.raise(id, "ann c pay "+id, 0)
				s.change(id, approval.Pending, approval.Approved, grant(id, "ann c pay "+id, approval.SameArgs))
				s.change(id, approval.Approved, to, nil)
				want := map[bool]string{true: id}[to == approval.Used]
				s.want(id, want, s.granted("ann c pay "+id, "r", 1, approval.SameArgs))
			}
		}},
		{"sweep", func(s *shop) {
			for i, state := range approval.States() {
				id := fmt.Sprint(i, state)
				s.raise(id, "ann c pay "+id, 0)
				if state != approval.Pending {
					s.change(id, approval.Pending, state, nil)
				}
			}
			s.raise("later", "bob", 5)
			sweep := func(now, before, want float64) {
				s.Helper()
				n, err := s.SweepApprovals(s.Context(), at(now), at(before))
				if n != int(want) || err != nil {
					s.Errorf("at %v: %d expired, %v, want %v", now, n, err, want)
				}
			}
			all := s.list(approval.Query{Now: at(1)})
			sweep(9.999, 0, 0)
			s.want("nothing is over", all, s.list(approval.Query{Now: at(1)}))
			sweep(10, 0, 2)
			if a, b := s.get("0pending"), s.get("1approved"); a.State != approval.Expired || b.State != approval.Expired || b.Answer == nil {
				s.Errorf("%+v, %+v", a, b)
			}
			sweep(10, 0, 0)
			got, _ := s.changes(0, 100)
			if fields := strings.Fields(got); len(fields) != 7 || !slices.Contains(fields[5:], "0pending") || !slices.Contains(fields[5:], "1approved") {
				s.Errorf("changes %s", got)
			}
			sweep(14, 10.001, 0) // those of minute 0 were over long enough
			if got := s.list(approval.Query{Now: at(14)}); !strings.Contains(got, "later") || strings.Count(got, " ") > 1 {
				s.Errorf("left: %s", got)
			}
		}},
		{"what ended is kept by when it expires", func(s *shop) {
			for i, state := range []approval.State{approval.Used, approval.Ended, approval.Denied, approval.Pending} {
				s.raise(string(state), fmt.Sprint("ann c pay ", i), 0)
				s.change(string(state), approval.Pending, state, nil)
			}
			long := asked("long", "ann c pay long", 0)
			long.Expires = at(1000)
			_, err := s.RaiseApproval(s.Context(), long, 10, 10)
			must(s, err)
			s.change("long", approval.Pending, approval.Used, nil)
			sweep := func(now, before float64) {
				s.Helper()
				_, err := s.SweepApprovals(s.Context(), at(now), at(before))
				must(s, err)
			}
			sweep(20, 10)
			s.raise("newest", "bob", 995) // the newest change stays
			s.want("expired at that very time", "newest used pending long ended denied", s.list(approval.Query{Now: at(1)}))
			sweep(20, 10.001)
			s.want("expired before", "newest long", s.list(approval.Query{Now: at(1)}))
			sweep(1001, 999)
			s.want("raised long before", "newest long", s.list(approval.Query{Now: at(1)}))
			sweep(1001, 1000.001)
			s.want("and expired by now", "newest", s.list(approval.Query{Now: at(1)}))
		}},
		{"sweep of many", func(s *shop) {
			const many = 1100
			for i := range many {
				_, err := s.RaiseApproval(s.Context(), asked(fmt.Sprint(i), fmt.Sprint("ann c pay ", i), 0), many, many)
				must(s, err)
			}
			if n, err := s.SweepApprovals(s.Context(), at(10), at(0)); n != many || err != nil {
				s.Errorf("%d, %v", n, err)
			}
		}},
		{"queries", queries},
		{"times count to the microsecond", func(s *shop) {
			a := asked("a", "", 0)
			a.Expires = noon.Add(7 * time.Microsecond)
			_, err := s.RaiseApproval(s.Context(), a, 10, 10)
			must(s, err)
			for _, tt := range []struct {
				at   time.Duration
				want string
			}{{6*time.Microsecond + 999, "a"}, {7 * time.Microsecond, ""}, {7*time.Microsecond + 1, ""}} {
				now := noon.Add(tt.at)
				found, err := s.StandingApproval(s.Context(), binding(""), now)
				must(s, err)
				s.want(fmt.Sprint("pending after ", tt.at), tt.want, s.list(approval.Query{State: approval.Pending, Now: now}))
				if (found != nil) != (tt.want != "") || (a.At(now) == approval.Pending) != (tt.want != "") {
					s.Errorf("after %v: %v and %s", tt.at, found, a.At(now))
				}
			}
		}},
	}
}

// together runs f several times at once, as those who share a store do.
func together(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { f(i) })
	}
	group.Wait()
}

func changedByMany(s *shop) {
	const many = 8
	s.raise("a", "", 0)
	for _, step := range [][2]approval.State{{approval.Pending, approval.Approved}, {approval.Approved, approval.Used}} {
		var won atomic.Int32
		together(many, func(int) {
			if s.change("a", step[0], step[1], nil) {
				won.Add(1)
			}
		})
		if won.Load() != 1 {
			s.Errorf("%d went from %s to %s", won.Load(), step[0], step[1])
		}
	}
}

func raisedByMany(s *shop) {
	const many = 8
	given := make([]string, many)
	together(many, func(i int) { given[i] = s.raise(fmt.Sprint(i), "", 0).ID })
	if slices.Sort(given); given[0] != given[many-1] {
		s.Errorf("raised %v", given)
	}
	var refused atomic.Int32
	together(many, func(i int) {
		if _, err := s.RaiseApproval(s.Context(), asked(fmt.Sprint("b", i), fmt.Sprint("bob c pay ", i), 0), 3, 100); errors.Is(err, approval.ErrTooMany) {
			refused.Add(1)
		}
	})
	if refused.Load() != many-3 {
		s.Errorf("%d of %d were refused", refused.Load(), many)
	}
}

func queries(s *shop) {
	for i, id := range []string{"apr_a", "apr_ab", "apr_b", "apr_%", "apr_c", "apr_d"} {
		caller := []string{"ann", "bob"}[i%2]
		s.raise(id, caller+" c pay "+id, float64(i))
	}
	s.change("apr_ab", approval.Pending, approval.Approved, nil)
	s.change("apr_b", approval.Pending, approval.Denied, nil)
	s.change("apr_%", approval.Pending, approval.Used, nil)
	s.change("apr_c", approval.Pending, approval.Ended, nil)
	for _, tt := range []struct {
		name string
		q    approval.Query
		want string
	}{
		{"all, the newest first", approval.Query{Now: at(6)}, "apr_d apr_c apr_% apr_b apr_ab apr_a"},
		{"pending", approval.Query{State: approval.Pending, Now: at(9)}, "apr_d apr_a"},
		{"pending and expired", approval.Query{State: approval.Pending, Now: at(10)}, "apr_d"},
		{"expired", approval.Query{State: approval.Expired, Now: at(11)}, "apr_ab apr_a"},
		{"approved", approval.Query{State: approval.Approved, Now: at(10.9)}, "apr_ab"},
		{"denied, whenever", approval.Query{State: approval.Denied, Now: at(100)}, "apr_b"},
		{"used", approval.Query{State: approval.Used, Now: at(1)}, "apr_%"},
		{"ended", approval.Query{State: approval.Ended, Now: at(1)}, "apr_c"},
		{"caller", approval.Query{Caller: "bob", Now: at(1)}, "apr_d apr_% apr_ab"},
		{"no caller", approval.Query{Caller: "bo", Now: at(1)}, ""},
		{"prefix", approval.Query{Prefix: "apr_a", Now: at(1)}, "apr_ab apr_a"},
		{"prefix of a pattern", approval.Query{Prefix: "apr_%", Now: at(1)}, "apr_%"},
		{"prefix of nothing", approval.Query{Prefix: "APR", Now: at(1)}, ""},
		{"all at once", approval.Query{State: approval.Approved, Caller: "bob", Prefix: "apr_a", Limit: 5, Now: at(1)}, "apr_ab"},
		{"limit", approval.Query{Limit: 2, Now: at(1)}, "apr_d apr_c"},
		{"odd limit", approval.Query{Limit: -1, Prefix: "apr_d", Now: at(1)}, "apr_d"},
		{"after", approval.Query{After: "apr_c", Limit: 2, Now: at(1)}, "apr_% apr_b"},
		{"after the last", approval.Query{After: "apr_a", Now: at(1)}, ""},
		{"after one of another state", approval.Query{After: "apr_c", State: approval.Pending, Now: at(1)}, "apr_a"},
		{"after nothing that is there", approval.Query{After: "apr_x", Now: at(1)}, ""},
	} {
		s.want(tt.name, tt.want, s.list(tt.q))
	}
}

// TestApprovalsReopened: what is in the file is there for the next process, and for
// one beside it.
func TestApprovalsReopened(t *testing.T) {
	b := newBench(t)
	first := &shop{t, b.store}
	first.raise("a", "", 0)
	first.change("a", approval.Pending, approval.Approved, grant("a", "", approval.InChat))
	beside, err := store.Open(t.Context(), b.path, store.Options{})
	must(t, err)
	t.Cleanup(func() { _ = beside.Close() })
	second := &shop{t, beside}
	if !second.change("a", approval.Approved, approval.Used, nil) || first.change("a", approval.Approved, approval.Used, nil) {
		t.Error("both used it, or none")
	}
	must(t, b.store.Close())
	if _, err := first.Approval(t.Context(), "a"); err == nil {
		t.Error("a closed store answers")
	}
	b.open()
	third := &shop{t, b.store}
	if a := third.get("a"); a == nil || a.State != approval.Used {
		t.Errorf("reopened: %+v", a)
	}
	third.want("grant", "a", third.granted("", "r", 1, approval.InChat))
	third.want("raised anew", "b", third.raise("b", "", 1).ID)
}

// BenchmarkApprovals gives what a call costs that is asked about, answered and let
// through, three writes in all, while 10,000 others wait; and what it costs to look
// for changes while there are none.
func BenchmarkApprovals(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "gateway.db"), store.Options{})
	must(b, err)
	b.Cleanup(func() { _ = s.Close() })
	const many = approval.MaxPendingOfAll
	change := func(b *testing.B, id string, to approval.State) {
		a, err := s.Approval(b.Context(), id)
		must(b, err)
		from := a.State
		a.State = to
		if ok, err := s.ChangeApproval(b.Context(), a, from, nil); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	for i := range many {
		_, err := s.RaiseApproval(b.Context(), asked(fmt.Sprint(i), fmt.Sprintf("c%d c pay %d", i%100, i), 0), many, 2*many)
		must(b, err)
	}
	n := many
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			n++
			id := fmt.Sprint(n)
			_, err := s.RaiseApproval(b.Context(), asked(id, "ann c pay "+id, 0), many, 2*many)
			must(b, err)
			change(b, id, approval.Approved)
			change(b, id, approval.Used)
		}
	})
	b.Run("look", func(b *testing.B) {
		last, err := s.LastApprovalChange(b.Context())
		must(b, err)
		for b.Loop() {
			if found, err := s.ApprovalChanges(b.Context(), last, 200); err != nil || len(found) > 0 {
				b.Fatal(found, err)
			}
		}
	})
	b.Run("stands", func(b *testing.B) {
		for b.Loop() {
			if a, err := s.StandingApproval(b.Context(), binding("c7 c pay x"), at(1)); a != nil || err != nil {
				b.Fatal(a, err)
			}
		}
	})
}
