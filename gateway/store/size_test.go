package store_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestOthersPushNothingOut fills the file with chats and kept results: no call has
// to go for them.
func TestOthersPushNothingOut(t *testing.T) {
	b := newBench(t)
	b.record("a", "b")
	b.shipAll()
	const size = 1 << 20
	var chats []chat.Saved
	var kept []handle.Entry
	for i := range 64 {
		chats = append(chats, chat.Saved{Key: chat.Key{Caller: "ann", ID: fmt.Sprint(i)}, Context: bytes.Repeat([]byte("x"), chat.MaxContext), Made: noon, Used: noon})
		kept = append(kept, handle.Entry{Name: handle.Name{Kind: handle.KindCall, Caller: "ann", ID: fmt.Sprint(i)}, Ended: noon, Data: make([]byte, chat.MaxContext)})
	}
	must(t, b.store.UseChats(t.Context(), chats))
	must(t, b.store.Keep(t.Context(), kept, nil))
	again, err := b.store.Expire(t.Context(), runlog.Keep{Size: size})
	must(t, err)
	if again {
		t.Error("there is more to remove")
	}
	b.want("beside chats and results", "a:ok b:ok")
}

// TestSizeOfCalls holds what calls are counted as against what the file takes, which
// is up to twice as much where rows do not fill its pages,
// through all that happens to them, and that nothing is left of it in the end.
func TestSizeOfCalls(t *testing.T) {
	for _, pad := range []int{0, 1000, 10_000} {
		b := newBench(t)
		j := b.journal(runlog.Options{})
		const calls = 2000
		for i := range calls {
			r := runlog.Record{CallID: tool.NewCallID(), Tool: "find_customer", Caller: runlog.Caller{ID: "robot-1", Name: "robot-1"}, Time: noon.Add(time.Duration(i) * time.Second)}
			must(t, j.Start(r))
			if i%2 == 0 {
				b.shipSome(i)
			}
			r.Result = strings.Repeat("x", pad)
			must(t, j.End(r))
		}
		b.shipAll()
		var counted, pages int64
		db := outside(t, b.path)
		must(t, db.QueryRowContext(t.Context(), `SELECT bytes FROM changes`).Scan(&counted))
		must(t, db.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages))
		used := pages * 4096
		t.Logf("%d bytes a call: %d counted, %d in the file", pad, counted/calls, used/calls)
		if counted < used/2 || counted > used*5/4 {
			t.Errorf("%d bytes are counted, and the file has %d", counted, used)
		}
		must(t, j.Close())
		for again := true; again; {
			var err error
			again, err = b.store.Expire(t.Context(), runlog.Keep{Size: 1})
			must(t, err)
		}
		must(t, db.QueryRowContext(t.Context(), `SELECT bytes FROM changes`).Scan(&counted))
		if counted != 0 {
			t.Errorf("%d bytes are counted of no calls", counted)
		}
	}
}

// shipSome ships now and then, so that starts arrive without their ends.
func (b *bench) shipSome(i int) {
	b.t.Helper()
	if i%500 == 0 {
		b.shipAll()
	}
}

// withoutLater undoes what came after the size of the log.
const withoutLater = `DROP TABLE chat_files; DROP TABLE contents; DROP TABLE content_parts; DROP TABLE hints; DROP TABLE hint_clock; DROP TABLE keys; DROP TABLE approvals; DROP TABLE approval_grants; DROP TABLE limit_keys; DROP TABLE limit_calls; DROP INDEX chats_edited; DROP TABLE chat_clock; ALTER TABLE chats DROP COLUMN edited;
ALTER TABLE chats DROP COLUMN found; ALTER TABLE chats DROP COLUMN requests; ALTER TABLE chats DROP COLUMN active_groups;`

// TestSizeOfOlder counts what an older version of the program has kept.
func TestSizeOfOlder(t *testing.T) {
	b := newBench(t)
	b.record("a", "b")
	b.shipAll()
	must(t, b.store.Close())
	counted := func() (n int64) {
		must(t, outside(t, b.path).QueryRowContext(t.Context(), `SELECT bytes FROM changes`).Scan(&n))
		return n
	}
	want := counted()
	_, err := outside(t, b.path).ExecContext(t.Context(), withoutLater+`DROP TRIGGER calls_come; DROP TRIGGER calls_change; DROP TRIGGER calls_go;
ALTER TABLE changes DROP COLUMN bytes; PRAGMA user_version = 3; PRAGMA wal_checkpoint(truncate)`)
	must(t, err)
	b.open()
	if got := counted(); want == 0 || got != want {
		t.Errorf("%d bytes are counted, want %d", got, want)
	}
	b.want("in the older file", "a:ok b:ok")
}
