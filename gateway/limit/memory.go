package limit

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Bounds of a Memory.
const (
	// MaxKeys is how many keys a Memory remembers.
	MaxKeys = 100_000
	// MaxTimes is how many calls a Memory remembers of all keys.
	MaxTimes = 4_000_000
)

// Memory is a [Store] that ends with the process. The zero value is ready.
//
// It keeps of each key the times of as many calls as its limit allows, and forgets
// keys whose calls do not count any more. Beyond MaxKeys and MaxTimes the key that
// was asked for least lately is forgotten, too.
type Memory struct {
	mu    sync.Mutex // guards what follows
	known map[Key]*list.Element
	order list.List // of *trail, the latest in front
	held  int       // times of all trails
}

// trail is the calls of one key, oldest first.
type trail struct {
	key   Key
	times []int64 // nanoseconds since 1970
	until int64   // when none of them counts any more
}

// Take is as Store says. It gives no error.
func (m *Memory) Take(_ context.Context, now func() time.Time, limits []Limit) (full int, wait time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := now().UnixNano()
	full = None
	for i, l := range limits {
		t := m.trail(l.Key)
		t.settle(at)
		t.outlast(l.Per)
		if w := t.wait(l, at); w > wait {
			full, wait = i, w
		}
	}
	if full == None {
		for _, l := range limits {
			m.held += m.trail(l.Key).add(l, at)
		}
	}
	m.forget(at)
	return full, wait, nil
}

// trail finds or makes that of a key.
func (m *Memory) trail(key Key) *trail {
	if e := m.known[key]; e != nil {
		m.order.MoveToFront(e)
		return e.Value.(*trail)
	}
	if m.known == nil {
		m.known = map[Key]*list.Element{}
	}
	t := &trail{key: key}
	m.known[key] = m.order.PushFront(t)
	return t
}

// forget takes out keys that were asked for least lately where they have to go:
// one more than a call can bring.
func (m *Memory) forget(at int64) {
	const most = 3
	for range most {
		e := m.order.Back()
		if e == nil {
			return
		}
		t := e.Value.(*trail)
		if len(m.known) <= MaxKeys && m.held <= MaxTimes && t.until > at {
			return
		}
		m.held -= len(t.times)
		delete(m.known, t.key)
		m.order.Remove(e)
	}
}

// settle counts calls that are to come, because the clock went back, as made now.
func (t *trail) settle(at int64) {
	for i := len(t.times) - 1; i >= 0 && t.times[i] > at; i-- {
		t.times[i], t.until = at, 0
	}
}

// outlast remembers the calls for as long as they count.
func (t *trail) outlast(per time.Duration) {
	if n := len(t.times); n > 0 {
		t.until = max(t.until, t.times[n-1]+int64(max(per, KeepLeast)))
	}
}

// wait is how long there is no room for one more call.
func (t *trail) wait(l Limit, at int64) time.Duration {
	switch n := len(t.times); {
	case l.Calls < 1:
		return l.Per // no configuration says so
	case n < l.Calls:
		return 0
	default:
		return time.Duration(max(0, t.times[n-l.Calls]+int64(l.Per)-at))
	}
}

// add counts a call, and gives by how many times the trail has grown: of those
// before it as many are kept as may count.
func (t *trail) add(l Limit, at int64) (more int) {
	before := len(t.times)
	t.times = append(t.times[max(0, before+1-l.Calls):], at)
	t.outlast(l.Per)
	return len(t.times) - before
}
