package approval_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bob is who answers.
var bob = approval.Answer{By: "Bob", ID: "bob", From: "http"}

// flaky is a store that fails a number of times, and that can be replaced.
type flaky struct {
	mu    sync.Mutex // guards what follows
	store approval.Store
	fails int
}

func (f *flaky) now() (approval.Store, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails > 0 {
		f.fails--
		return nil, errors.New("the disk hums")
	}
	return f.store, nil
}

func (f *flaky) fail(times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails = times
}

func (f *flaky) replace(s approval.Store) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.store = s
}

func (f *flaky) RaiseApproval(ctx context.Context, a *approval.Approval, most, all int) (*approval.Approval, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.RaiseApproval(ctx, a, most, all)
}

func (f *flaky) StandingApproval(ctx context.Context, b approval.Binding, now time.Time) (*approval.Approval, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.StandingApproval(ctx, b, now)
}

func (f *flaky) Approval(ctx context.Context, id string) (*approval.Approval, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.Approval(ctx, id)
}

func (f *flaky) Approvals(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.Approvals(ctx, q)
}

func (f *flaky) ChangeApproval(ctx context.Context, a *approval.Approval, from approval.State, g *approval.Grant) (bool, error) {
	s, err := f.now()
	if err != nil {
		return false, err
	}
	return s.ChangeApproval(ctx, a, from, g)
}

func (f *flaky) ApprovalChanges(ctx context.Context, after int64, limit int) ([]approval.Approval, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.ApprovalChanges(ctx, after, limit)
}

func (f *flaky) LastApprovalChange(ctx context.Context) (int64, error) {
	s, err := f.now()
	if err != nil {
		return 0, err
	}
	return s.LastApprovalChange(ctx)
}

func (f *flaky) ApprovalGrant(ctx context.Context, b approval.Binding, rule string, scopes []approval.Scope, now time.Time) (*approval.Grant, error) {
	s, err := f.now()
	if err != nil {
		return nil, err
	}
	return s.ApprovalGrant(ctx, b, rule, scopes, now)
}

func (f *flaky) SweepApprovals(ctx context.Context, now, before time.Time) (int, error) {
	s, err := f.now()
	if err != nil {
		return 0, err
	}
	return s.SweepApprovals(ctx, now, before)
}

// bench is two desks on one store, as two processes have them.
type bench struct {
	*testing.T
	store *flaky
	one   *approval.Desk
	other *approval.Desk
}

// within runs a test in virtual time.
func within(t *testing.T, f func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{store: new(approval.Memory)}
		b := &bench{t, s, approval.Open(t.Context(), s, approval.Options{}), approval.Open(t.Context(), s, approval.Options{})}
		f(b)
		must(t, errors.Join(b.one.Close(), b.other.Close(), b.one.Close()))
	})
}

// ask is a new approval that expires after an hour.
func ask(of string) *approval.Approval {
	now := time.Now()
	return &approval.Approval{
		Binding: approval.Binding{Caller: "ann", Chat: "c", Tool: "pay", Digest: of}, Caller: tool.Caller{ID: "ann", Name: "Ann"},
		Arguments: []byte(`{}`), Rule: "r", Remember: []approval.Scope{approval.SameArgs, approval.InChat},
		Created: now, Expires: now.Add(time.Hour),
	}
}

func (b *bench) raise(of string) string {
	b.Helper()
	a, err := b.one.Raise(b.Context(), ask(of))
	must(b, err)
	return a.ID
}

func (b *bench) stands(id string, want approval.State) {
	b.Helper()
	a, err := b.one.Get(b.Context(), id)
	must(b, err)
	if got := a.At(time.Now()); got != want {
		b.Errorf("it is %s, want %s", got, want)
	}
}

// TestWait: what ends the waiting, and when.
func TestWait(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name string
		then func(b *bench, id string, give func()) // after a minute
		want approval.State
		took time.Duration // at least, and no more than a poll longer
	}{
		{"approved here", func(b *bench, id string, _ func()) { _, _, _ = b.one.Settle(b.Context(), id, true, bob) }, approval.Approved, minute},
		{"denied here", func(b *bench, id string, _ func()) { _, _, _ = b.one.Settle(b.Context(), id, false, bob) }, approval.Denied, minute},
		{"approved elsewhere", func(b *bench, id string, _ func()) { _, _, _ = b.other.Settle(b.Context(), id, true, bob) }, approval.Approved, minute},
		{"ended elsewhere", func(b *bench, id string, _ func()) {
			a, _ := b.other.Get(b.Context(), id)
			_ = b.other.End(b.Context(), a, "why")
		}, approval.Ended, minute},
		{"told of elsewhere", func(b *bench, id string, _ func()) { _ = b.other.Tell(b.Context(), id) }, approval.Pending, 10 * minute},
		{"nobody", func(*bench, string, func()) {}, approval.Pending, 10 * minute},
		{"given up", func(_ *bench, _ string, give func()) { give() }, approval.Pending, minute},
		{"the desk lets go", func(b *bench, _ string, _ func()) { b.one.LetGo() }, approval.Pending, minute},
		{"the desk is closed", func(b *bench, _ string, _ func()) { _ = b.one.Close() }, approval.Pending, minute},
		{"the store fails for a while", func(b *bench, id string, _ func()) {
			_, _, _ = b.other.Settle(b.Context(), id, true, bob)
			b.store.fail(10)
		}, approval.Approved, minute},
		{"another one is answered", func(b *bench, _ string, _ func()) {
			_, _, _ = b.one.Settle(b.Context(), b.raise("other"), true, bob)
		}, approval.Pending, 10 * minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func(b *bench) {
				id := b.raise("d")
				ctx, give := context.WithCancel(b.Context())
				defer give()
				began := time.Now()
				time.AfterFunc(time.Minute, func() { tt.then(b, id, give) })
				a, err := b.one.Wait(ctx, id, began.Add(10*time.Minute))
				must(t, err)
				if took := time.Since(began); a.At(time.Now()) != tt.want || took < tt.took || took > tt.took+5*time.Second {
					t.Errorf("%s after %v, want %s after %v", a.At(time.Now()), took, tt.want, tt.took)
				}
			})
		})
	}
}

// TestWaitTooLate: an approval that is answered, expired or gone is not waited for,
// and one is no longer than it may wait itself.
func TestWaitTooLate(t *testing.T) {
	within(t, func(b *bench) {
		id := b.raise("d")
		began := time.Now()
		a, err := b.one.Wait(b.Context(), id, began.Add(10*time.Hour))
		must(t, err)
		if took := time.Since(began); took != time.Hour || a.At(time.Now()) != approval.Expired {
			t.Errorf("%s after %v", a.At(time.Now()), took)
		}
		if a, err = b.one.Wait(b.Context(), id, time.Now().Add(time.Hour)); err != nil || time.Since(began) != time.Hour || a.At(time.Now()) != approval.Expired {
			t.Errorf("%+v, %v", a, err)
		}
		_, err = b.one.Wait(b.Context(), "apr_x", time.Now().Add(time.Hour))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.Internal || !e.Retryable {
			t.Errorf("one that is gone: %v", err)
		}
		over, stop := context.WithCancel(b.Context())
		stop()
		id = b.raise("e")
		if a, err := b.one.Wait(over, id, time.Now().Add(time.Hour)); err != nil || a.ID != id {
			t.Errorf("with a context that is over: %+v, %v", a, err)
		}
	})
}

// TestNewStore: whoever waits is told of changes also where a store has begun to
// count them anew.
func TestNewStore(t *testing.T) {
	within(t, func(b *bench) {
		for i := range 5 {
			b.raise(fmt.Sprint(i))
		}
		var told atomic.Int32
		defer b.one.Watch(b.Context(), func(approval.Approval) { told.Add(1) })()
		b.raise("last")
		synctest.Wait()
		if told.Load() != 1 {
			t.Errorf("told of %d, want 1", told.Load())
		}
		b.store.replace(new(approval.Memory))
		id := b.raise("new")
		began := time.Now()
		time.AfterFunc(2*time.Minute, func() { _, _, _ = b.other.Settle(b.Context(), id, true, bob) })
		a, err := b.one.Wait(b.Context(), id, began.Add(time.Hour))
		if err != nil || a.State != approval.Approved || time.Since(began) > 3*time.Minute {
			t.Errorf("%+v, %v after %v", a, err, time.Since(began))
		}
	})
}

// TestAnswers: what becomes of an approval by what is done to it, one after the
// other.
func TestAnswers(t *testing.T) {
	steps := map[string]func(b *bench, id string) (bool, error){
		"approve": func(b *bench, id string) (bool, error) {
			_, ok, err := b.one.Settle(b.Context(), id, true, bob)
			return ok, err
		},
		"deny": func(b *bench, id string) (bool, error) {
			_, ok, err := b.other.Settle(b.Context(), id, false, bob)
			return ok, err
		},
		"withdraw": func(b *bench, id string) (bool, error) {
			_, ok, err := b.other.Withdraw(b.Context(), id, bob)
			return ok, err
		},
		"use": func(b *bench, id string) (bool, error) {
			_, ok, err := b.one.Use(b.Context(), id, "call")
			return ok, err
		},
		"back":  func(b *bench, id string) (bool, error) { return true, b.one.GiveBack(b.Context(), id) },
		"tell":  func(b *bench, id string) (bool, error) { return true, b.other.Tell(b.Context(), id) },
		"hour":  func(*bench, string) (bool, error) { time.Sleep(time.Hour); return true, nil },
		"sweep": func(*bench, string) (bool, error) { time.Sleep(time.Minute + time.Second); return true, nil },
		"end": func(b *bench, id string) (bool, error) {
			a, err := b.one.Get(b.Context(), id)
			return true, errors.Join(err, b.one.End(b.Context(), a, "why"))
		},
		"fail": func(b *bench, _ string) (bool, error) { b.store.fail(3); return true, nil },
	}
	for _, tt := range []struct {
		steps string // those that end in - are not taken
		want  approval.State
	}{
		{"approve use", approval.Used},
		{"approve approve- deny- use use- withdraw-", approval.Used},
		{"deny approve- use- withdraw-", approval.Denied},
		{"use- withdraw- approve", approval.Approved},
		{"approve withdraw use-", approval.Denied},
		{"approve use back use use-", approval.Used},
		{"approve back use back withdraw", approval.Denied},
		{"back approve", approval.Approved},
		{"end approve- use-", approval.Ended},
		{"approve end use-", approval.Ended},
		{"deny end", approval.Denied},
		{"approve use end", approval.Used},
		{"hour approve- use- deny-", approval.Expired},
		{"approve hour use- withdraw-", approval.Expired},
		{"hour sweep approve- end", approval.Expired},
		{"deny hour sweep", approval.Denied},
		{"tell fail approve tell fail use", approval.Used},
		{"fail deny", approval.Denied},
	} {
		t.Run(tt.steps, func(t *testing.T) {
			within(t, func(b *bench) {
				id := b.raise("d")
				for step := range strings.FieldsSeq(tt.steps) {
					name := strings.TrimSuffix(step, "-")
					if ok, err := steps[name](b, id); ok != (name == step) || err != nil {
						t.Errorf("%s: %v, %v", step, ok, err)
					}
				}
				b.stands(id, tt.want)
			})
		})
	}
}

// TestRaise: the same call is raised once, within limits.
func TestRaise(t *testing.T) {
	within(t, func(b *bench) {
		id := b.raise("d")
		if again, err := b.other.Raise(b.Context(), ask("d")); err != nil || again.ID != id || !strings.HasPrefix(id, "apr_") || len(id) != 30 {
			t.Errorf("%s again as %+v, %v", id, again, err)
		}
		large := ask("large")
		large.Arguments = make([]byte, approval.MaxArguments+1)
		_, err := b.one.Raise(b.Context(), large)
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.TooLarge {
			t.Errorf("too large: %v", err)
		}
		for i := range approval.MaxPending - 1 {
			b.raise(fmt.Sprint(i))
		}
		_, err = b.one.Raise(b.Context(), ask("one more"))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.Overloaded || !e.Retryable {
			t.Errorf("too many: %v", err)
		}
		time.Sleep(time.Hour)
		b.store.fail(4)
		b.raise("others hold the store for a while")
		b.store.fail(5)
		_, err = b.one.Raise(b.Context(), ask("and for longer"))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.Internal || !e.Retryable || e.Cause == nil {
			t.Errorf("without a store: %v", err)
		}
		over, stop := context.WithCancel(b.Context())
		stop()
		b.store.fail(1)
		_, err = b.one.Raise(over, ask("given up"))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.Cancelled {
			t.Errorf("given up: %v", err)
		}
	})
}

// TestRemembered: how far an answer reaches, and for how long.
func TestRemembered(t *testing.T) {
	all := []approval.Scope{approval.SameArgs, approval.InChat}
	for _, tt := range []struct {
		scope      approval.Scope
		here, near bool // the same call, and one with other arguments
	}{{"", false, false}, {approval.SameArgs, true, false}, {approval.InChat, true, true}} {
		within(t, func(b *bench) {
			id := b.raise("d")
			answer := bob
			answer.Remember = tt.scope
			if _, ok, err := b.one.Settle(b.Context(), id, true, answer); !ok || err != nil {
				t.Fatalf("%v, %v", ok, err)
			}
			granted := func(digest string, scopes []approval.Scope) bool {
				t.Helper()
				g, err := b.other.Granted(b.Context(), ask(digest).Binding, "r", scopes)
				must(t, err)
				return g != nil && g.Approval == id
			}
			if granted("d", all) != tt.here || granted("e", all) != tt.near || granted("d", nil) {
				t.Errorf("%q reaches %v, %v", tt.scope, granted("d", all), granted("e", all))
			}
			time.Sleep(approval.RememberFor)
			if granted("d", all) {
				t.Errorf("%q is remembered for ever", tt.scope)
			}
		})
	}
}

// TestNoLostNews: whoever waits is told, however answers and waiting overlap.
func TestNoLostNews(t *testing.T) {
	const calls = 400
	s := new(approval.Memory)
	one, other := approval.Open(t.Context(), s, approval.Options{}), approval.Open(t.Context(), s, approval.Options{})
	defer func() { must(t, errors.Join(one.Close(), other.Close())) }()
	for round := range calls / approval.MaxPending {
		var group sync.WaitGroup
		for i := range approval.MaxPending {
			a, err := one.Raise(t.Context(), ask(fmt.Sprint(round, i)))
			must(t, err)
			group.Go(func() {
				if a, err := one.Wait(t.Context(), a.ID, time.Now().Add(time.Hour)); err != nil || a.State != approval.Approved {
					t.Errorf("%+v, %v", a, err)
				}
			})
			group.Go(func() {
				if _, ok, err := other.Settle(t.Context(), a.ID, true, bob); !ok || err != nil {
					t.Errorf("%v, %v", ok, err)
				}
			})
		}
		group.Wait()
	}
}

// BenchmarkWaiting gives what 10,000 waiting calls take: memory of each, and the
// time in which all are told.
func BenchmarkWaiting(b *testing.B) {
	const calls = approval.MaxPendingOfAll
	for b.Loop() {
		s := new(approval.Memory)
		desk := approval.Open(b.Context(), s, approval.Options{})
		ids := make([]string, calls)
		for i := range calls {
			a := ask(fmt.Sprint(i))
			a.ID, a.State = approval.NewID(), approval.Pending
			ids[i] = a.ID
			_, err := s.RaiseApproval(b.Context(), a, calls, calls+1)
			must(b, err)
		}
		before := heap()
		var group sync.WaitGroup
		var waiting atomic.Int64
		for _, id := range ids {
			group.Go(func() {
				waiting.Add(1)
				if _, err := desk.Wait(b.Context(), id, time.Now().Add(time.Hour)); err != nil {
					b.Error(err)
				}
			})
		}
		for waiting.Load() < calls {
			runtime.Gosched()
		}
		b.ReportMetric(float64(heap()-before)/calls, "B/waiting")
		began := time.Now()
		desk.LetGo()
		group.Wait()
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/let-go")
		must(b, desk.Close())
	}
}

// heap is what is in use, stacks too.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// TestLogsOnce: a store that cannot be used is told of once, until it can.
func TestLogsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{store: new(approval.Memory)}
		var talk strings.Builder
		desk := approval.Open(t.Context(), s, approval.Options{Logger: slog.New(slog.NewTextHandler(&talk, nil))})
		defer desk.Watch(t.Context(), func(approval.Approval) {})()
		for range 2 {
			s.fail(1000)
			time.Sleep(time.Minute)
			s.fail(0)
			time.Sleep(time.Minute)
		}
		must(t, desk.Close())
		if n := strings.Count(talk.String(), "the store of approvals cannot be used"); n != 2 {
			t.Errorf("told %d times:\n%s", n, talk.String())
		}
	})
}
