package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Of memory that is spent to collect garbage less often.
const (
	slack        = 16 << 20 // bytes beside the heap that is in use
	mostPercent  = 300      // of that heap; more gains nothing that can be measured
	usualPercent = 100      // what Go does by itself
)

// tuneCollector lets a server whose heap is small collect garbage less often:
// what a call leaves behind is little, yet of a small heap it is much. GOGC in the
// environment stays what it is.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetGCPercent(collectAt(m.HeapAlloc))
}

// collectAt is by how much, in percent, a heap of so many bytes may grow before
// garbage is collected.
func collectAt(heap uint64) int {
	return int(min(max(slack*100/max(heap, 1), usualPercent), mostPercent))
}
