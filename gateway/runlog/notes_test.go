package runlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/runlog"
)

// TestReasonAndNotes: what was done to a call on its way is read as it was
// written, within limits.
func TestReasonAndNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journal, err := runlog.Open(dir, runlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	many := make([]string, runlog.MaxNotes+3)
	for i := range many {
		many[i] = fmt.Sprint("note ", i)
	}
	for id, r := range map[string]runlog.Record{
		"a": {CallReason: "for tea", Notes: []string{"one", "two"}},
		"b": {CallReason: strings.Repeat("x", runlog.MaxText+1), Notes: many},
	} {
		r.CallID, r.Tool = id, "pay"
		if err := journal.End(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		reason string
		notes  []string
	}{
		"a": {"for tea", []string{"one", "two"}},
		"b": {strings.Repeat("x", runlog.MaxText) + "… (1 more bytes)", append(many[:runlog.MaxNotes:runlog.MaxNotes], "… (3 more notes)")},
	} {
		entries, _, err := runlog.Read(dir, runlog.Query{Limit: 1, CallID: id})
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %d entries, %v", id, len(entries), err)
		}
		if entries[0].CallReason != want.reason {
			t.Errorf("%s: reason %q", id, entries[0].CallReason)
		}
		if d := cmp.Diff(want.notes, entries[0].Notes); d != "" {
			t.Errorf("%s: %s", id, d)
		}
	}
}
