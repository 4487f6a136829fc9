package wasm

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// Sizes and places of poll_oneoff's structures, in bytes, and error numbers (WASI preview
// 1, snapshot 01).
const (
	subscriptionSize, eventSize = 48, 32
	tagAt, clockAt              = 8, 16
	timeoutAt, flagsAt          = 24, 40
	eventTypeAt                 = 10
	tagClock, absoluteTime      = 0, 1
	realtime                    = 0

	errFault, errInvalid = 21, 28
)

// mostPolled is how many things a guest may wait for at a time.
const mostPolled = 1 << 10

// poll is poll_oneoff(in, out, subscriptions, events): it waits for the first of the
// guest's clocks, or for nothing where it asks for a stream or a file, which are always
// ready. wazero's own refuses a clock's absolute times, by which CPython sleeps.
func (g *Guest) poll(_ context.Context, module api.Module, stack []uint64) {
	in, out, n, events := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 || n > mostPolled {
		stack[0] = errInvalid
		return
	}
	subscriptions, ok := module.Memory().Read(in, n*subscriptionSize)
	if !ok {
		stack[0] = errFault
		return
	}
	found := g.await(subscriptions)
	stack[0] = 0
	if !module.Memory().Write(out, found) || !module.Memory().WriteUint32Le(events, uint32(len(found)/eventSize)) {
		stack[0] = errFault
	}
}

// await gives the events for what is ready, when there is something.
func (g *Guest) await(subscriptions []byte) (events []byte) {
	var first []byte
	wait := time.Duration(math.MaxInt64)
	for s := subscriptions; len(s) > 0; s = s[subscriptionSize:] {
		if s[tagAt] != tagClock {
			events = append(events, event(s)...)
		} else if d := g.until(s); first == nil || d < wait {
			first, wait = s, d
		}
	}
	if events == nil {
		time.Sleep(wait)
		events = event(first)
	}
	return events
}

// until is how long it is until the time of a clock that is asked for.
func (g *Guest) until(subscription []byte) time.Duration {
	at := binary.LittleEndian.Uint64(subscription[timeoutAt:])
	if binary.LittleEndian.Uint16(subscription[flagsAt:])&absoluteTime != 0 {
		now := uint64(g.nanotime())
		if binary.LittleEndian.Uint32(subscription[clockAt:]) == realtime {
			now = uint64(time.Now().UnixNano())
		}
		at -= min(at, now)
	}
	return time.Duration(min(at, math.MaxInt64))
}

// event is that what a subscription asks for is ready.
func event(subscription []byte) []byte {
	e := make([]byte, eventSize)
	copy(e, subscription[:tagAt]) // the guest's own word for it
	e[eventTypeAt] = subscription[tagAt]
	return e
}

// nanotime is the guest's clock that only goes forward, in nanoseconds.
func (g *Guest) nanotime() int64 { return int64(time.Since(g.born)) + 1 }
