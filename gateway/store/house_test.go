package store_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a folder of journals and a store beside it.
type bench struct {
	t     *testing.T
	dir   string
	path  string
	store *store.Store
	talk  strings.Builder
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(root, "journal"), path: filepath.Join(root, "gateway.db")}
	b.open()
	return b
}

func (b *bench) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&b.talk, nil)) }

func (b *bench) open() {
	b.t.Helper()
	s, err := store.Open(b.t.Context(), b.path, store.Options{Logger: b.logger()})
	must(b.t, err)
	b.store = s
	b.t.Cleanup(func() { _ = s.Close() })
}

func (b *bench) journal(opts runlog.Options) *runlog.Journal {
	b.t.Helper()
	j, err := runlog.Open(b.dir, opts)
	must(b.t, err)
	b.t.Cleanup(func() { _ = j.Close() })
	return j
}

// ship makes one round, as a server does that stops at once.
func (b *bench) ship() runlog.Shipping {
	b.t.Helper()
	s := runlog.NewShipper(b.dir, b.store, runlog.ShipperOptions{Logger: b.logger()})
	ctx, stop := context.WithCancel(b.t.Context())
	stop()
	s.Run(ctx)
	return s.State()
}

// shipAll makes rounds until one goes well: each has its time, and this machine may
// be slow.
func (b *bench) shipAll() {
	b.t.Helper()
	var err error
	for range 20 {
		if err = b.ship().Err; err == nil {
			return
		}
	}
	b.t.Fatal(err)
}

// found is what a query finds, in the store and the journals.
func (b *bench) found(q runlog.Query) string {
	b.t.Helper()
	entries, _, err := runlog.Find(b.t.Context(), b.dir, b.store, q)
	must(b.t, err)
	var out []string
	for i := range entries {
		out = append(out, entries[i].CallID+":"+string(entries[i].Status))
	}
	return strings.Join(out, " ")
}

func (b *bench) journals() int {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.dir, "*.jsonl"))
	must(b.t, err)
	return len(files)
}

func (b *bench) want(what, want string) {
	b.t.Helper()
	if got := b.found(runlog.Query{}); got != want {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
