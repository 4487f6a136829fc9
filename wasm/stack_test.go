package wasm

import (
	"encoding/binary"
	"math"
	"testing"
)

// module is one with the bodies of sections, by their ids.
func module(parts ...any) []byte {
	m := []byte(preamble)
	for i := 0; i < len(parts); i += 2 {
		body := parts[i+1].(string)
		m = append(binary.AppendUvarint(append(m, byte(parts[i].(int))), uint64(len(body))), body...)
	}
	return m
}

const (
	pages160  = "\x01\x00\xa0\x01"                 // one memory of 160 pages, without a most
	below     = "\x01\x7f\x01\x41\x80\x80\x20\x0b" // one global, 524288 at first
	pages416  = "\x01\x00\xa0\x03"
	moved     = "\x01\x7f\x01\x41\x80\x80\x80\x0d\x0b" // 416 pages
	anything  = "\x01\x02\x03"
	ofTwo     = "\x02\x7f\x01\x41\x80\x80\x20\x0b\x7f\x00\x41\x00\x0b"
	constant  = "\x01\x7f\x00\x41\x80\x80\x20\x0b"
	large     = "\x01\x7f\x01\x41\x80\x80\x80\x08\x0b" // 16 MiB
	ofI64     = "\x01\x7e\x01\x42\x80\x80\x20\x0b"
	zero      = "\x01\x7f\x01\x41\x00\x0b"
	beyond    = "\x01\x7f\x01\x41\x80\x80\x80\x06\x0b" // 12 MiB of 10
	mostOf200 = "\x01\x01\xa0\x01\xc8\x01"
	mostOf512 = "\x01\x01\xa0\x01\x80\x04"
	shared    = "\x01\x03\xa0\x01\x80\x04"
)

func TestWiden(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to []byte // to is nil for what stays as it is
	}{
		{"CPython as it is linked", module(1, anything, 5, pages160, 6, below, 10, anything), module(1, anything, 5, pages416, 6, moved, 10, anything)},
		{"a most that leaves room", module(5, mostOf512, 6, below), module(5, "\x01\x01\xa0\x03\x80\x04", 6, moved)},
		{"a most that leaves none", module(5, mostOf200, 6, below), nil},
		{"a shared memory", module(5, shared, 6, below), nil},
		{"two globals", module(5, pages160, 6, ofTwo), nil},
		{"a global that does not change", module(5, pages160, 6, constant), nil},
		{"a global of 64 bits", module(5, pages160, 6, ofI64), nil},
		{"a global of zero", module(5, pages160, 6, zero), nil},
		{"a stack beyond the memory", module(5, pages160, 6, beyond), nil},
		{"a stack that is large", module(5, "\x01\x00\x80\x04", 6, large), nil},
		{"no memory", module(6, below), nil},
		{"no global", module(5, pages160), nil},
		{"two memories", module(5, "\x02\x00\x01\x00\x01", 6, below), nil},
		{"a memory without its pages", module(5, "\x01\x00", 6, below), nil},
		{"a global that is cut off", module(5, pages160, 6, below[:6]), nil},
		{"nothing", module(), nil},
	} {
		want := c.to
		if want == nil {
			want = c.from
		}
		if got, err := Prepare(c.from); err != nil || string(got) != string(want) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, want)
		}
	}
}

func TestSigned(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 63, 64, -64, -65, 524288, 1 << 31, math.MaxInt64, math.MinInt64} {
		b := appendSigned(nil, n)
		if got, read := signed(append(b, 0xff)); got != n || read != len(b) {
			t.Errorf("%d: got %d of %d bytes of %x", n, got, read, b)
		}
	}
	for _, b := range []string{"", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"} {
		if _, n := signed([]byte(b)); n != 0 {
			t.Errorf("%q is taken for a number of %d bytes", b, n)
		}
	}
}

// FuzzPrepare: what was prepared stays as it is.
func FuzzPrepare(f *testing.F) {
	f.Add(module(1, anything, 5, pages160, 6, below, 10, anything))
	f.Add(module(5, mostOf512, 6, below, 0, anything))
	f.Fuzz(func(t *testing.T, m []byte) {
		once, err := Prepare(m)
		if err != nil {
			return
		}
		if twice, err := Prepare(once); err != nil || string(twice) != string(once) {
			t.Errorf("%q: then %q, %v", once, twice, err)
		}
	})
}

func TestUntil(t *testing.T) {
	g := NewGuest(nil, Hooks{})
	subscription := func(clock uint32, timeout uint64, flags uint16) []byte {
		s := make([]byte, subscriptionSize)
		binary.LittleEndian.PutUint32(s[clockAt:], clock)
		binary.LittleEndian.PutUint64(s[timeoutAt:], timeout)
		binary.LittleEndian.PutUint16(s[flagsAt:], flags)
		return s
	}
	const second, hour = 1_000_000_000, 3600 * 1_000_000_000
	for _, c := range []struct {
		name         string
		subscription []byte
		least, most  int64
	}{
		{"relative", subscription(1, second, 0), second, second},
		{"relative, the other clock", subscription(realtime, second, 0), second, second},
		{"for good", subscription(1, math.MaxUint64, 0), math.MaxInt64, math.MaxInt64},
		{"absolute, gone by", subscription(realtime, second, absoluteTime), 0, 0},
		{"absolute", subscription(1, hour, absoluteTime), hour - 60*second, hour},
	} {
		if got := int64(g.until(c.subscription)); got < c.least || got > c.most {
			t.Errorf("%s: got %d ns", c.name, got)
		}
	}
}

// TestReady: what is not a clock is always ready, and nobody waits for a clock then.
func TestReady(t *testing.T) {
	g := NewGuest(nil, Hooks{})
	clock, stream := make([]byte, subscriptionSize), make([]byte, subscriptionSize)
	clock[0], stream[0], stream[tagAt] = 7, 9, 1
	binary.LittleEndian.PutUint64(clock[timeoutAt:], math.MaxUint64)
	if got := g.await(append(clock, stream...)); len(got) != eventSize || got[0] != 9 || got[eventTypeAt] != 1 {
		t.Errorf("got %v", got)
	}
	binary.LittleEndian.PutUint64(clock[timeoutAt:], 1000)
	if got := g.await(clock); len(got) != eventSize || got[0] != 7 || got[eventTypeAt] != tagClock {
		t.Errorf("got %v", got)
	}
}
