package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// following is a follower and what it told.
type following struct {
	told []string
	done chan error
}

var errEnough = errors.New("enough")

// follow follows until a call is told whose name begins with end.
func (b *bench) follow(archive runlog.Archive, q runlog.Query, starts bool) *following {
	b.t.Helper()
	f, err := runlog.NewFollower(b.t.Context(), b.dir, archive, q, starts)
	must(b.t, err)
	fw := &following{done: make(chan error, 1)}
	ctx, stop := context.WithTimeout(b.t.Context(), 20*time.Second)
	b.t.Cleanup(stop)
	go func() {
		fw.done <- f.Follow(ctx, func(e *runlog.Entry) error {
			if strings.HasPrefix(e.CallID, "end") {
				return errEnough
			}
			fw.told = append(fw.told, e.CallID+":"+string(e.Status))
			return nil
		}, func(err error) { b.t.Error(err) })
	}()
	return fw
}

func (b *bench) followed(f *following, want string) {
	b.t.Helper()
	if err := <-f.done; !errors.Is(err, errEnough) {
		b.t.Errorf("followed until %v", err)
	}
	if diff := cmp.Diff(want, strings.Join(f.told, " ")); diff != "" {
		b.t.Error(diff)
	}
}

// TestFollow follows while records are written, delivered and removed, each by
// followers with a store and without one: every call is told once, in the order in
// which calls ended.
func TestFollow(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{MaxFile: 1})
	end := func(id string) { must(t, j.End(runlog.Record{CallID: id, Tool: "t", Time: noon})) }
	end("before")
	b.ship()
	end("before too")
	must(t, j.Start(runlog.Record{CallID: "a", Tool: "t", Time: noon}))
	archived, plain := b.follow(b.store, runlog.Query{}, false), b.follow(nil, runlog.Query{}, false)
	starts, none := b.follow(b.store, runlog.Query{}, true), b.follow(b.store, runlog.Query{Tool: "other"}, true)
	must(t, j.Start(runlog.Record{CallID: "b", Tool: "t", Time: noon}))
	must(t, j.Start(runlog.Record{CallID: "c", Tool: "t", Time: noon}))
	for i := range 3 {
		end(fmt.Sprint(i))
		time.Sleep(300 * time.Millisecond) // a follower looks every 250 ms
		b.ship()
	}
	end("a")
	must(t, j.Close())
	time.Sleep(600 * time.Millisecond)
	b.ship()
	k := b.journal(runlog.Options{})
	must(t, k.End(runlog.Record{CallID: "end", Tool: "t", Time: noon}))
	b.followed(archived, "0:ok 1:ok 2:ok a:ok b:interrupted c:interrupted")
	b.followed(plain, "0:ok 1:ok 2:ok a:ok b:interrupted c:interrupted")
	b.followed(starts, "b:running c:running 0:ok 1:ok 2:ok a:ok b:interrupted c:interrupted")
	must(t, k.End(runlog.Record{CallID: "end", Tool: "other", Time: noon})) // of an id that was told: not told again
	must(t, k.End(runlog.Record{CallID: "x", Tool: "other", Time: noon}))
	must(t, k.End(runlog.Record{CallID: "end too", Tool: "other", Time: noon}))
	b.followed(none, "x:ok")
}

// TestUnreadableJournal delivers what can be read, and keeps on trying the rest.
func TestUnreadableJournal(t *testing.T) {
	b := newBench(t)
	b.record("a")
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(t, err)
	must(t, os.Chmod(files[0], 0))
	b.record("b")
	defer asNobody(t, b.dir)()
	if state := b.ship(); state.Err == nil || !strings.Contains(state.Err.Error(), files[0]) || state.Delivered != 1 {
		t.Errorf("shipped: %+v", state)
	}
	must(t, os.Chmod(files[0], 0o600))
	if state := b.ship(); state.Err != nil || state.Delivered != 1 {
		t.Errorf("shipped later: %+v", state)
	}
	b.want("both", "a:ok b:ok")
}

// expiring is a store that tells when it is asked to remove old calls.
type expiring struct {
	*store.Store
	asked func()
}

func (e expiring) Expire(context.Context, runlog.Keep) (bool, error) {
	e.asked()
	return false, nil
}

// TestUnreadableJournalKeepsNothingFromExpiring holds that old calls go, and new ones
// are delivered as fast as ever, beside a journal that cannot be read.
func TestUnreadableJournalKeepsNothingFromExpiring(t *testing.T) {
	b := newBench(t)
	b.record("a")
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(t, err)
	must(t, os.Chmod(files[0], 0))
	defer asNobody(t, b.dir)()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	asked := false
	shelf := expiring{b.store, func() { asked = true; stop() }}
	runlog.NewShipper(b.dir, shelf, runlog.ShipperOptions{Keep: runlog.Keep{Age: time.Hour}}).Run(ctx)
	if !asked {
		t.Error("nothing was removed")
	}
}
