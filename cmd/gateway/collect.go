package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Of memory that is spent to collect garbage less often.
const (
	slack        = 16 << 20 // bytes beside the heap that is in use
	mostPercent  = 300      // of that heap; more gains nothing that can be measured
	usualPercent = 100      // what Go does by itself
)

// tuneCollector lets a server whose heap is small collect garbage less often:
// what a call leaves behind is little, yet of a small heap it is much. It is
// called when the heap may have become another one. GOGC in the environment stays
// what it is.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	runtime.GC() // what the last one left is long out of date
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
