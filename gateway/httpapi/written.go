package httpapi

import (
	"slices"
	"sync"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Limits of the lists that are kept as they were written.
const (
	writtenLists = 16      // of other tools, or in another format
	writtenBytes = 8 << 20 // of all of them; a longer one is not kept
)

// tagged is an answer with its ETag.
type tagged struct {
	body []byte
	etag string
}

// written are lists as they were written for the requests before: most callers ask for
// the same tools in the same format again, and to write a thousand takes milliseconds.
// The zero value is empty.
type written struct {
	mu    sync.Mutex // guards what follows
	lists []writtenList
	bytes int
}

// writtenList is a list and what it was made of. The specs of a registry do not change,
// so that the same ones make the same list.
type writtenList struct {
	format    string
	deferring bool // deferred tools are marked
	specs     []*tool.Spec
	tagged
}

// get gives the list of these tools, which write writes where it is not there.
func (w *written) get(format string, deferring bool, specs []*tool.Spec, write func() (tagged, error)) (tagged, error) {
	if t, ok := w.find(format, deferring, specs); ok {
		return t, nil
	}
	t, err := write()
	if err == nil {
		w.put(writtenList{format, deferring, specs, t})
	}
	return t, err
}

// find gives a list and counts it as the newest.
func (w *written) find(format string, deferring bool, specs []*tool.Spec) (tagged, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.lists, func(l writtenList) bool {
		return l.format == format && l.deferring == deferring && slices.Equal(l.specs, specs)
	})
	if i < 0 {
		return tagged{}, false
	}
	found := w.lists[i]
	copy(w.lists[1:], w.lists[:i])
	w.lists[0] = found
	return found.tagged, true
}

// put keeps a list, and lets go of the oldest that there is no room for.
func (w *written) put(l writtenList) {
	if len(l.body) > writtenBytes {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists = slices.Insert(w.lists, 0, l)
	w.bytes += len(l.body)
	for len(w.lists) > writtenLists || w.bytes > writtenBytes {
		last := len(w.lists) - 1
		w.bytes -= len(w.lists[last].body)
		w.lists[last] = writtenList{} // what it held can go
		w.lists = w.lists[:last]
	}
}
