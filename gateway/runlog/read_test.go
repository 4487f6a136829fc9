package runlog

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func ids(entries []Entry) string {
	var out []string
	for i := range entries {
		out = append(out, entries[i].CallID+":"+string(entries[i].Status))
	}
	return strings.Join(out, " ")
}

func TestQueries(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	for i, rec := range []Record{
		{CallID: "a", Tool: "find_customer"},
		{CallID: "b", Tool: "pay", Code: tool.Denied},
		{CallID: "c", Tool: "find_order", Code: tool.Timeout},
		{CallID: "d", Tool: "a.b/c\nd", Code: tool.NotFound},
		{CallID: "e", Tool: "find_customer"},
	} {
		rec.Time = noon.Add(time.Duration(i) * time.Minute)
		must(t, j.End(rec))
	}
	must(t, j.Start(Record{CallID: "f", Tool: "pay", Time: noon.Add(-time.Minute)}))
	cases := []struct {
		name  string
		query Query
		want  string
	}{
		{"all, oldest first", Query{}, "f:running a:ok b:error c:error d:error e:ok"},
		{"newest", Query{Limit: 2}, "d:error e:ok"},
		{"newest one", Query{Limit: 1}, "e:ok"},
		{"exact tool", Query{Tool: "pay"}, "f:running b:error"},
		{"glob", Query{Tool: "find_*"}, "a:ok c:error e:ok"},
		{"glob in the middle", Query{Tool: "*_cust?mer"}, "a:ok e:ok"},
		{"a name is no pattern", Query{Tool: "find.customer"}, ""},
		{"any text means any", Query{Tool: "a*d"}, "d:error"},
		{"glob is anchored", Query{Tool: "ay"}, ""},
		{"code", Query{Code: tool.Denied}, "b:error"},
		{"code ok is not running", Query{Code: CodeOK}, "a:ok e:ok"},
		{"since", Query{Since: noon.Add(3 * time.Minute)}, "d:error e:ok"},
		{"call", Query{CallID: "c"}, "c:error"},
		{"together, before the limit", Query{Tool: "find_*", Code: CodeOK, Limit: 1}, "e:ok"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			entries, _ := read(t, dir, c.query)
			if diff := cmp.Diff(c.want, ids(entries)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, limit := range []int{-1, MaxLimit + 1} {
		if _, _, err := Read(dir, Query{Limit: limit}); err == nil {
			t.Errorf("a limit of %d is taken", limit)
		}
	}
}

func TestEqualTimesAreInOneOrder(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	const calls = 40
	for i := range calls { // of two times, in turns
		must(t, j.Start(Record{CallID: strconv.Itoa(100 - i), Time: noon.Add(time.Duration(i%2) * time.Second)}))
	}
	for range 5 { // the order of a map would differ
		if entries, _ := read(t, dir, Query{Limit: 15}); ids(entries[:3]) != "71:running 73:running 75:running" {
			t.Error(ids(entries))
		}
	}
}

func TestStartWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, Options{})
	must(t, err)
	must(t, j.Start(Record{CallID: "a", Time: noon}))
	if entries, _ := read(t, dir, Query{}); ids(entries) != "a:running" || entries[0].Code != "" {
		t.Errorf("while its process lives: %+v", entries)
	}
	must(t, j.Close())
	if entries, _ := read(t, dir, Query{Code: tool.Interrupted}); ids(entries) != "a:interrupted" {
		t.Errorf("once it is gone: %+v", entries)
	}
}

func lineOf(t testing.TB, id string) string {
	t.Helper()
	l := newLine(kindEnd, &Record{CallID: id, Time: noon})
	var buf bytes.Buffer
	if err := encode(&buf, &l); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestBrokenLines(t *testing.T) {
	a, b := lineOf(t, "a"), lineOf(t, "b")
	large := `{"kind":"end","call_id":"x","pad":"` + strings.Repeat("x", MaxLine) + `"}` + "\n"
	cases := []struct {
		name, data, want string
		stats            Stats
	}{
		{"empty", "", "", Stats{Files: 1}},
		{"torn at the end", a + b[:20], "a:ok", Stats{Files: 1, Records: 1, Broken: 1}},
		{"torn inside", a[:20] + "\n" + b, "b:ok", Stats{Files: 1, Records: 1, Broken: 1}},
		{"torn after its last byte", a + strings.TrimSuffix(b, "\n"), "a:ok b:ok", Stats{Files: 1, Records: 2}},
		{"empty lines", "\n\n" + a + "\n" + b, "a:ok b:ok", Stats{Files: 1, Records: 2}},
		{"too long", a + large + b, "a:ok b:ok", Stats{Files: 1, Records: 2, TooLong: 1}},
		{"too long at the end", a + large[:MaxLine+9], "a:ok", Stats{Files: 1, Records: 1, TooLong: 1}},
		{"zeros", a + strings.Repeat("\x00", 100), "a:ok", Stats{Files: 1, Records: 1, Broken: 1}},
		{"unknown kind", strings.Replace(a, `"end"`, `"note"`, 1), "", Stats{Files: 1, Broken: 1}},
		{"no call", `{"kind":"end","time":"2026-03-01T12:00:00Z"}`, "", Stats{Files: 1, Broken: 1}},
		{"no time", `{"kind":"end","call_id":"a"}`, "", Stats{Files: 1, Broken: 1}},
		{"not an object", "[]\n7\nnull\n", "", Stats{Files: 1, Broken: 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "1"+fileSuffix), []byte(c.data), fileMode))
			must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("no journal"), fileMode))
			entries, stats := read(t, dir, Query{})
			if diff := cmp.Diff(c.want, ids(entries)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.stats, stats); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// While its process lives, a last line without a break is one on its way.
func TestLineOnItsWay(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	must(t, j.End(full()))
	_, err := j.file.WriteString(`{"kind":"end"`)
	must(t, err)
	if _, stats := read(t, dir, Query{}); stats != (Stats{Files: 1, Records: 1}) {
		t.Errorf("%+v", stats)
	}
}

func TestFoldersThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if entries, stats := read(t, filepath.Join(dir, "none"), Query{}); entries != nil || stats != (Stats{}) {
		t.Errorf("no folder: %v, %+v", entries, stats)
	}
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, fileMode))
	if _, _, err := Read(file, Query{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Read(%s) gives %v, which does not name it", file, err)
	}
}

// textFile is a journal that is no file.
type textFile struct{ *strings.Reader }

func (textFile) Close() error { return nil }

// FuzzReadJournal reads any bytes: it never fails, and a record that follows
// on a line of its own is found.
func FuzzReadJournal(f *testing.F) {
	start := strings.Replace(lineOf(f, "a"), `"end"`, `"start"`, 1)
	for _, seed := range []string{"", "\n", "{", start, start + lineOf(f, "a"), lineOf(f, "b")[:30], `{"kind":"end","call_id":"a","time":"x"}`, "\x00\xff"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, live bool) {
		s, err := newSelection(Query{CallID: "the last", Limit: MaxLimit})
		must(t, err)
		v := view{open: map[string]started{}, ended: func(e *Entry) { s.add(*e) }}
		must(t, v.readJournal(&opened{file: textFile{strings.NewReader(string(data) + "\n" + lineOf(t, "the last"))}, live: live}, 0))
		must(t, v.unended())
		if len(s.entries()) == 0 {
			t.Errorf("not found after %q", data)
		}
	})
}

// FuzzRecord records any texts: what comes back is one entry whose arguments
// are the same JSON, or the same text.
func FuzzRecord(f *testing.F) {
	for _, args := range []string{"", "{}", `{"a": [1, 2.50, "<\u2028>"]}`, `{"a":`, "\xff\n", `"text"`, "null"} {
		f.Add("pay", []byte(args), "fine")
	}
	f.Fuzz(func(t *testing.T, name string, args []byte, text string) {
		rec := Record{CallID: "c", Time: noon, Tool: name, Arguments: args, Result: text, Cause: text}.trimmed(Options{MaxArguments: DefaultMaxArguments, MaxResult: DefaultMaxResult})
		l := newLine(kindEnd, &rec)
		var buf bytes.Buffer
		must(t, encode(&buf, &l))
		var any bytes.Buffer
		slow := newLine(kindEnd, &rec)
		must(t, encodeAny(&any, &slow))
		if buf.String() != any.String() {
			t.Errorf("written as %s, by the library as %s", &buf, &any)
		}
		if n := bytes.Count(buf.Bytes(), []byte("\n")); n != 1 {
			t.Fatalf("%d lines: %q", n, buf.Bytes())
		}
		_, got, err := parseLine(buf.Bytes())
		must(t, err)
		want := string(rec.Arguments)
		if json.Valid(rec.Arguments) {
			want = compact(t, rec.Arguments)
		}
		if string(got.Arguments) != want {
			t.Errorf("arguments %q came back as %q", want, got.Arguments)
		}
	})
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var buf bytes.Buffer
	must(t, json.Compact(&buf, data))
	return buf.String()
}
