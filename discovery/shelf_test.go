package discovery

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// some are n documents, each of a name of its own.
func some(n int) []Document {
	out := make([]Document, n)
	for i := range out {
		out[i] = Document{Name: fmt.Sprintf("tool_%d", i), Description: "Adds two numbers.", Tags: []string{"math"}}
	}
	return out
}

func TestShelf(t *testing.T) {
	var s Shelf
	ctx := context.Background()
	first, second, other := s.Take(some(3)), s.Take(some(3)), s.Take(some(4))
	a, b, c := index(t, first), index(t, second), index(t, other)
	if a != b || a == c {
		t.Error("the same documents have one index, others another")
	}
	first.Release()
	first.Release()
	scope := b.Scope(func(int) bool { return true })
	if r, err := scope.Search(ctx, Query{Text: "add"}); err != nil || len(r.Hits) != 3 {
		t.Error(r, err)
	}
	second.Release()
	if _, err := scope.Search(ctx, Query{Text: "add"}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	other.Release()
	if len(s.all) != 0 {
		t.Error(s.all)
	}
	again := s.Take(some(3))
	defer again.Release()
	if index(t, again) == a {
		t.Error("what was closed came back")
	}
}

// TestShelfGivesUp: nobody waits for an index that nobody wants.
func TestShelfGivesUp(t *testing.T) {
	var s Shelf
	l := s.Take(some(100 * batchSize))
	l.Begin()
	l.Release()
	if x, err := l.Index(context.Background()); err == nil {
		// It was quicker: then it is closed.
		_, err = x.Scope(func(int) bool { return true }).Search(context.Background(), Query{Text: "add"})
		if !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	} else if !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	v := &volume{done: make(chan struct{})}
	if _, err := (&Lease{volume: v}).Index(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestShelfWaits: nothing is indexed before it is asked for, and never when it is not.
func TestShelfWaits(t *testing.T) {
	var s Shelf
	l := s.Take(some(3))
	if len(s.all) != 0 {
		t.Error("it was begun when it was taken")
	}
	l.Release()
	l.Begin()
	if _, err := l.Index(context.Background()); !errors.Is(err, ErrClosed) || len(s.all) != 0 {
		t.Error(err, s.all)
	}
	again, other := s.Take(some(3)), s.Take(some(3))
	again.Begin()
	other.Begin()
	other.Begin()
	if len(s.all) != 1 {
		t.Error(s.all)
	}
	again.Release()
	index(t, other)
	if other.Release(); len(s.all) != 0 {
		t.Error(s.all)
	}
}

func index(t *testing.T, l *Lease) *Index {
	t.Helper()
	x, err := l.Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestDigest(t *testing.T) {
	seen := map[[32]byte]int{}
	for i, docs := range [][]Document{
		nil,
		{{}},
		{{}, {}},
		{{Name: "a"}},
		{{Namespace: "a"}},
		{{Description: "a"}},
		{{Hint: "a"}},
		{{Tags: []string{"a"}}},
		{{Tags: []string{"a", "b"}}},
		{{Tags: []string{"ab"}}},
		{{Parameters: []byte("a")}},
		{{Name: "a"}, {Name: "b"}},
		{{Name: "b"}, {Name: "a"}},
	} {
		if before, ok := seen[digest(docs)]; ok {
			t.Errorf("%d and %d have the same digest", before, i)
		}
		seen[digest(docs)] = i
	}
}
