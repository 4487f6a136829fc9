package handle

import (
	"bytes"
	"encoding/gob"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// stored is an entry's data: of a started call its status, of a call that runs
// once its result and what was asked.
type stored struct {
	Tool    string
	State   State
	Started time.Time
	Ended   time.Time
	Asks    []byte
	Result  tool.Result
	Lost    bool // of a call that runs once it is known that it ran, and no result
}

// encode writes an entry; nil for one that cannot be written. Causes are in the
// record of calls and are not stored again.
func encode(n Name, s stored) *Entry {
	if s.Result.Error != nil {
		own := *s.Result.Error
		own.Cause = nil
		s.Result.Error = &own
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&s); err != nil {
		return nil
	}
	return &Entry{Name: n, Ended: s.Ended, Data: buf.Bytes()}
}

func decode(e *Entry) (s stored, ok bool) {
	return s, gob.NewDecoder(bytes.NewReader(e.Data)).Decode(&s) == nil
}

// restore takes in what a desk before this one kept. It is called before any call.
func (d *Desk) restore(entries []Entry) {
	for _, e := range oldestFirst(entries) {
		s, ok := decode(&e)
		if !ok || time.Since(s.Ended) >= d.limits.Keep {
			continue // one of another version, or too old
		}
		s.Ended = s.Ended.Round(0)
		switch e.Kind {
		case KindCall:
			d.restoreCall(e.Name, &s)
		case KindOnce:
			d.restoreOnce(e.Name, &s)
		}
	}
}

// over is a run that has ended.
func over() running {
	done := make(chan struct{})
	close(done)
	return running{cancel: func(error) {}, done: done}
}

func (d *Desk) restoreCall(n Name, s *stored) {
	h := &handle{running: over(), at: address{n.Caller, n.ID}}
	h.status = Status{ID: n.ID, Tool: s.Tool, State: s.State, Started: s.Started, Ended: s.Ended, Result: &s.Result}
	d.started[h.at] = h
	d.shelve(h)
}

func (d *Desk) restoreOnce(n Name, s *stored) {
	f := &first{running: over(), result: s.Result, kept: true, lost: s.Lost}
	if copy(f.asks[:], s.Asks) != len(f.asks) {
		return
	}
	key := Key{Caller: n.Caller, Chat: n.Chat, ID: n.ID}
	d.firsts[key] = f
	d.shelveFirst(key, f, s.Ended)
}

// shelve keeps a call that has ended; mu is held.
func (d *Desk) shelve(h *handle) {
	n := h.name()
	d.kept.put(&item{
		caller: h.at.caller, ended: h.status.Ended, size: sizeOf(h.status.Result),
		forget: func() { delete(d.started, h.at); d.limits.Keeper.drop(n) },
	})
}

// name is what a started call is stored by.
func (h *handle) name() Name { return Name{Kind: KindCall, Caller: h.at.caller, ID: h.at.id} }

// name is what the answer to a call of the key is stored by.
func (k Key) name() Name { return Name{Kind: KindOnce, Caller: k.Caller, Chat: k.Chat, ID: k.ID} }
