package host

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// TestTidy delivers what many programs have left, and leaves a few journals to the
// next server.
func TestTidy(t *testing.T) {
	t.Parallel()
	cfg := &config.Store{URL: config.StorePrefix + filepath.Join(t.TempDir(), "gateway.db")}
	left := func() int {
		names, err := filepath.Glob(filepath.Join(cfg.Journal(), "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	for i := range maxJournals + 1 {
		Tidy(cfg)
		if left() != i {
			t.Fatalf("%d journals are left of %d", left(), i)
		}
		j, err := runlog.Open(cfg.Journal(), runlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.End(runlog.Record{CallID: fmt.Sprint(i), Tool: "t"}); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range maxJournals { // a slow machine has no time for all at once
		if Tidy(cfg); left() == 0 {
			break
		}
	}
	s, err := store.Open(t.Context(), cfg.File(), store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	found, err := s.Find(t.Context(), runlog.Query{Limit: 2 * maxJournals})
	if err != nil || len(found.Ended) != maxJournals+1 || left() != 0 {
		t.Errorf("%d calls are stored and %d journals left, %v", len(found.Ended), left(), err)
	}
}
