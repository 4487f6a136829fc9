package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	maxTalk     = 4096            // lines that wait to be written
	talkTimeout = 2 * time.Second // for what waits when the program ends
)

// talk is a log whose reader may be slow or gone: writing to it never waits. What
// it has no room for is dropped, and the next line that goes out says how much.
type talk struct {
	lines   chan []byte
	dropped atomic.Int64
	done    chan struct{}
}

// newTalk starts writing lines to w; Close ends it.
func newTalk(w io.Writer) *talk {
	t := &talk{lines: make(chan []byte, maxTalk), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		for line := range t.lines {
			if n := t.dropped.Swap(0); n > 0 {
				_, _ = fmt.Fprintf(w, "%d lines of the log were dropped, because nobody read them\n", n)
			}
			_, _ = w.Write(line) // whoever closed it does not read on
		}
	}()
	return t
}

// Write takes one line; it never fails and never waits.
func (t *talk) Write(line []byte) (int, error) {
	select {
	case t.lines <- append([]byte(nil), line...):
	default:
		t.dropped.Add(1)
	}
	return len(line), nil
}

// Close writes what waits, for talkTimeout at most. Nothing may be written after
// it.
func (t *talk) Close() error {
	close(t.lines)
	select {
	case <-t.done:
	case <-time.After(talkTimeout):
	}
	return nil
}
