package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func full() Record {
	return Record{
		CallID: "call_1", Parent: "call_0", Time: noon, Tool: "pay",
		Caller: Caller{ID: "u1", Name: "support", Kind: tool.KindMCP}, Via: tool.ViaDirect, ReadOnly: true,
		Arguments: json.RawMessage(`{"amount":12345678901234567890.10,"to":"<a&b>"}`), Result: "paid\nall",
		Decision: "allow", Rule: "small payments", Reason: "Payment of 5", Code: tool.UpstreamError,
		Error: "the shop said no", Cause: "status 500", Duration: 1234567 * time.Microsecond,
	}
}

func open(t *testing.T, dir string, opts Options) *Journal {
	t.Helper()
	j, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func read(t *testing.T, dir string, q Query) ([]Entry, Stats) {
	t.Helper()
	entries, stats, err := Read(dir, q)
	if err != nil {
		t.Fatal(err)
	}
	return entries, stats
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordComesBackWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "journal")
	j := open(t, dir, Options{})
	must(t, j.Start(full()))
	must(t, j.End(full()))
	got, stats := read(t, dir, Query{})
	if diff := cmp.Diff([]Entry{{Record: full(), Status: StatusError}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Stats{Files: 1, Records: 2}, stats); diff != "" {
		t.Error(diff)
	}
}

func TestModesAndLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j := open(t, dir, Options{})
	must(t, j.End(full()))
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | dirMode, j.file.path: fileMode} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode() != want {
			t.Errorf("mode of %s is %v, want %v", path, info.Mode(), want)
		}
	}
	data, err := os.ReadFile(j.file.path)
	must(t, err)
	const want = `{"kind":"end","call_id":"call_1","parent":"call_0","time":"2026-03-01T12:00:00.123456Z","tool":"pay",` +
		`"caller":{"id":"u1","name":"support","kind":"mcp"},"via":"direct","read_only":true,` +
		`"arguments":{"amount":12345678901234567890.10,"to":"<a&b>"},"result":"paid\nall","decision":"allow",` +
		`"rule":"small payments","reason":"Payment of 5","code":"upstream_error","error":"the shop said no",` +
		`"cause":"status 500","duration_ms":1234.567}` + "\n"
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestEntryAsJSON(t *testing.T) {
	cases := map[string]struct {
		entry Entry
		want  string
	}{
		"ended": {
			Entry{Record{CallID: "c", Time: noon, Tool: "pay", Arguments: json.RawMessage(`{"a":1}`), Duration: time.Millisecond}, StatusOK},
			`{"status":"ok","call_id":"c","time":"2026-03-01T12:00:00.123456Z","tool":"pay","caller":{},"arguments":{"a":1},"duration_ms":1}`,
		},
		"not JSON": {
			Entry{Record{CallID: "c", Time: noon, Tool: "pay", Arguments: json.RawMessage(`{"a":`)}, StatusError},
			`{"status":"error","call_id":"c","time":"2026-03-01T12:00:00.123456Z","tool":"pay","caller":{},"arguments_text":"{\"a\":"}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(c.entry)
			must(t, err)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFinish(t *testing.T) {
	text := tool.TextOutput("fine")
	failed := tool.Errorf(tool.Timeout, "too slow").Because(errors.New("deadline"))
	cases := map[string]struct {
		result tool.Result
		want   Record
	}{
		"ok":    {tool.Result{Output: text, Duration: time.Second}, Record{Result: "fine", Duration: time.Second}},
		"error": {tool.Result{Output: text, Error: failed}, Record{Code: tool.Timeout, Error: "too slow", Cause: "deadline"}},
		"plain": {tool.Result{Error: tool.Errorf(tool.Denied, "no")}, Record{Code: tool.Denied, Error: "no"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got Record
			got.Finish(&c.result)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextsAreCut(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	cases := map[string]struct {
		rec  Record
		opts Options
		want func(Record) string
		text string
	}{
		"tool name":        {Record{Tool: strings.Repeat("é", 300)}, Options{}, func(r Record) string { return r.Tool }, strings.Repeat("é", 256) + "… (88 more bytes)"},
		"cause":            {Record{Cause: strings.Repeat("x", 4001)}, Options{}, func(r Record) string { return r.Cause }, strings.Repeat("x", 4000) + "… (1 more bytes)"},
		"result":           {Record{Result: "日本語"}, Options{MaxResult: 2}, func(r Record) string { return r.Result }, "日本… (3 more bytes)"},
		"result that fits": {Record{Result: "日本"}, Options{MaxResult: 2}, func(r Record) string { return r.Result }, "日本"},
		"arguments": {
			Record{Arguments: json.RawMessage(`{"a": 1}`)},
			Options{MaxArguments: 7},
			func(r Record) string { return string(r.Arguments) },
			`{"$omitted":"8 bytes of arguments, more than the 7 that the log keeps"}`,
		},
		"arguments that fit":      {Record{Arguments: json.RawMessage(`{"a": 1}`)}, Options{MaxArguments: 8}, func(r Record) string { return string(r.Arguments) }, `{"a":1}`},
		"arguments not JSON":      {Record{Arguments: json.RawMessage("{\"a\n")}, Options{}, func(r Record) string { return string(r.Arguments) }, "{\"a\n"},
		"arguments not UTF-8":     {Record{Arguments: json.RawMessage("{\"a\":\"\xff\"}")}, Options{}, func(r Record) string { return string(r.Arguments) }, "{\"a\":\"\uFFFD\"}"},
		"arguments of 10k levels": {Record{Arguments: json.RawMessage(deep)}, Options{}, func(r Record) string { return string(r.Arguments) }, deep},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := open(t, dir, c.opts)
			c.rec.CallID = "c"
			must(t, j.End(c.rec))
			entries, stats := read(t, dir, Query{})
			if len(entries) != 1 || stats.Broken != 0 {
				t.Fatalf("%d entries, %+v", len(entries), stats)
			}
			if diff := cmp.Diff(c.text, c.want(entries[0].Record)); diff != "" {
				t.Error(diff)
			}
			if _, err := json.Marshal(entries[0]); err != nil {
				t.Error(err)
			}
		})
	}
}

// The largest record there can be is still a line that is read.
func TestLargestRecord(t *testing.T) {
	dir, worst := t.TempDir(), func(n int) string { return strings.Repeat("\x01", n) }
	j := open(t, dir, Options{MaxArguments: MostKept, MaxResult: MostKept})
	must(t, j.End(Record{
		CallID: worst(MaxName + 1), Parent: worst(MaxName + 1), Tool: worst(MaxName + 1), Rule: worst(MaxName + 1),
		Caller:    Caller{ID: worst(MaxName + 1), Name: worst(MaxName + 1)},
		Arguments: json.RawMessage(worst(MostKept)), Result: worst(MostKept + 1),
		Reason: worst(MaxText + 1), Error: worst(MaxText + 1), Cause: worst(MaxText + 1),
	}))
	if entries, stats := read(t, dir, Query{}); len(entries) != 1 || stats.TooLong != 0 {
		t.Errorf("%d entries, %+v", len(entries), stats)
	}
}

func TestTimeWhenNotGiven(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	must(t, j.End(Record{CallID: "c", Duration: time.Hour}))
	entries, _ := read(t, dir, Query{})
	if ago := time.Since(entries[0].Time); ago < time.Hour || ago > time.Hour+time.Minute {
		t.Errorf("the call came in %v ago, want an hour", ago)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, Options{MaxArguments: MostKept + 1}); err == nil {
		t.Error("Open takes any limit")
	}
	j, err := Open(dir, Options{})
	must(t, err)
	if err := j.End(Record{Tool: "pay"}); err == nil {
		t.Error("a call without an identifier is recorded")
	}
	must(t, j.Close())
	must(t, j.Close())
	if err := j.Start(full()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Start after Close gives %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("an unused journal leaves %v (%v)", files, err)
	}
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, fileMode))
	if _, err := Open(file, Options{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open of a file gives %v", err)
	}
}

func TestManyWriters(t *testing.T) {
	const journals, goroutines, calls = 3, 20, 20
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range journals {
		j := open(t, dir, Options{})
		for k := range goroutines {
			all.Go(func() {
				for n := range calls {
					rec := Record{CallID: fmt.Sprintf("%d-%d-%d", i, k, n), Tool: "pay"}
					if err := errors.Join(j.Start(rec), j.End(rec)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	const total = journals * goroutines * calls
	entries, stats := read(t, dir, Query{Limit: 2 * total})
	if diff := cmp.Diff(Stats{Files: journals, Records: 2 * total}, stats); diff != "" || len(entries) != total {
		t.Errorf("%d entries of %d; %s", len(entries), total, diff)
	}
}

// TestFolderRemoved takes the folder away under an open journal: what is
// recorded from then on is in a new one.
func TestFolderRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	for _, id := range []string{"before", "after"} {
		if err := j.End(Record{CallID: id, Tool: "t"}); err != nil {
			t.Fatal(err)
		}
		if id == "before" {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, _, err := Read(dir, Query{})
	if err != nil || len(entries) != 1 || entries[0].CallID != "after" {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestOtherFiles puts things into the folder that are no journals.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if entries, _, err := Read(dir, Query{}); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
