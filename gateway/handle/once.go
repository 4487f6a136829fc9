package handle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Key names a call as its provider does: by an ID that is unique in one chat of
// one caller.
type Key struct {
	Caller string // ID of the caller
	Chat   string // ID of the chat; tool.DefaultChat when empty
	ID     string // of the call, as the provider made it; empty where it makes none
}

// maxKeyID is the most bytes of an ID that the desk keeps: providers may make them
// of many KiB, and keys stay when their results have gone.
const maxKeyID = 256

// short is the key by which the desk knows a call: the end of a long ID is replaced
// by the digest of the whole.
func (k Key) short() Key {
	if len(k.ID) > maxKeyID {
		sum := sha256.Sum256([]byte(k.ID))
		end := hex.EncodeToString(sum[:])
		k.ID = strings.ToValidUTF8(k.ID[:maxKeyID-len(end)], "") + end
	}
	return k
}

// digest tells apart what two calls ask for.
type digest [sha256.Size]byte

// first is the call that runs, or ran, for a key. Its result and kept are
// written before done is closed and not changed after.
type first struct {
	running
	asks   digest
	result tool.Result
	kept   bool
	lost   bool // kept is only that it ran; set before anybody sees it
}

// Once runs a call unless one of this key was run before, and gives that one's
// result then, with replayed set; where it still runs, it is waited for. The
// call runs under the context of whoever asked first. A result is kept for
// Options.Keep, within Options.Replays and Bytes, unless the call was
// not run or not to its end (Cancelled, Interrupted, Overloaded, RateLimited, NeedsApproval, Inactive)
// and cannot have done anything (Result.MayHaveActed): then the next one that
// asks, or waits already, runs the call.
// A call whose key has no ID is run every time. The result is shared and must
// not be changed.
//
// The error is a *tool.Error: InvalidArgs when the call of this key was one of
// another tool or with other arguments, which are compared as JSON values;
// TooLarge when it ran and its result is not kept any more;
// what [tool.Ended] says when the context is over before the result of another
// asker is there; Interrupted after Close.
func (d *Desk) Once(ctx context.Context, key Key, call tool.Call) (r tool.Result, replayed bool, err error) {
	key.Chat = cmp.Or(key.Chat, tool.DefaultChat)
	key = key.short()
	inner := d.limits.Inner(call)
	asks := digestOf(&inner)
	for {
		own := &first{asks: asks}
		runCtx, cancel := context.WithCancelCause(ctx)
		own.cancel, own.done = cancel, make(chan struct{})
		f, err := d.claim(key, own)
		if f == own {
			return d.perform(runCtx, key, own, call), false, nil
		}
		cancel(nil)
		if err != nil {
			return tool.Result{}, false, err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return tool.Result{}, false, tool.Ended(ctx)
		}
		switch {
		case f.lost:
			return tool.Result{}, false, lost(key)
		case f.kept:
			return f.result, true, nil
		}
	}
}

// Ran reports whether [Desk.Once] would not run a call of this key: one was run, or
// is running.
func (d *Desk) Ran(key Key) bool {
	key.Chat = cmp.Or(key.Chat, tool.DefaultChat)
	key = key.short()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replays.expire(time.Now())
	_, ok := d.firsts[key]
	return ok
}

// claim gives the call of the key: own where there is none yet.
func (d *Desk) claim(key Key, own *first) (*first, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replays.expire(time.Now())
	if f, ok := d.firsts[key]; ok {
		if f.asks == own.asks {
			return f, nil
		}
		return nil, tool.Errorf(tool.InvalidArgs, "the call id %q stands for another call of this chat", tool.Excerpt([]byte(key.ID), maxShownID)).
			WithHint("The call was not run. Give every call an id of its own.")
	}
	if d.closed {
		return nil, Stopped()
	}
	if key.ID != "" {
		d.firsts[key] = own
	}
	d.runs[&own.running] = struct{}{}
	return own, nil
}

// perform runs the call that others with its key may wait for.
func (d *Desk) perform(ctx context.Context, key Key, f *first, call tool.Call) tool.Result {
	defer f.cancel(nil)
	defer close(f.done)
	defer d.settle(key, f) // also when it panics: nobody waits for ever
	f.result = d.run(ctx, call)
	return f.result
}

// settle keeps the result, or makes room for another attempt.
func (d *Desk) settle(key Key, f *first) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.runs, &f.running)
	if key.ID == "" {
		return
	}
	if f.kept = final(&f.result); !f.kept {
		delete(d.firsts, key)
		return
	}
	now := time.Now()
	d.limits.Keeper.put(key.name(), func() *Entry {
		e := encode(key.name(), stored{Tool: f.result.Tool, Ended: now, Asks: f.asks[:], Result: f.result})
		if e == nil || len(e.Data) > maxStored {
			e = encodeLost(key, f, now)
		}
		return e
	})
	d.shelveFirst(key, f, now)
}

// final reports whether a result is that of a call that ran to its end, that
// would not be run another time either, or that must not be.
func final(r *tool.Result) bool {
	if r.MayHaveActed {
		return true
	}
	if r.Error == nil {
		return r.Status != ""
	}
	switch r.Error.Code {
	case tool.Cancelled, tool.Interrupted, tool.Overloaded, tool.RateLimited, tool.NeedsApproval, tool.Inactive:
		return false
	}
	return true
}

// digestOf is the digest of a call's tool and arguments. Spaces and the order
// of members do not count; digits do.
func digestOf(call *tool.Call) (sum digest) {
	h := sha256.New()
	_, _ = io.WriteString(h, call.Tool+"\x00")
	_, _ = h.Write(canonical(call.Arguments))
	h.Sum(sum[:0])
	return sum
}

// canonical writes JSON the same way however it was written; other text is left
// as it is.
func canonical(data []byte) []byte {
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return []byte("{}") // what absent arguments mean
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return data
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return data
	}
	out, err := json.Marshal(v)
	if err != nil {
		return data
	}
	return out
}
