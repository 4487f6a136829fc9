package result_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/result"
)

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func open(t *testing.T, dir string, opts result.Options) *result.Folder {
	t.Helper()
	f, err := result.OpenFolder(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, s result.Store, owner, text string) result.Meta {
	t.Helper()
	m, err := s.Put(t.Context(), result.Meta{Owner: owner, Tool: "t", CallID: "c", Media: "text/plain", Text: true}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// get is everything that is kept under a handle.
func get(s result.Store, owner, handle string) (result.Meta, string, error) {
	m, b, err := s.Open(context.Background(), owner, handle)
	if err != nil {
		return m, "", err
	}
	data, err := io.ReadAll(io.NewSectionReader(b, 0, m.Size+1))
	return m, string(data), errors.Join(err, b.Close())
}

func wantNone(t *testing.T, s result.Store, owner, handle string) {
	t.Helper()
	m, b, err := s.Open(t.Context(), owner, handle)
	if err != result.ErrNone || b != nil || m != (result.Meta{}) { // the very same answer
		t.Errorf("%q for %q: got %v, %v, %v, want ErrNone", handle, owner, m, b, err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestFolderKeepsEveryByte(t *testing.T) {
	c := newClock()
	dir := filepath.Join(t.TempDir(), "a", "results")
	f := open(t, dir, result.Options{Now: c.Now})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was made before there was anything to keep: %v", err)
	}
	for _, size := range []int{0, 1, 4095, 4096, 4097, 64 << 10, 64<<10 + 1, 1 << 20} {
		text := strings.Repeat("0123456789abcde\n", size/16+1)[:size]
		want := result.Meta{
			Owner: "ann", Tool: strings.Repeat("t", 128), CallID: strings.Repeat("<", 256), Media: "text/plain", Text: true,
		}
		m, err := f.Put(t.Context(), want, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want.Handle, want.Size, want.Kept, want.Expires = m.Handle, int64(size), c.Now(), c.Now().Add(result.DefaultKeep)
		if diff := cmp.Diff(want, m); diff != "" {
			t.Error(diff)
		}
		again := open(t, dir, result.Options{Now: c.Now}) // as after a restart
		got, kept, err := get(again, "ann", m.Handle)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if kept != text {
			t.Errorf("%d bytes came back as %d others", size, len(kept))
		}
		info, err := os.Stat(filepath.Join(dir, m.Handle))
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder %v, %v", info.Mode(), err)
	}
}

func TestFolderShowsNothingOfOthers(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	f := open(t, dir, result.Options{Now: c.Now, Keep: time.Hour})
	m := put(t, f, "ann", "mine")
	data, err := os.ReadFile(filepath.Join(dir, m.Handle))
	if err != nil || bytes.Contains(data, []byte("ann")) {
		t.Errorf("the file names its owner (%v): %s", err, data)
	}
	outside := filepath.Join(filepath.Dir(dir), "r_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	if err := os.WriteFile(outside, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"", "bob", "Ann", "ann ", m.Handle} {
		wantNone(t, f, owner, m.Handle)
	}
	for _, handle := range []string{
		"", "r_", ".", "..", "../r_aaaaaaaaaaaaaaaaaaaaaaaaaa", "r_../../../../../etc/passwd/", "/etc/passwd", m.Handle + "/", m.Handle + "\x00",
		"./" + m.Handle, strings.ToUpper(m.Handle), m.Handle[:27], m.Handle + "a", "r_bbbbbbbbbbbbbbbbbbbbbbbbbb", "r_aaaaaaaaaaaaaaaaaaaaaaaaa1", "tmp_x",
	} {
		wantNone(t, f, "ann", handle)
	}
	if _, text, err := get(f, "ann", m.Handle); text != "mine" || err != nil {
		t.Error(text, err)
	}
}

func TestFolderTakesBrokenFilesForNone(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"empty":        func([]byte) []byte { return nil },
		"header only":  func(b []byte) []byte { return b[:4096] },
		"half":         func(b []byte) []byte { return b[:2000] },
		"longer":       func(b []byte) []byte { return append(b, 'x') },
		"no JSON":      func(b []byte) []byte { b[0] = 'x'; return b },
		"next version": func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":1`), []byte(`"version":2`), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir, result.Options{})
			m := put(t, f, "ann", "some text")
			path := filepath.Join(dir, m.Handle)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, harm(data), 0o600); err != nil {
				t.Fatal(err)
			}
			wantNone(t, f, "ann", m.Handle)
		})
	}
}

func TestFolderExpiry(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	f := open(t, dir, result.Options{Now: c.Now, Keep: time.Hour})
	old := put(t, f, "ann", "old")
	_, blob, err := f.Open(t.Context(), "ann", old.Handle)
	if err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour - time.Millisecond)
	if _, _, err := get(f, "ann", old.Handle); err != nil {
		t.Errorf("expired too early: %v", err)
	}
	c.pass(time.Millisecond)
	wantNone(t, f, "ann", old.Handle)
	if len(names(t, dir)) != 1 {
		t.Error("reading is not what removes files")
	}
	recent := put(t, f, "ann", "new")
	if diff := cmp.Diff([]string{recent.Handle}, names(t, dir)); diff != "" {
		t.Error("after Put:", diff)
	}
	buf := make([]byte, 3)
	if _, err := blob.ReadAt(buf, 0); err != nil || string(buf) != "old" {
		t.Errorf("a blob that was open: %q, %v", buf, err)
	}
	if err := blob.Close(); err != nil {
		t.Error(err)
	}
	c.pass(2 * time.Hour)
	open(t, dir, result.Options{Now: c.Now})
	if got := names(t, dir); len(got) != 0 {
		t.Error("after OpenFolder:", got)
	}
}

func TestFolderCap(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	f := open(t, dir, result.Options{Now: c.Now, Most: 100_000})
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), make([]byte, 200_000), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []result.Meta
	for range 30 {
		c.pass(time.Second)
		all = append(all, put(t, f, "ann", strings.Repeat("x", 5904))) // 10,000 with its header
		total := int64(0)
		for _, name := range names(t, dir) {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && name != "notes.txt" {
				total += info.Size()
			}
		}
		if total > 100_000 {
			t.Fatalf("%d bytes", total)
		}
	}
	for i, m := range all {
		_, _, err := get(f, "ann", m.Handle)
		if gone := errors.Is(err, result.ErrNone); i < 20 && !gone || i >= 22 && gone {
			t.Errorf("%d: %v", i, err)
		}
	}
	big := put(t, f, "ann", strings.Repeat("x", 100_000-4096))
	if _, _, err := get(f, "ann", big.Handle); err != nil {
		t.Errorf("one that fills the folder: %v", err)
	}
}

func TestFolderRefuses(t *testing.T) {
	over, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("reason")
	cancel(reason)
	cases := []struct {
		name string
		ctx  context.Context
		r    io.Reader
		want error
	}{
		{"too large", t.Context(), strings.NewReader(strings.Repeat("x", 1001)), result.ErrTooLarge},
		{"a context that is over", over, strings.NewReader("x"), reason},
		{"a reader that fails", t.Context(), io.MultiReader(strings.NewReader("x"), failing{}), errBroken},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir, result.Options{MostOne: 1000})
			if m, err := f.Put(c.ctx, result.Meta{Owner: "ann"}, c.r); !errors.Is(err, c.want) || m != (result.Meta{}) {
				t.Errorf("got %v, %v, want %v", m, err, c.want)
			}
			if left := names(t, dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if m := put(t, f, "ann", strings.Repeat("x", 1000)); m.Size != 1000 {
				t.Error(m)
			}
		})
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := result.OpenFolder(file, result.Options{}); err == nil {
		t.Error("a file was opened as a folder")
	}
	f := open(t, filepath.Join(t.TempDir(), "later"), result.Options{})
	wantNone(t, f, "ann", "r_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	for _, opts := range []result.Options{{Keep: -1}, {Most: -1}, {MostOne: -1}} {
		if _, err := result.OpenFolder(t.TempDir(), opts); err == nil {
			t.Errorf("%+v was taken", opts)
		}
	}
	in := filepath.Join(file, "sub")
	if f, err := result.OpenFolder(in, result.Options{}); err == nil {
		if _, err := f.Put(t.Context(), result.Meta{}, strings.NewReader("x")); err == nil {
			t.Error("a folder below a file keeps something")
		}
	}
}
