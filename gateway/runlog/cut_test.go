package runlog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pile is a shelf in memory, and the archive of the same.
type pile struct {
	Archive
	positions map[string]int64
	calls     map[string]bool
}

func (p *pile) Positions(context.Context) (map[string]int64, error) {
	positions := map[string]int64{}
	for name, at := range p.positions {
		positions[name] = at
	}
	return positions, nil
}

func (p *pile) Deliver(_ context.Context, d Delivery) error {
	for i := range d.Items {
		p.calls[d.Items[i].CallID] = true
	}
	if d.Cut || d.Position >= p.positions[d.Journal] {
		p.positions[d.Journal] = d.Position
	}
	return nil
}

func (p *pile) Expire(context.Context, Keep) (bool, error) { return false, nil }

func (p *pile) Find(context.Context, Query) (Snapshot, error) {
	positions, err := p.Positions(context.Background())
	return Snapshot{Positions: positions}, err
}

// TestCutInPlace empties a journal while it is written, as a rotation by copying
// does: what comes after is found, followed and delivered.
func TestCutInPlace(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	put := func(id string, size int) {
		must(t, j.End(Record{CallID: id, Tool: "t", Time: time.Now(), Result: strings.Repeat("x", size)}))
	}
	p := &pile{positions: map[string]int64{}, calls: map[string]bool{}}
	var talk strings.Builder
	s := NewShipper(dir, p, ShipperOptions{Logger: slog.New(slog.NewTextHandler(&talk, nil))})
	put("before", 1000)
	must(t, s.round(t.Context()))
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must(t, err)
	must(t, os.Truncate(files[0], 0))
	put("after", 1)
	entries, _, err := Find(t.Context(), dir, p, Query{})
	must(t, err)
	if got := ids(entries); got != "after:ok" {
		t.Errorf("found %q in the journal", got)
	}
	for i := range 3 {
		put(fmt.Sprint("later", i), 1)
		must(t, s.round(t.Context()))
	}
	for _, id := range []string{"before", "after", "later0", "later1", "later2"} {
		if !p.calls[id] {
			t.Errorf("call %s was not delivered", id)
		}
	}
	if n := strings.Count(talk.String(), "a journal was cut"); n != 1 {
		t.Errorf("the log says it %d times: %s", n, talk.String())
	}
}
