package wire_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// newArea is an area and, as a process would have it, its mapping.
func newArea(t *testing.T, each int64) (*wire.Area, *wire.Mapped) {
	t.Helper()
	a, err := wire.NewArea(each)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	fd, err := syscall.Dup(int(a.File().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.Map(os.NewFile(uintptr(fd), "area"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, m
}

func wantOutput(t *testing.T, a *wire.Area, want wire.Output) {
	t.Helper()
	got, err := a.Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOutput(t *testing.T) {
	a, m := newArea(t, 10)
	wantOutput(t, a, wire.Output{})
	m.Begin()
	write(t, m.Stdout, "hello ")
	write(t, m.Stderr, "oh")
	wantOutput(t, a, wire.Output{Stdout: []byte("hello "), Stderr: []byte("oh"), Begun: true})
	write(t, m.Stdout, "world")
	write(t, m.Stdout, "!!")
	write(t, m.Stdout, "")
	wantOutput(t, a, wire.Output{Stdout: []byte("hello worl"), DroppedOut: 3, Stderr: []byte("oh"), Begun: true})
	write(t, m.Stderr, strings.Repeat("e", 10))
	wantOutput(t, a, wire.Output{Stdout: []byte("hello worl"), DroppedOut: 3, Stderr: []byte("oheeeeeeee"), DroppedErr: 2, Begun: true})
	if err := a.Reset(); err != nil {
		t.Fatal(err)
	}
	wantOutput(t, a, wire.Output{})
	write(t, m.Stdout, "again")
	wantOutput(t, a, wire.Output{Stdout: []byte("again")})
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
}

func TestWritingCostsNoAllocation(t *testing.T) {
	_, m := newArea(t, 1000)
	p := []byte("x")
	if n := testing.AllocsPerRun(2000, func() { _, _ = m.Stdout.Write(p) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestForgedCounters: whatever a process writes into its counters, the gateway reads
// within the stream.
func TestForgedCounters(t *testing.T) {
	const each = 8
	cases := []struct {
		name         string
		there, asked uint64
		kept         int
		dropped      int64
	}{
		{"one beyond", each + 1, each + 1, each, 1},
		{"the whole file", 4096 + 2*each, 4096 + 2*each, each, 4096 + each},
		{"all ones", math.MaxUint64, math.MaxUint64, each, math.MaxInt64 - each},
		{"negative", 1 << 63, 1 << 63, each, math.MaxInt64 - each},
		{"there, never asked for", 5, 0, 5, 0},
		{"asked for, never there", 0, 5, 0, 5},
	}
	for _, c := range cases {
		for stream, at := range map[string]int64{"stdout": 0, "stderr": 16} {
			t.Run(c.name+" "+stream, func(t *testing.T) {
				a, m := newArea(t, each)
				write(t, m.Stdout, "oooooooo")
				write(t, m.Stderr, "eeeeeeee")
				words := binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, c.there), c.asked)
				if _, err := a.File().WriteAt(words, at); err != nil {
					t.Fatal(err)
				}
				got, err := a.Output()
				if err != nil {
					t.Fatal(err)
				}
				kept, dropped, letter := got.Stdout, got.DroppedOut, "o"
				if stream == "stderr" {
					kept, dropped, letter = got.Stderr, got.DroppedErr, "e"
				}
				if string(kept) != strings.Repeat(letter, c.kept) || dropped != c.dropped {
					t.Errorf("%q and %d dropped, want %d bytes and %d", kept, dropped, c.kept, c.dropped)
				}
				write(t, m.Stdout, "more") // nor does the writer leave its stream
				write(t, m.Stderr, "more")
			})
		}
	}
}

// TestASizeCannotBeChanged: on Linux a process can neither cut the file off nor let
// it grow.
func TestASizeCannotBeChanged(t *testing.T) {
	a, _ := newArea(t, 8)
	for _, size := range []int64{0, 1 << 40} {
		err := a.File().Truncate(size)
		if sealed := runtime.GOOS == "linux"; sealed && err == nil {
			t.Errorf("the file has %d bytes now", size)
		}
	}
}

func TestAreasOfNoUse(t *testing.T) {
	for _, each := range []int64{-1, 0, wire.MaxStream + 1} {
		if _, err := wire.NewArea(each); err == nil {
			t.Errorf("an area of %d bytes was made", each)
		}
	}
	for _, size := range []int{0, 4096, 4097, 4099, 4<<20 + 1} {
		path := t.TempDir() + "/area"
		if err := os.WriteFile(path, bytes.Repeat([]byte{1}, size), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.Map(f); err == nil {
			t.Errorf("a file of %d bytes was mapped", size)
		}
	}
	a, err := wire.NewArea(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Output(); err == nil {
		t.Error("a closed area has output")
	}
}

// FuzzArea: no header leads beyond its streams.
func FuzzArea(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3), uint64(4))
	f.Add(uint64(math.MaxUint64), uint64(0), uint64(1<<63), uint64(1<<62))
	a, err := wire.NewArea(64)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = a.Close() })
	f.Fuzz(func(t *testing.T, out, outAsked, errs, errsAsked uint64) {
		var words []byte
		for _, w := range []uint64{out, outAsked, errs, errsAsked} {
			words = binary.NativeEndian.AppendUint64(words, w)
		}
		if _, err := a.File().WriteAt(words, 0); err != nil {
			t.Fatal(err)
		}
		got, err := a.Output()
		if err != nil || len(got.Stdout) > 64 || len(got.Stderr) > 64 || got.DroppedOut < 0 || got.DroppedErr < 0 {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}
