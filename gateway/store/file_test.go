package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// filing is a desk over a store of its own.
type filing struct {
	*chat.Desk
	t     *testing.T
	path  string
	store *store.Store
}

func newFiling(t *testing.T, limits chat.FilesConfig) *filing {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gateway.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	d := chat.Open(t.Context(), s, chat.Options{Files: s, Limits: chat.Config{Files: limits, MostPerCaller: 3}})
	t.Cleanup(func() { must(t, errors.Join(d.Close(), s.Close())) })
	return &filing{d, t, path, s}
}

// put puts a text, and says what came of it.
func (f *filing) put(key chat.Key, path, text string) string {
	f.t.Helper()
	file, fresh, err := f.PutFile(f.t.Context(), key, chat.Upload{Path: path, Body: strings.NewReader(text)})
	if err != nil {
		return said(err)
	}
	if sum := sha256.Sum256([]byte(text)); file.Digest != hex.EncodeToString(sum[:]) || file.Size != int64(len(text)) || time.Since(file.Changed) > time.Hour {
		f.t.Errorf("%+v is no description of %.20q", file, text)
	}
	if fresh {
		return "new " + file.Media
	}
	return "replaced " + file.Media
}

func said(err error) string {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return string(e.Code) + ": " + e.Message
	}
	return "no tool.Error: " + err.Error()
}

// list are the paths of a chat's files.
func (f *filing) list(key chat.Key) string {
	f.t.Helper()
	files, err := f.Files(f.t.Context(), key)
	must(f.t, err)
	var out []string
	for i := range files {
		out = append(out, files[i].Path)
	}
	return strings.Join(out, " ")
}

func (f *filing) read(who, id, path string) string {
	f.t.Helper()
	file, data, err := f.ReadFile(f.t.Context(), tool.Caller{ID: who}, id, path)
	if err != nil {
		return said(err)
	}
	if int64(len(data)) != file.Size {
		f.t.Errorf("%d bytes were read of %+v", len(data), file)
	}
	return string(data)
}

// rows are what the store has of files, of contents and of their parts.
func (f *filing) rows() string {
	f.t.Helper()
	var files, contents, parts int
	must(f.t, outside(f.t, f.path).QueryRowContext(f.t.Context(), `SELECT (SELECT COUNT(*) FROM chat_files), (SELECT COUNT(*) FROM contents), (SELECT COUNT(*) FROM content_parts)`).
		Scan(&files, &contents, &parts))
	return fmt.Sprint(files, contents, parts)
}

func (f *filing) exec(query string) {
	f.t.Helper()
	_, err := outside(f.t, f.path).ExecContext(f.t.Context(), query)
	must(f.t, err)
}

const gone = "not_found: this chat has no such file"

// TestFiles puts, reads, lists, replaces and deletes files, one after another.
func TestFiles(t *testing.T) {
	f := newFiling(t, chat.FilesConfig{Most: 4, Size: 1 << 20, Total: 1<<20 + 100, Types: []string{"text/*", ".bin"}})
	ann, bob := chat.Key{Caller: "ann", ID: "c"}, chat.Key{Caller: "bob", ID: "c"}
	long := strings.Repeat("0123456789abcdef", chat.PartSize/16)
	for _, step := range []struct {
		key              chat.Key
		path, text, want string
	}{
		{ann, "a.csv", "1,2", "new text/csv"},
		{ann, "a.csv", "", "replaced text/csv"},
		{ann, "A.CSV", "x", "new text/csv"},
		{ann, "d/noext", "plain", "new text/plain"},
		{ann, "d", "x", `invalid_args: "d" would be a file, and the folder of "d/noext" too`},
		{ann, "a.csv/b", "x", `invalid_args: "a.csv" would be a file, and the folder of "a.csv/b" too`},
		{ann, "d/noext/b/c", "x", `invalid_args: "d/noext" would be a file, and the folder of "d/noext/b/c" too`},
		{ann, "../x", "x", `invalid_args: the path "../x" has the segment ".."`},
		{ann, "a.png", "x", `invalid_args: the file "a.png" is image/png, and such files are not taken`},
		{ann, "l.bin", long + long + "end", "new text/plain"},
		{ann, "e.txt", "x", "denied: the chat may have 4 files, and this would be more"},
		{ann, "a.csv", strings.Repeat("x", 1<<20), "denied: the files of the chat may have 1048676 bytes together: with 524297 bytes that are there, 1048576 bytes more do not fit"},
		{ann, "a.csv", strings.Repeat("x", 1<<20+1), `invalid_args: the file "a.csv" has more than 1 MiB, which is the most of one file`},
		{bob, "a.csv", strings.Repeat("x", 1<<20), "new text/csv"},
	} {
		got := f.put(step.key, step.path, step.text)
		if strings.HasPrefix(step.want, "denied: the files") {
			got, step.want = got[:25], step.want[:25]
		}
		if got != step.want {
			t.Errorf("%v %s: %s, want %s", step.key, step.path, got, step.want)
		}
	}
	if got := f.list(ann) + "|" + f.list(bob) + "|" + f.list(chat.Key{Caller: "cid", ID: "c"}) + "|" + f.list(chat.Key{Caller: "ann", ID: "d"}); got != "A.CSV a.csv d/noext l.bin|a.csv||" {
		t.Errorf("listed are %s", got)
	}
	for want, got := range map[string]string{
		"":                  f.read("ann", "c", "a.csv"),
		"x":                 f.read("ann", "c", "A.CSV"),
		long + long + "end": f.read("ann", "c", "l.bin"),
		gone:                f.read("cid", "c", "a.csv"),
	} {
		if got != want {
			t.Errorf("%.60q was read, want %.60q", got, want)
		}
	}
	if got := f.read("bob", "c", "A.CSV"); got != gone {
		t.Errorf("bob reads %q", got)
	}
	if got := f.rows(); got != "5 5 10" { // 1 + 1 + 1 + 3 parts of ann and 4 of bob
		t.Errorf("the store has %s", got)
	}
	var out bytes.Buffer
	file, content, err := f.OpenFile(t.Context(), ann, "l.bin")
	must(t, err)
	if _, err := io.Copy(&out, io.NewSectionReader(content, chat.PartSize-1, 1<<40)); err != nil || out.String() != (long + long + "end")[chat.PartSize-1:] {
		t.Errorf("%d bytes, %v of %+v", out.Len(), err, file)
	}
	for _, step := range []struct {
		key  chat.Key
		path string
		want error
	}{{bob, "l.bin", chat.ErrNoFile}, {ann, "l.bin", nil}, {ann, "l.bin", chat.ErrNoFile}, {chat.Key{Caller: "cid", ID: "c"}, "a.csv", chat.ErrNoFile}, {ann, "d", chat.ErrNoFile}} {
		if err := f.DeleteFile(t.Context(), step.key, step.path, nil); !errors.Is(err, step.want) || err != nil && said(err) != gone {
			t.Errorf("%v: %v", step, err)
		}
	}
	if _, err := content.ReadAt(make([]byte, 10), 0); err == nil {
		t.Error("what is gone is read")
	}
	if ok, err := f.Drop(t.Context(), ann); !ok || err != nil || f.list(ann) != "" || f.read("ann", "c", "a.csv") != gone {
		t.Errorf("%v, %v: %s", ok, err, f.list(ann))
	}
	if got := f.rows(); got != "1 1 4" {
		t.Errorf("the store has %s", got)
	}
}

// TestFileConditions holds that what is at a path is looked at before it is replaced or
// deleted.
func TestFileConditions(t *testing.T) {
	f := newFiling(t, chat.FilesConfig{})
	key := chat.Key{Caller: "ann", ID: "c"}
	absent := func(now *chat.File) bool { return now == nil }
	put := func(meets func(*chat.File) bool) error {
		_, _, err := f.PutFile(t.Context(), key, chat.Upload{Path: "a", Body: strings.NewReader("x"), Meets: meets})
		return err
	}
	must(t, put(absent))
	if err := put(absent); !errors.Is(err, chat.ErrFileChanged) {
		t.Error(err)
	}
	if err := f.DeleteFile(t.Context(), key, "a", absent); !errors.Is(err, chat.ErrFileChanged) {
		t.Error(err)
	}
	must(t, f.DeleteFile(t.Context(), key, "a", func(now *chat.File) bool { return now.Size == 1 }))
	if got := f.rows(); got != "0 0 0" {
		t.Errorf("the store has %s", got)
	}
}

// TestSaveFiles holds that a program puts all of its files or none.
func TestSaveFiles(t *testing.T) {
	f := newFiling(t, chat.FilesConfig{Most: 4, Size: 100, Total: 150})
	ann := tool.Caller{ID: "ann"}
	file := func(path string, size int) chat.NewFile { return chat.NewFile{Path: path, Data: make([]byte, size)} }
	for _, step := range []struct {
		files []chat.NewFile
		want  string
		list  string
	}{
		{nil, "", ""},
		{[]chat.NewFile{file("a", 90), file("b/c", 60)}, "", "a b/c"},
		{[]chat.NewFile{file("d", 0), file("e", 0), file("f", 0)}, "denied: the chat may have 4 files, and this would be more", "a b/c"},
		{[]chat.NewFile{file("d", 0), file("b", 0)}, `invalid_args: "b" would be a file, and the folder of "b/c" too`, "a b/c"},
		{[]chat.NewFile{file("d", 0), file("d/x", 0)}, `invalid_args: "d" would be a file, and the folder of "d/x" too`, "a b/c"},
		{[]chat.NewFile{file("d", 0), file("d", 0)}, `invalid_args: the file "d" is given twice`, "a b/c"},
		{[]chat.NewFile{file("d", 0), file("a", 101)}, `invalid_args: the file "a" has more than 100 bytes, which is the most of one file`, "a b/c"},
		{[]chat.NewFile{file("d", 0), file("a", 91)}, "denied: the files of the chat may have 150 bytes together: with 150 bytes that are there, 1 bytes more do not fit", "a b/c"},
		{[]chat.NewFile{file("d", 0), file("a/../b", 1)}, `invalid_args: the path "a/../b" has the segment ".."`, "a b/c"},
		{[]chat.NewFile{file("d", 0), {Path: "a", Media: "nonsense"}}, `invalid_args: "nonsense" is no media type`, "a b/c"},
		{[]chat.NewFile{file("a", 0), file("d", 90)}, "", "a b/c d"},
	} {
		err := f.SaveFiles(t.Context(), ann, "c", step.files)
		if err == nil && step.want != "" || err != nil && said(err) != step.want {
			t.Errorf("%v, want %s", err, step.want)
		}
		if got := f.list(chat.Key{Caller: "ann", ID: "c"}); got != step.list {
			t.Errorf("after %v: %s, want %s", err, got, step.list)
		}
	}
	if err := f.SaveFiles(t.Context(), ann, "big", []chat.NewFile{file("a", 90), file("b", 90)}); err == nil {
		t.Error("more than a chat may have was saved")
	}
	if _, ok := f.Show(chat.Key{Caller: "ann", ID: "big"}); ok {
		t.Error("a chat was made of files that do not fit")
	}
	for i, want := range []string{"", "", "denied: this caller has 3 chats that hold something, and may have no more"} {
		if err := f.SaveFiles(t.Context(), ann, fmt.Sprint(i), []chat.NewFile{file("a", 1)}); err != nil && said(err) != want || err == nil && want != "" {
			t.Errorf("chat %d: %v, want %s", i, err, want)
		}
	}
	if got := f.rows(); got != "5 5 5" {
		t.Errorf("the store has %s", got)
	}
}

// TestFileQuota puts 50 files at a time, by two processes: never is there more than a
// chat may have, and nothing is left of what was refused.
func TestFileQuota(t *testing.T) {
	for name, limits := range map[string]chat.FilesConfig{"most": {Most: 7}, "total": {Size: 1000, Total: 7999}} {
		f := newFiling(t, limits)
		other, err := store.Open(t.Context(), f.path, store.Options{})
		must(t, err)
		second := chat.Open(t.Context(), other, chat.Options{Files: other, Limits: chat.Config{Files: limits}})
		key := chat.Key{Caller: "ann", ID: "c"}
		var fine, refused, locked atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			desk := []*chat.Desk{f.Desk, second}[i%2]
			all.Go(func() {
				for {
					_, _, err := desk.PutFile(t.Context(), key, chat.Upload{Path: fmt.Sprint(i), Body: bytes.NewReader(make([]byte, 1000))})
					switch e, _ := errors.AsType[*tool.Error](err); {
					case err == nil:
						fine.Add(1)
					case e.Code == tool.Denied:
						refused.Add(1)
					case e.Retryable: // this machine is slow
						locked.Add(1)
						continue
					default:
						t.Errorf("%s: %v", name, err)
					}
					return
				}
			})
		}
		all.Wait()
		must(t, errors.Join(second.Close(), other.Close()))
		if fine.Load() != 7 || refused.Load() != 43 {
			t.Errorf("%s: %d were put and %d refused (%d times the store was locked)", name, fine.Load(), refused.Load(), locked.Load())
		}
		f.sweep()
		if got := f.rows(); got != "7 7 7" {
			t.Errorf("%s: the store has %s", name, got)
		}
	}
}

// sweep clears what is to be cleared.
func (f *filing) sweep() {
	f.t.Helper()
	for again := true; again; {
		var err error
		again, err = f.store.ClearFiles(f.t.Context(), time.Time{})
		must(f.t, err)
	}
}

// TestFilesExpire holds that files go with their chat, also when a new one of the name
// comes before the old one was forgotten, and by their own age.
func TestFilesExpire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	key := chat.Key{Caller: "ann", ID: "c"}
	session := func(keep time.Duration, use func(f *filing)) {
		s, err := store.Open(t.Context(), path, store.Options{})
		must(t, err)
		d := chat.Open(t.Context(), s, chat.Options{Files: s, KeepFiles: keep, Limits: chat.Config{Idle: time.Hour}})
		f := &filing{d, t, path, s}
		use(f)
		must(t, errors.Join(d.Close(), s.Close())) // which sweeps
	}
	begin := func(f *filing) {
		if got := f.put(key, "a", "old") + f.put(key, "b", "old"); got != "new text/plainnew text/plain" {
			t.Error(got)
		}
	}
	const old = `UPDATE chats SET used = used - 7200000000, made = made - 7200000000; UPDATE chat_files SET changed = changed - 7200000000 WHERE path = 'a'`
	session(0, func(f *filing) {
		begin(f)
		f.exec(old)
	})
	session(0, func(f *filing) { // the server has not forgotten it yet
		if got := f.list(key) + f.read("ann", "c", "b"); got != gone {
			t.Error(got)
		}
		if got := f.put(key, "c", "new"); got != "new text/plain" || f.list(key) != "c" {
			t.Errorf("%s, %s", got, f.list(key))
		}
	})
	session(0, func(f *filing) {
		if got := f.rows() + f.list(key); got != "1 1 1c" {
			t.Error(got)
		}
		if _, err := f.Drop(t.Context(), key); err != nil {
			t.Error(err)
		}
		begin(f)
		f.exec(`UPDATE chats SET made = made - 7200000000; UPDATE chat_files SET changed = changed - 7200000000 WHERE path = 'a'`)
	})
	session(time.Hour, func(f *filing) {
		if got := f.list(key) + f.read("ann", "c", "a"); got != "b"+gone {
			t.Error(got)
		}
		if err := f.DeleteFile(t.Context(), key, "a", nil); !errors.Is(err, chat.ErrNoFile) {
			t.Error(err)
		}
		if got := f.put(key, "a/b", "what was a file may be a folder"); got != "new text/plain" {
			t.Error(got)
		}
		f.exec(`UPDATE chats SET made = made - 7200000000; UPDATE chat_files SET changed = changed - 7200000000 WHERE path = 'b'`)
	})
	session(time.Hour, func(f *filing) {
		if got := f.rows() + f.list(key); got != "1 1 1a/b" {
			t.Error(got)
		}
		f.exec(`UPDATE chats SET used = used - 7200000000`)
	})
	session(time.Hour, func(*filing) {})
	session(0, func(f *filing) {
		if got := f.rows(); got != "0 0 0" {
			t.Errorf("of no chat there are %s", got)
		}
	})
}

// TestFilesOfBroken holds that nothing is left of a file that did not come whole, that
// one which was given up while it came is refused, and what a server says that has no
// store of files.
func TestFilesOfBroken(t *testing.T) {
	f := newFiling(t, chat.FilesConfig{})
	key := chat.Key{Caller: "ann", ID: "c"}
	part := strings.NewReader(strings.Repeat("x", chat.PartSize+1))
	_, _, err := f.PutFile(t.Context(), key, chat.Upload{Path: "a", Body: io.MultiReader(part, iotest.ErrReader(errors.New("hung up")))})
	if got := f.rows(); err == nil || said(err) != `invalid_args: the file "a" could not be read to its end, and nothing was changed` || got != "0 0 0" {
		t.Errorf("%v, %s", err, got)
	}
	clearing := func(*chat.File) bool { return true }
	body := io.MultiReader(strings.NewReader(strings.Repeat("x", 2*chat.PartSize)), readerFunc(func() { f.exec(`UPDATE contents SET given_up = 0`); f.sweep() }))
	_, _, err = f.PutFile(t.Context(), key, chat.Upload{Path: "a", Body: body, Meets: clearing})
	if got := f.rows(); err == nil || got != "0 0 0" || f.list(key) != "" {
		t.Errorf("%v, %s", err, got)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := f.PutFile(ctx, key, chat.Upload{Path: "a", Body: strings.NewReader("x")}); err == nil || f.rows() != "0 0 0" {
		t.Errorf("%v, %s", err, f.rows())
	}
	none := chat.Open(t.Context(), nil, chat.Options{})
	defer func() { _ = none.Close() }()
	files, err := none.Files(t.Context(), key)
	_, _, putErr := none.PutFile(t.Context(), key, chat.Upload{Path: "a", Body: strings.NewReader("x")})
	if len(files) != 0 || err != nil || putErr == nil || !errors.Is(none.DeleteFile(t.Context(), key, "a", nil), chat.ErrNoFile) {
		t.Errorf("%v, %v, %v", files, err, putErr)
	}
}

// readerFunc does something when it is read, and has ended.
type readerFunc func()

func (f readerFunc) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// TestFilesOfTwo holds that a process knows at once of files that another one put.
func TestFilesOfTwo(t *testing.T) {
	f := newFiling(t, chat.FilesConfig{})
	other, err := store.Open(t.Context(), f.path, store.Options{})
	must(t, err)
	defer func() { _ = other.Close() }()
	visit, err := chat.Visit(t.Context(), other, chat.Options{Files: other})
	must(t, err)
	for _, id := range []string{"c", "d"} {
		must(t, visit.SaveFiles(t.Context(), tool.Caller{ID: "ann"}, id, []chat.NewFile{{Path: "a", Media: "Text/CSV; charset=utf-8", Data: []byte("1")}}))
		if got := f.list(chat.Key{Caller: "ann", ID: id}) + f.read("ann", id, "a"); got != "a1" {
			t.Error(got)
		}
	}
	files, err := visit.ListFiles(t.Context(), tool.Caller{ID: "ann"}, "c")
	if err != nil || len(files) != 1 || files[0].Media != "text/csv" {
		t.Errorf("%+v, %v", files, err)
	}
}

// BenchmarkFile puts a file of 10 MiB, and measures how long others wait for the store.
func BenchmarkFile(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "gateway.db"), store.Options{})
	must(b, err)
	d := chat.Open(b.Context(), s, chat.Options{Files: s})
	defer func() { _, _ = d.Close(), s.Close() }()
	data := make([]byte, 10<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		must(b, d.SaveFiles(b.Context(), tool.Caller{ID: "ann"}, "c", []chat.NewFile{{Path: "a", Data: data}}))
	}
}
