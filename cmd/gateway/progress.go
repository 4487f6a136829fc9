package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	barWidth    = 30                     // characters
	barPatience = 300 * time.Millisecond // work that takes no longer shows none
)

// progress shows on one line of a terminal how far long work is; elsewhere it shows
// nothing.
type progress struct {
	out   io.Writer // nil where nobody looks
	since time.Time
	shown bool
}

func newProgress(w io.Writer) *progress {
	p := &progress{since: time.Now()}
	if isTerminal(w) {
		p.out = w
	}
	return p
}

// isTerminal reports whether a person sees what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// show writes how far a stage is. Of one whose end is not known only the name is
// shown.
func (p *progress) show(stage string, done, total int) {
	if p.out == nil || total > 0 && time.Since(p.since) < barPatience {
		return
	}
	p.shown = true
	if total == 0 {
		_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s …", stage)
		return
	}
	full := barWidth * done / total
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s [%s%s] %d/%d", stage, strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), done, total)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
		p.shown = false
	}
}
