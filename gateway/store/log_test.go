package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestShip follows calls from the journal into the store: whatever was shipped
// when, the log is the same, and no call is in it twice.
func TestShip(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * time.Minute) }
	must(t, j.End(runlog.Record{CallID: "a", Tool: "t", Time: at(0)}))
	must(t, j.Start(runlog.Record{CallID: "b", Tool: "t", Time: at(1)}))
	must(t, j.Start(runlog.Record{CallID: "c", Tool: "t", Time: at(2)}))
	b.want("in the journal", "a:ok b:running c:running")
	if state := b.ship(); state.Err != nil || state.Delivered != 3 {
		t.Errorf("shipped: %+v", state)
	}
	b.want("in the store", "a:ok b:running c:running")
	must(t, j.End(runlog.Record{CallID: "b", Tool: "t", Time: at(1), Code: tool.Timeout}))
	must(t, j.End(runlog.Record{CallID: "d", Tool: "t", Time: at(3)}))
	b.want("ended in the journal", "a:ok b:error c:running d:ok")
	b.ship()
	b.want("ended in the store", "a:ok b:error c:running d:ok")
	must(t, j.Close())
	b.want("interrupted in the journal", "a:ok b:error c:interrupted d:ok")
	b.ship()
	b.want("interrupted in the store", "a:ok b:error c:interrupted d:ok")
	if n := b.journals(); n != 0 {
		t.Errorf("%d journals are left", n)
	}
	b.ship()
	b.want("shipped again", "a:ok b:error c:interrupted d:ok")
}

// TestRedelivery delivers the same journal again, as a server does that was
// killed before it knew that it had: nothing changes.
func TestRedelivery(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	must(t, j.Start(runlog.Record{CallID: "a", Tool: "t", Time: noon}))
	must(t, j.End(runlog.Record{CallID: "a", Tool: "t", Time: noon}))
	must(t, j.Start(runlog.Record{CallID: "b", Tool: "t", Time: noon.Add(time.Second)}))
	must(t, j.Close())
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(t, err)
	data, err := os.ReadFile(files[0])
	must(t, err)
	b.ship()
	_, before, err := b.store.Changes(t.Context(), 0, 0)
	must(t, err)
	for _, name := range []string{files[0], filepath.Join(b.dir, "another.jsonl")} {
		must(t, os.WriteFile(name, data, 0o600))
		b.ship()
		b.want(name, "a:ok b:interrupted")
	}
	entries, _, err := b.store.Changes(t.Context(), before, 10)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("a second delivery changes %d calls", len(entries))
	}
}

// TestRotation lets files be followed by others while calls run in them.
func TestRotation(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{MaxFile: 1})
	const calls = 5
	for i := range calls {
		must(t, j.Start(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: noon.Add(time.Duration(i) * time.Second)}))
	}
	running := "0:running 1:running 2:running 3:running 4:running"
	b.want("running", running)
	b.ship()
	b.want("running, shipped", running)
	if n := b.journals(); n != calls {
		t.Errorf("%d journals, want one for each running call", n)
	}
	for _, i := range []int{0, 2} {
		must(t, j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: noon.Add(time.Duration(i) * time.Second)}))
	}
	mixed := "0:ok 1:running 2:ok 3:running 4:running"
	b.want("two ended", mixed)
	b.ship()
	b.want("two ended, shipped", mixed)
	if n := b.journals(); n != 4 { // those of 1, 3 and 4, and the one that is written
		t.Errorf("%d journals are left, want 4", n)
	}
	must(t, j.Close())
	b.ship()
	b.want("closed", "0:ok 1:interrupted 2:ok 3:interrupted 4:interrupted")
	if n := b.journals(); n != 0 {
		t.Errorf("%d journals are left", n)
	}
}

func TestFind(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	record := func(i int, r runlog.Record) {
		r.CallID, r.Time, r.Duration = string(rune('a'+i)), noon.Add(time.Duration(i)*time.Second), time.Duration(i)*time.Millisecond
		must(t, j.End(r))
	}
	record(0, runlog.Record{Tool: "find_customer", Caller: runlog.Caller{ID: "1", Name: "robot-1"}, Chat: "x", Decision: "allow", Rule: "reads"})
	record(1, runlog.Record{Tool: "pay", Code: tool.Denied, Caller: runlog.Caller{ID: "2", Name: "robot-2"}, Decision: "deny", Rule: "no"})
	record(2, runlog.Record{Tool: "find_order", Code: tool.Timeout, Caller: runlog.Caller{ID: "1", Name: "robot-1"}})
	record(3, runlog.Record{Tool: "a[b]c", Code: tool.NotFound, Caller: runlog.Caller{Name: "ann"}})
	must(t, j.Start(runlog.Record{CallID: "e", Tool: "pay", Time: noon.Add(4 * time.Second)}))
	cases := []struct {
		name  string
		query runlog.Query
		want  string
	}{
		{"all", runlog.Query{}, "a:ok b:error c:error d:error e:running"},
		{"newest", runlog.Query{Limit: 2}, "d:error e:running"},
		{"tool", runlog.Query{Tool: "pay"}, "b:error e:running"},
		{"glob", runlog.Query{Tool: "find_*"}, "a:ok c:error"},
		{"brackets are no pattern", runlog.Query{Tool: "a[b]?"}, "d:error"},
		{"brackets are no class", runlog.Query{Tool: "[ap]*"}, ""},
		{"case counts", runlog.Query{Tool: "PAY*"}, ""},
		{"code", runlog.Query{Code: tool.Denied}, "b:error"},
		{"code ok", runlog.Query{Code: runlog.CodeOK}, "a:ok"},
		{"status", runlog.Query{Status: runlog.StatusError}, "b:error c:error d:error"},
		{"running", runlog.Query{Status: runlog.StatusRunning}, "e:running"},
		{"interrupted", runlog.Query{Status: runlog.StatusInterrupted}, ""},
		{"caller", runlog.Query{Caller: "robot-?"}, "a:ok b:error c:error"},
		{"caller ID", runlog.Query{CallerID: "1"}, "a:ok c:error"},
		{"chat", runlog.Query{Chat: "x"}, "a:ok"},
		{"decision", runlog.Query{Decision: "deny"}, "b:error"},
		{"rule", runlog.Query{Rule: "reads"}, "a:ok"},
		{"since", runlog.Query{Since: noon.Add(3 * time.Second)}, "d:error e:running"},
		{"call", runlog.Query{CallID: "c"}, "c:error"},
		{"before", runlog.Query{Limit: 2, Before: runlog.Cursor{Time: noon.Add(2 * time.Second), CallID: "c"}}, "a:ok b:error"},
		{"before, at the same time", runlog.Query{Limit: 1, Before: runlog.Cursor{Time: noon.Add(2 * time.Second), CallID: "d"}}, "c:error"},
	}
	for _, where := range []string{"journal", "store"} {
		for _, c := range cases {
			t.Run(where+", "+c.name, func(t *testing.T) {
				if diff := cmp.Diff(c.want, b.found(c.query)); diff != "" {
					t.Error(diff)
				}
			})
		}
		t.Run(where+", summary", func(t *testing.T) { b.summarised() })
		b.ship()
	}
}

func (b *bench) summarised() {
	b.t.Helper()
	got, _, err := runlog.Summarise(b.t.Context(), b.dir, b.store, runlog.Query{})
	must(b.t, err)
	var out []string
	for _, s := range got {
		out = append(out, fmt.Sprintf("%s %d/%d %v", s.Tool, s.Errors, s.Count, s.P95.Round(time.Millisecond)))
	}
	want := "a[b]c 1/1 3ms, find_customer 0/1 0s, find_order 1/1 2ms, pay 1/1 1ms"
	if diff := cmp.Diff(want, strings.Join(out, ", ")); diff != "" {
		b.t.Error(diff)
	}
}

// TestExpire keeps what is young and what runs, within the size.
func TestExpire(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	const calls = 3000
	pad := strings.Repeat("x", 1500)
	must(t, j.Start(runlog.Record{CallID: "runs", Tool: "t", Time: noon}))
	for i := range calls {
		must(t, j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: noon.Add(time.Duration(i) * time.Second), Result: pad}))
	}
	b.shipAll()
	left := func() int {
		entries, _, err := runlog.Find(t.Context(), b.dir, b.store, runlog.Query{Limit: runlog.MaxLimit})
		must(t, err)
		return len(entries)
	}
	expire := func(keep runlog.Keep) {
		for again := true; again; {
			var err error
			again, err = b.store.Expire(t.Context(), keep)
			must(t, err)
		}
	}
	expire(runlog.Keep{Age: time.Hour, Size: 1 << 30})
	if n := left(); n != calls+1 {
		t.Errorf("%d calls are left, want all", n)
	}
	const size = 3 << 20
	expire(runlog.Keep{Age: time.Hour, Size: size})
	if n := left(); n < 100 || n > 2001 || !strings.Contains(b.found(runlog.Query{CallID: "2999"}), "ok") {
		t.Errorf("%d calls are left, want the newest", n)
	}
	time.Sleep(2 * time.Millisecond)
	expire(runlog.Keep{Age: time.Millisecond})
	b.want("those that run", "runs:running")
	must(t, b.store.Close())
	b.open()
	must(t, b.store.Check(t.Context()))
	if info, err := os.Stat(b.path); err != nil || info.Size() > 5<<20 {
		t.Errorf("the file has %v, %v", info.Size(), err)
	}
}

// TestExpireLittle takes out no more than the size asks for, however large calls are.
func TestExpireLittle(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{MaxResult: runlog.MostKept})
	pad := strings.Repeat("x", 50_000)
	for i := range 40 { // 2 MB
		must(t, j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: noon.Add(time.Duration(i) * time.Second), Result: pad}))
	}
	b.shipAll()
	again, err := b.store.Expire(t.Context(), runlog.Keep{Size: 1_900_000})
	must(t, err)
	if again {
		t.Error("there is more to remove")
	}
	entries, _, err := runlog.Find(t.Context(), b.dir, b.store, runlog.Query{})
	must(t, err)
	if len(entries) != 37 || entries[0].CallID != "3" {
		t.Errorf("%d calls are left, want the 37 newest", len(entries))
	}
}
