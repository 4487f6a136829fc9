package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// outside is the file as another program opens it.
func outside(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := driver.Open("file:" + path)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (b *bench) record(ids ...string) {
	b.t.Helper()
	j := b.journal(runlog.Options{})
	for i, id := range ids {
		must(b.t, j.End(runlog.Record{CallID: id, Tool: "t", Time: noon.Add(time.Duration(i) * time.Second)}))
	}
	must(b.t, j.Close())
}

func (b *bench) told(text string) {
	b.t.Helper()
	if !strings.Contains(b.talk.String(), text) {
		b.t.Errorf("the log does not say %q:\n%s", text, b.talk.String())
	}
}

// TestLocked keeps records in the journal while another program keeps the file
// locked, and delivers them when it does not any more.
func TestLocked(t *testing.T) {
	b := newBench(t)
	conn, err := outside(t, b.path).Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	must(t, err)
	b.record("a", "b")
	state := b.ship()
	if state.Err == nil || !strings.Contains(state.Err.Error(), "another program keeps it locked") {
		t.Errorf("locked: %v", state.Err)
	}
	b.told("records of calls stay in the journals until they can be delivered")
	b.want("while it is locked", "a:ok b:ok")
	_, err = conn.ExecContext(t.Context(), `ROLLBACK`)
	must(t, err)
	if state := b.ship(); state.Err != nil || state.Delivered != 2 {
		t.Errorf("unlocked: %+v", state)
	}
	b.want("later", "a:ok b:ok")
	if n := b.journals(); n != 0 {
		t.Errorf("%d journals are left", n)
	}
}

// scribble writes over a part of the file.
func scribble(t *testing.T, path string, at, size int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	info, err := file.Stat()
	must(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\x00\xff", int(min(size, info.Size()-at)/2))), at)
	must(t, errors.Join(err, file.Close()))
}

func (b *bench) aside() []string {
	b.t.Helper()
	files, err := filepath.Glob(b.path + ".corrupt-*")
	must(b.t, err)
	return files
}

// TestCorrupt sets a corrupt file aside and begins a new one, whether it is found
// when it is opened or later; what lies in journals is in the new one.
func TestCorrupt(t *testing.T) {
	for name, at := range map[string]int64{"header": 0, "tables": 100} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.record("old")
			b.ship()
			must(t, b.store.Close())
			scribble(t, b.path, at, 1<<20)
			b.record("a", "b")
			b.open()
			if state := b.ship(); state.Err != nil {
				if state = b.ship(); state.Err != nil { // the first attempt may be what finds it
					t.Errorf("shipped: %v", state.Err)
				}
			}
			b.want("in the new file", "a:ok b:ok")
			b.told("the store is corrupt: it was set aside and a new one is begun")
			if len(b.aside()) == 0 {
				t.Error("the corrupt file is gone")
			}
		})
	}
}

// TestCorruptMeanwhile damages a file that is in use.
func TestCorruptMeanwhile(t *testing.T) {
	b := newBench(t)
	var ids []string
	for i := range 2000 {
		ids = append(ids, fmt.Sprint("old", i))
	}
	b.record(ids...)
	b.shipAll()
	must(t, b.store.Close()) // what is in the log of changes comes into the file
	b.open()
	scribble(t, b.path, 8192, 1<<30)
	b.record("a", "b")
	for range 3 {
		b.ship()
	}
	b.want("in the new file", "a:ok b:ok")
	b.told("the store is corrupt")
}

// TestCorruptTail skips what a journal holds that is no record, and says so.
func TestCorruptTail(t *testing.T) {
	b := newBench(t)
	b.record("a", "b")
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(t, err)
	file, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString("\x00\x00\x00 torn\n" + strings.Repeat("x", runlog.MaxLine+1) + "\n" + `{"kind":"end","call_id":"c","ti`)
	must(t, errors.Join(err, file.Close()))
	if state := b.ship(); state.Err != nil || state.Delivered != 2 || state.Unread != 3 {
		t.Errorf("shipped: %+v", state)
	}
	b.told("a journal holds lines that are no records: they were skipped")
	b.told("lines=3")
	b.want("what is whole", "a:ok b:ok")
}

// TestCutJournal delivers what is written to a journal after somebody emptied it.
func TestCutJournal(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	must(t, j.End(runlog.Record{CallID: "before", Tool: "t", Time: noon, Result: strings.Repeat("x", 1000)}))
	b.ship()
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(t, err)
	must(t, os.Truncate(files[0], 0))
	b.ship()
	for i := range 20 {
		must(t, j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: noon.Add(time.Duration(i+1) * time.Second)}))
	}
	all := "before:ok 0:ok 1:ok 2:ok 3:ok 4:ok 5:ok 6:ok 7:ok 8:ok 9:ok 10:ok 11:ok 12:ok 13:ok 14:ok 15:ok 16:ok 17:ok 18:ok 19:ok"
	b.want("in the journal", all)
	b.ship()
	must(t, j.Close())
	b.ship()
	b.want("in the store", all)
	b.told("a journal was cut by another program")
}

// TestClockGoesBack records calls while the clock is set back by years: all are
// found, followed, and kept.
func TestClockGoesBack(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	f, err := runlog.NewFollower(t.Context(), b.dir, b.store, runlog.Query{}, false)
	must(t, err)
	for i, years := range []int{0, -5, -10} {
		must(t, j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t", Time: time.Now().AddDate(years, 0, 0)}))
		b.ship()
	}
	again, err := b.store.Expire(t.Context(), runlog.Keep{Age: 30 * 24 * time.Hour})
	must(t, err)
	if again {
		t.Error("calls were removed")
	}
	b.want("all", "2:ok 1:ok 0:ok")
	var followed []string
	done := errors.New("done")
	err = f.Follow(t.Context(), func(e *runlog.Entry) error {
		if followed = append(followed, e.CallID); len(followed) == 3 {
			return done
		}
		return nil
	}, func(err error) { t.Error(err) })
	if !errors.Is(err, done) || strings.Join(followed, " ") != "0 1 2" {
		t.Errorf("followed %v, %v", followed, err)
	}
}

// TestRefused leaves files alone that are not ours to use.
func TestRefused(t *testing.T) {
	cases := []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"newer version", func(t *testing.T, path string) {
			s, err := store.Open(t.Context(), path, store.Options{})
			must(t, err)
			must(t, s.Close())
			_, err = outside(t, path).Exec(`PRAGMA journal_mode = delete; PRAGMA user_version = 999`)
			must(t, err)
		}, "it was written by a newer version of the gateway (format 999"},
		{"another program's", func(t *testing.T, path string) {
			_, err := outside(t, path).Exec(`CREATE TABLE t (x); INSERT INTO t VALUES (1)`)
			must(t, err)
		}, "it is the database of another program"},
		{"a text", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("version: 1\n"), 0o600))
		}, "it is a text and no database"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "gateway.db")
			c.make(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			for _, readOnly := range []bool{false, true} {
				_, err = store.Open(t.Context(), path, store.Options{ReadOnly: readOnly})
				if !errors.Is(err, store.ErrRefused) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("opened: %v", err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// TestMovedAway goes on in a new file when somebody moved the old one.
func TestMovedAway(t *testing.T) {
	b := newBench(t)
	b.record("old")
	b.ship()
	must(t, os.Rename(b.path, b.path+".moved"))
	b.record("new")
	if state := b.ship(); state.Err != nil {
		t.Error(state.Err)
	}
	b.want("in the new file", "new:ok")
}
