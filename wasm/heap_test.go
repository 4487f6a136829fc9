package wasm

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// newHeap is a heap of some MiB with something in it at both ends.
func newHeap(t testing.TB, size uint64) *heap {
	t.Helper()
	h := &heap{}
	t.Cleanup(h.Free)
	h.Allocate(0, size)
	if memory := h.Reallocate(size); uint64(len(memory)) != size {
		t.Fatalf("got %d bytes", len(memory))
	}
	return h
}

func scribble(r *rand.Rand, memory []byte, times int) {
	for range times {
		at := r.IntN(len(memory))
		for i := at; i < min(at+r.IntN(9000), len(memory)); i++ {
			memory[i] = byte(r.Uint32())
		}
	}
}

// TestHeap: whatever is written, reset brings back the last state that was taken or
// updated, byte for byte, and the zeros around it.
func TestHeap(t *testing.T) {
	const size = 8 << 20
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := newHeap(t, size)
		scribble(r, h.area[:1<<20], 30)
		h.area[size-1] = 1
		if err := h.take(); err != nil {
			t.Fatal(err)
		}
		state := bytes.Clone(h.area[:size])
		for round := range 30 {
			scribble(r, h.area[:size], 1+r.IntN(400))
			if err := h.reset(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(state, h.area[:size]) {
				t.Fatalf("seed %d, round %d: it is not what it was", seed, round)
			}
			if round < calmRounds { // what comes without a message belongs to the state
				scribble(r, h.area[:2<<20], 3)
				state = bytes.Clone(h.area[:size])
			}
			if err := h.update(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestHeapDoesNotGrow: memory that a message has made would be there for the next one.
func TestHeapDoesNotGrow(t *testing.T) {
	h := &heap{}
	t.Cleanup(h.Free)
	h.Allocate(0, 4*PageSize)
	if h.Reallocate(PageSize) == nil || h.Reallocate(2*PageSize) == nil {
		t.Fatal("a guest that starts gets no memory")
	}
	if h.Reallocate(5*PageSize) != nil {
		t.Error("it got more than the most")
	}
	if err := h.take(); err != nil {
		t.Fatal(err)
	}
	if h.Reallocate(3*PageSize) != nil {
		t.Error("it got more than its state has")
	}
}

// TestRestingIsSmall: a state is as large as what is in it, however far apart.
func TestRestingIsSmall(t *testing.T) {
	h := newHeap(t, 256<<20)
	h.area[0], h.area[100<<20], h.area[256<<20-1] = 1, 1, 1
	if err := h.take(); err != nil {
		t.Fatal(err)
	}
	if got := h.resting(); got > 3*h.page {
		t.Errorf("got %d bytes", got)
	}
}

func BenchmarkReset(b *testing.B) {
	for name, touched := range map[string]int{"60 pages": 60, "2000 pages": 2000, "5000 pages": 5000} {
		b.Run(name, func(b *testing.B) {
			h := newHeap(b, 256<<20)
			scribble(rand.New(rand.NewPCG(1, 1)), h.area[:24<<20], 8000)
			if err := h.take(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for i := range touched {
					h.area[i*4096] ^= 1
				}
				if err := h.reset(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b, want []span
	}{
		{"nothing", nil, nil, nil},
		{"near ones become one", nil, []span{{0, 4}, {8, 12}}, []span{{0, 12}}},
		{"far ones stay", nil, []span{{0, 4}, {20, 24}}, []span{{0, 4}, {20, 24}}},
		{"out of order", []span{{20, 24}}, []span{{0, 4}}, []span{{0, 4}, {20, 24}}},
		{"one within another", []span{{0, 100}}, []span{{4, 8}}, []span{{0, 100}}},
		{"a bridge", []span{{0, 4}, {20, 24}}, []span{{8, 16}}, []span{{0, 24}}},
	} {
		if got := merge(c.a, c.b, 4); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got := total([]span{{0, 4}, {20, 24}}); got != 8 {
		t.Errorf("got %d bytes", got)
	}
}
