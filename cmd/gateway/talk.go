package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolgate/toolgate/gateway/secret"
)

const (
	maxTalk     = 4096            // lines that wait to be written
	talkTimeout = 2 * time.Second // for what waits when the program ends
	maxTalkPart = 64 << 10        // bytes that are written at once, but for a longer line
	// talkPause is between two writes, unless more waits than is written at once: the
	// first line after a silence goes out at once, and of many lines each costs
	// little. A short pause would wake a thread so often that calls feel it.
	talkPause = 20 * time.Millisecond
)

// talk is a log whose reader may be slow or gone: writing to it never waits. What
// it has no room for is dropped, and the next line that goes out says how much.
// Lines of libraries come through it, too, so known secrets are taken out here.
type talk struct {
	maskers atomic.Pointer[[]*secret.Masker]
	lines   chan []byte
	dropped atomic.Int64
	done    chan struct{}
}

// newTalk starts writing lines to w; Close ends it.
func newTalk(w io.Writer) *talk {
	t := &talk{lines: make(chan []byte, maxTalk), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		var part []byte
		for line := range t.lines {
			part = t.gather(append(part[:0], line...))
			if n := t.dropped.Swap(0); n > 0 {
				_, _ = fmt.Fprintf(w, "%d lines of the log were dropped, because nobody read them\n", n)
			}
			_, _ = w.Write(part) // whoever closed it does not read on
			if len(part) < maxTalkPart {
				time.Sleep(talkPause)
			}
		}
	}()
	return t
}

// gather adds the lines that wait already, so that many cost one write.
func (t *talk) gather(part []byte) []byte {
	for len(part) < maxTalkPart {
		select {
		case line, ok := <-t.lines:
			if !ok {
				return part
			}
			part = append(part, line...)
		default:
			return part
		}
	}
	return part
}

// hide takes the secrets that the maskers know, and no others, out of the lines
// to come.
func (t *talk) hide(maskers ...*secret.Masker) { t.maskers.Store(&maskers) }

// Write takes one line; it never fails and never waits.
func (t *talk) Write(line []byte) (int, error) {
	own := append([]byte(nil), line...)
	if maskers := t.maskers.Load(); maskers != nil {
		for _, m := range *maskers {
			own = m.Bytes(own)
		}
	}
	select {
	case t.lines <- own:
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

// takeStandardLog makes the logger write what libraries write to the standard
// log, such as net/http about an upstream that sends what nobody asked for. Main
// drops it where there is no logger: it may hold secrets.
func takeStandardLog(logger *slog.Logger) (giveBack func()) {
	flags, w := log.Flags(), log.Writer()
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(logger.Handler(), slog.LevelWarn).Writer())
	return func() {
		log.SetFlags(flags)
		log.SetOutput(w)
	}
}
