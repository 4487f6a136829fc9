package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
)

// errReleased ends the build of an index that nobody waits for any more.
var errReleased = errors.New("the index is not wanted any more")

// Shelf keeps indexes for as long as somebody uses them, so that the same tools are
// indexed once. It is safe for concurrent use; the zero value works.
type Shelf struct {
	mu  sync.Mutex // guards all and the counts in it
	all map[[sha256.Size]byte]*volume
}

// volume is an index on the shelf.
type volume struct {
	leases int
	stop   context.CancelCauseFunc // ends its build
	done   chan struct{}           // closed when index and err are set
	index  *Index
	err    error
}

// Take holds a place for the index of the documents until [Lease.Release]. Nothing is
// indexed before [Lease.Begin] or the first [Lease.Index].
func (s *Shelf) Take(docs []Document) *Lease { return &Lease{shelf: s, docs: docs} }

// hold gives the index of the documents one lease more, and begins to build it unless
// it is on the shelf.
func (s *Shelf) hold(docs []Document) (key [sha256.Size]byte, v *volume) {
	key = digest(docs)
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.all[key]
	if !ok {
		v = s.begin(docs)
		if s.all == nil {
			s.all = map[[sha256.Size]byte]*volume{}
		}
		s.all[key] = v
	}
	v.leases++
	return key, v
}

// begin builds an index in a goroutine, which ends when the index is built or the last
// lease is released.
func (s *Shelf) begin(docs []Document) *volume {
	ctx, stop := context.WithCancelCause(context.Background())
	v := &volume{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		v.index, v.err = Build(ctx, docs)
	}()
	return v
}

// release closes the index after its last lease.
func (s *Shelf) release(key [sha256.Size]byte, v *volume) {
	s.mu.Lock()
	v.leases--
	last := v.leases == 0
	if last {
		delete(s.all, key)
	}
	s.mu.Unlock()
	if !last {
		return
	}
	v.stop(errReleased)
	<-v.done // soon: the build stops after the batch at hand
	if v.index != nil {
		_ = v.index.Close() // in memory: there is nothing to lose
	}
}

// Lease is a hold of an index.
type Lease struct {
	shelf *Shelf

	mu       sync.Mutex // guards what follows
	docs     []Document // nil once they are being indexed, or not to be any more
	key      [sha256.Size]byte
	volume   *volume // nil before it was begun
	released bool
}

// Begin begins to build the index beside the caller, unless that was begun, here or by
// another lease of the same documents.
func (l *Lease) Begin() { l.begin() }

// Begun reports whether the index is built, or is being built, for this lease.
func (l *Lease) Begun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.volume != nil
}

// begin gives the index, which may still be being built; nil after Release.
func (l *Lease) begin() *volume {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.volume == nil && !l.released {
		l.key, l.volume = l.shelf.hold(l.docs)
		l.docs = nil
	}
	return l.volume
}

// Index begins to build the index, as Begin does, and waits until it is built. The
// error is that of the context, of the build, which is the same for all who wait, or
// [ErrClosed] after [Lease.Release].
func (l *Lease) Index(ctx context.Context) (*Index, error) {
	v := l.begin()
	if v == nil {
		return nil, ErrClosed
	}
	select {
	case <-v.done:
		return v.built()
	default:
	}
	select {
	case <-v.done:
		return v.built()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (v *volume) built() (*Index, error) {
	if errors.Is(v.err, errReleased) {
		return nil, ErrClosed
	}
	return v.index, v.err
}

// Release gives up the hold; once is enough. The last one closes the index, after the
// searches under way.
func (l *Lease) Release() {
	l.mu.Lock()
	done, key, v := l.released, l.key, l.volume
	l.released, l.docs = true, nil
	l.mu.Unlock()
	if !done && v != nil {
		l.shelf.release(key, v)
	}
}

// digest is the same for the same documents in the same order only.
func digest(docs []Document) [sha256.Size]byte {
	h := sha256.New()
	var room []byte
	put := func(text string) {
		room = binary.AppendUvarint(room[:0], uint64(len(text)))
		h.Write(append(room, text...))
	}
	for i := range docs {
		d := &docs[i]
		for _, text := range []string{d.Name, d.Namespace, d.Description, d.Hint, string(d.Parameters)} {
			put(text)
		}
		h.Write(binary.AppendUvarint(nil, uint64(len(d.Tags))))
		for _, tag := range d.Tags {
			put(tag)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
