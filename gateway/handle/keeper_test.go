package handle_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/tool"
)

// memory is a store that may be away.
type memory struct {
	mu      sync.Mutex
	entries map[handle.Name]handle.Entry
	away    error
}

func (m *memory) Keep(_ context.Context, put []handle.Entry, drop []handle.Name) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away != nil {
		return m.away
	}
	for _, n := range drop {
		delete(m.entries, n)
	}
	for _, e := range put {
		m.entries[e.Name] = e
	}
	return nil
}

func (m *memory) Kept(context.Context, time.Time) ([]handle.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []handle.Entry
	for _, e := range m.entries {
		all = append(all, e)
	}
	return all, nil
}

func (m *memory) leave(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = err
}

// process is a desk with its keeper, from its start to its end.
type process struct {
	*handle.Desk
	runs int
	end  func()
}

func newProcess(t *testing.T, m *memory, o handle.Options) *process {
	t.Helper()
	p := &process{}
	o.Keeper = handle.NewKeeper(m, nil)
	o.Kept, _ = m.Kept(t.Context(), time.Time{})
	p.Desk = handle.New(func(_ context.Context, c tool.Call) tool.Result {
		p.runs++
		return tool.Result{
			CallID: c.ID, Tool: c.Tool, Status: tool.StatusError, MayHaveActed: true, Duration: time.Second,
			Output: tool.Output{
				Content:    []tool.Content{{Type: tool.ContentText, Text: "no"}, {Type: tool.ContentImage, Data: []byte{0, 1}, MIMEType: "image/png"}},
				Structured: []byte(`{"n": 9007199254740993}`),
			},
			Error: tool.Errorf(tool.Timeout, "too slow").WithHint("Wait.").Because(errors.New("a cause")),
		}
	}, o)
	end := runKeeper(t, o.Keeper)
	p.end = func() {
		_ = p.Close(t.Context())
		end()
	}
	return p
}

// runKeeper runs a keeper until end is called, and ends when it has.
func runKeeper(t *testing.T, k *handle.Keeper) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.Run(ctx) })
	return func() {
		stop()
		running.Wait()
	}
}

// TestRestart asks after calls of a process that has ended.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{entries: map[handle.Name]handle.Entry{}}
		ann := tool.Caller{ID: "ann"}
		key := handle.Key{Caller: "ann", Chat: "c", ID: "call_0"}
		before := newProcess(t, m, handle.Options{})
		started, err := before.Start(t.Context(), tool.Call{ID: "a", Tool: "t", Caller: ann})
		if err != nil {
			t.Fatal(err)
		}
		status, _ := before.Wait(t.Context(), ann, started.ID)
		once, _, err := before.Once(t.Context(), key, tool.Call{Tool: "t", Arguments: []byte(`{"n": 1}`), Caller: ann})
		if err != nil {
			t.Fatal(err)
		}
		before.end()

		after := newProcess(t, m, handle.Options{})
		same := cmp.Options{cmpopts.IgnoreFields(tool.Error{}, "Cause"), cmpopts.EquateApproxTime(0)}
		got, ok := after.Status(ann, "a")
		if diff := cmp.Diff(status, got, same); !ok || diff != "" {
			t.Errorf("the started call: %v %s", ok, diff)
		}
		if got.Result == nil || got.Result.Error == nil || got.Result.Error.Cause != nil {
			t.Errorf("the result is %+v", got.Result)
		}
		if _, ok := after.Status(tool.Caller{ID: "bob"}, "a"); ok {
			t.Error("another caller finds the call")
		}
		if _, ok := after.Cancel(ann, "a"); !ok {
			t.Error("a call that has ended cannot be cancelled again")
		}
		again, replayed, err := after.Once(t.Context(), key, tool.Call{Tool: "t", Arguments: []byte(`{ "n":1 }`), Caller: ann})
		if diff := cmp.Diff(once, again, same); err != nil || !replayed || after.runs != 0 || diff != "" {
			t.Errorf("sent again: %v, replayed %v, %d runs %s", err, replayed, after.runs, diff)
		}
		if _, _, err := after.Once(t.Context(), key, tool.Call{Tool: "t", Arguments: []byte(`{"n":2}`), Caller: ann}); err == nil {
			t.Error("another call of the same id is taken")
		}
		time.Sleep(handle.DefaultKeep)
		if _, ok := after.Status(ann, "a"); ok {
			t.Error("the call is kept longer than it may be")
		}
		after.end()
		if len(m.entries) != 1 { // the answer is forgotten when somebody asks for one
			t.Errorf("%d entries are stored", len(m.entries))
		}
		last := newProcess(t, m, handle.Options{})
		defer last.end()
		if _, replayed, _ := last.Once(t.Context(), key, tool.Call{Tool: "t", Caller: ann}); replayed {
			t.Error("an answer is kept longer than it may be")
		}
	})
}

// TestStoreAway keeps working while the store is away, holds no more then than its
// limits, and stores what it has when the store is back.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{entries: map[handle.Name]handle.Entry{}, away: errors.New("away")}
		p := newProcess(t, m, handle.Options{Most: 3, PerCaller: 3})
		ann := tool.Caller{ID: "ann"}
		for i := range 10 {
			s, err := p.Start(t.Context(), tool.Call{ID: fmt.Sprint(i), Tool: "t", Caller: ann})
			if err != nil {
				t.Fatal(err)
			}
			p.Wait(t.Context(), ann, s.ID)
			time.Sleep(time.Second)
		}
		m.leave(nil)
		time.Sleep(time.Minute)
		p.end()
		var ids []string
		for n := range m.entries {
			ids = append(ids, n.ID)
		}
		if diff := cmp.Diff([]string{"7", "8", "9"}, ids, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Error(diff)
		}
	})
}

// TestStoredIsRemoved holds that what is forgotten while its place in the store waits
// to be changed does not stay there.
func TestStoredIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{entries: map[handle.Name]handle.Entry{}}
		k, h := handle.NewKeeper(m, nil), &house{}
		d := handle.New(h.run, handle.Options{Bytes: 100_000, Replays: 4 * 3, Keeper: k})
		end := runKeeper(t, k)
		twice(t, d, h, "ann", "first", 20_000)
		time.Sleep(time.Second)
		m.leave(errors.New("away"))
		twice(t, d, h, "ann", "second", 20_000) // the first is lost for it
		same(t, "first", "lost", twice(t, d, h, "ann", "first", 20_000))
		for i := range 3 {
			twice(t, d, h, "ann", fmt.Sprint(i), 1) // and forgotten for these
		}
		m.leave(nil)
		time.Sleep(time.Minute)
		end()
		var ids []string
		for n := range m.entries {
			ids = append(ids, n.ID)
		}
		if diff := cmp.Diff([]string{"0", "1", "2"}, ids, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Error(diff)
		}
	})
}
