package host

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// Of memory that is spent to collect garbage less often.
const (
	slack        = 16 << 20 // bytes beside the heap that is in use
	mostPercent  = 300      // of that heap; more gains nothing that can be measured
	usualPercent = 100      // what Go does by itself
	startPercent = 300      // while a configuration is read at the start
)

// spareCollector lets a program that starts collect garbage less often: while a
// configuration is read, nearly all of the heap is in use, and looking for the rest
// took a fifth of the time. A server calls tuneCollector once it has started; other
// programs end. GOGC in the environment stays what it is.
func spareCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(startPercent)
	}
}

// unspareCollector takes that back before documents of sources are read, of which most
// is garbage soon.
func unspareCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(usualPercent)
	}
}

// tuneCollector lets a server whose heap is small collect garbage less often:
// what a call leaves behind is little, yet of a small heap it is much. It is
// called when the heap may have become another one, right after garbage was
// collected. GOGC in the environment stays what it is.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(collectAt(live[0].Value.Uint64()))
	}
}

// collectAt is by how much, in percent, a heap of so many bytes may grow before
// garbage is collected.
func collectAt(heap uint64) int {
	return int(min(max(slack*100/max(heap, 1), usualPercent), mostPercent))
}
