package memfs

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// prepared is a tree with things of every kind in the writable folder r, and some
// thousand files that are not.
func prepared(tb testing.TB, packages int) *FS {
	tb.Helper()
	f := New(Options{Bytes: 1 << 20, Now: func() time.Time { return time.Unix(1e9, 0) }})
	for i := range packages {
		if err := f.AddFile(fmt.Sprintf("/packages/p%d/f%d.py", i/50, i), []byte("pass\n"), false); err != nil {
			tb.Fatal(err)
		}
	}
	if err := f.AddFolder("/r", true); err != nil {
		tb.Fatal(err)
	}
	if err := f.AddFile("/r/b/a", []byte(strings.Repeat("0123456789", 20_000)), true); err != nil {
		tb.Fatal(err)
	}
	d := &driver{fs: f, below: "r/", bytes: []byte("\x06\x00\x00\x04\x03\x07\x01")}
	d.run()
	f.Symlink("b/a", "/r/c")
	f.Mark()
	return f
}

// everything is all that a guest and the host can see.
func everything(t *testing.T, f *FS) string {
	t.Helper()
	out := tree(f, ".") + fmt.Sprintf("%+v %d", f.used, f.inode)
	for _, p := range []string{"/", "/r", "/r/a", "/r/b", "/r/b/a", "/r/c"} {
		st, errno := f.Lstat(p)
		out += fmt.Sprintf("\n%s %+v %v", p, st, errno)
	}
	entries, _ := must(t, f, "/r", reads).Readdir(-1) // their order, too
	return out + fmt.Sprint(entries)
}

// TestReset: after any operations and a Reset, the tree and the answers to further
// operations are those of a new one.
func TestReset(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	f := prepared(t, 100)
	want := everything(t, prepared(t, 100))
	ops := make([]byte, 4*mostOps)
	for range 300 {
		for i := range ops {
			ops[i] = byte(random.Uint32())
		}
		got := (&driver{fs: f, below: "r/", bytes: ops}).run()
		if diff := cmp.Diff((&driver{fs: prepared(t, 100), below: "r/", bytes: ops}).run(), got); diff != "" {
			t.Fatalf("new (-), after a Reset (+):\n%s", diff)
		}
		f.Reset()
		if diff := cmp.Diff(want, everything(t, f)); diff != "" {
			t.Fatalf("as it was (-), after a Reset (+):\n%s", diff)
		}
		f.Reset()
	}
}

// TestResetHandles: handles of the mark come back as they were, later ones are dead.
func TestResetHandles(t *testing.T) {
	f := prepared(t, 1)
	early, gone := must(t, f, "/r/b/a", creates), must(t, f, "/r/b/a", creates)
	if _, errno := early.Seek(5, io.SeekStart); errno != 0 {
		t.Fatal(errno)
	}
	f.Mark()
	for range 3 {
		late := must(t, f, "/r/b/a", creates)
		early.Write([]byte("changed"))
		gone.Close()
		f.Unlink("/r/b/a")
		if ended := f.Reset(); ended != 1 {
			t.Errorf("%d ended, want 1", ended)
		}
		p := make([]byte, 4)
		if n, errno := early.Read(p); string(p[:n]) != "5678" || errno != 0 {
			t.Errorf("read %q, %s", p[:n], Text(errno))
		}
		if n, errno := gone.Read(p); string(p[:n]) != "0123" || errno != 0 {
			t.Errorf("closed after the mark: read %q, %s", p[:n], Text(errno))
		}
		if _, errno := late.Read(p); word(errno) != "bad file descriptor" {
			t.Errorf("opened after the mark: %s", Text(errno))
		}
		if errno := late.Close(); errno != 0 {
			t.Errorf("close of an ended handle: %s", Text(errno))
		}
		f.Reset()
		checkUsage(t, f)
	}
}

// job is what a call does.
func job(t testing.TB, f *FS) {
	if err := f.AddFile("/files/in.csv", make([]byte, 5000), false); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		path := fmt.Sprint("/r/f", i)
		h, errno := f.OpenFile(path, creates, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		h.Write(make([]byte, 20_000))
		f.Rename(path, path+"x")
	}
	f.Mkdir("/r/d", 0)
}

// TestResetMemory: ten thousand jobs leave nothing behind.
func TestResetMemory(t *testing.T) {
	f := prepared(t, 1000)
	round := func(n int) uint64 {
		for range n {
			job(t, f)
			if ended := f.Reset(); ended != 5 {
				t.Fatalf("%d ended", ended)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := round(100)
	if after := round(10_000); after > before+256<<10 {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	if len(f.open)+len(f.touched) != 0 {
		t.Errorf("%d handles, %d changed nodes are kept", len(f.open), len(f.touched))
	}
}

// TestSmallChunks: a file that was long and is short keeps the memory of a short one.
func TestSmallChunks(t *testing.T) {
	f := prepared(t, 1)
	h := must(t, f, "/r/long", creates)
	h.Write(make([]byte, 3*chunkSize))
	h.Truncate(10)
	n := f.root.names["r"].node.names["long"].node
	if held := cap(n.chunks[0].data); len(n.chunks) != 1 || held > slack+20 {
		t.Errorf("%d chunks, the first of %d bytes", len(n.chunks), held)
	}
}

func BenchmarkReset(b *testing.B) {
	f := prepared(b, 5000)
	for b.Loop() {
		b.StopTimer()
		job(b, f)
		b.StartTimer()
		f.Reset()
	}
}

// BenchmarkJob is a call's part of the file system with its Reset.
func BenchmarkJob(b *testing.B) {
	f := prepared(b, 5000)
	for b.Loop() {
		job(b, f)
		f.Reset()
	}
}
