package result

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// groupMark stands between lines that do not follow on each other, as grep
// writes it.
const groupMark = "--\n"

// lister writes the matches of a search and the lines around them as grep -nb
// does, as long as there is room, and counts the rest.
type lister struct {
	around int
	room   int // characters left

	out    strings.Builder
	before []listed // the last lines without a match
	after  int      // lines to show after the last match
	last   int64    // number of the last line shown
	full   bool
	shown  int64 // matches
	more   int64 // matches for which there was no room
	next   int64 // offset of the first of them
}

// listed is a line that may be shown before a match.
type listed struct {
	line int64
	text string // as it is shown
}

// hit shows a match, with the lines before it when there is room for them.
func (l *lister) hit(line, at int64, text string) {
	if l.full {
		l.more++
		return
	}
	own := fmt.Sprintf("%d:%d:%s\n", line, at, text)
	switch with := l.lead(line) + own; {
	case l.write(with):
	case l.shown == 0 && l.write(own):
	case l.shown == 0:
		l.out.WriteString(own[:forward(own, max(l.room-1, 0))] + "\n")
		l.room = 0
	default:
		l.full, l.more, l.next = true, 1, at
		return
	}
	l.shown, l.last, l.before, l.after = l.shown+1, line, l.before[:0], l.around
}

// lead is what stands before a match: the lines that were not shown yet.
func (l *lister) lead(line int64) string {
	first := line
	var b strings.Builder
	for _, x := range l.before {
		first = min(first, x.line)
		b.WriteString(x.text)
	}
	if l.around > 0 && l.last > 0 && first > l.last+1 {
		return groupMark + b.String()
	}
	return b.String()
}

// quiet takes a line without a match: it belongs to the match before it, or
// maybe to one that follows.
func (l *lister) quiet(line, at int64, text []byte) {
	if l.full {
		return
	}
	shown := fmt.Sprintf("%d-%d-%s\n", line, at, clip(string(text[:min(len(text), longLine+utf8.UTFMax)]), longLine))
	if l.after > 0 {
		if l.after--; l.write(shown) {
			l.last = line
			return
		}
		l.after = 0
	}
	if len(l.before) == l.around {
		l.before = append(l.before[:0], l.before[1:]...)
	}
	l.before = append(l.before, listed{line, shown})
}

// write adds text unless it has more characters than there is room for.
func (l *lister) write(text string) bool {
	n := utf8.RuneCountInString(text)
	if n > l.room {
		return false
	}
	l.out.WriteString(text)
	l.room -= n
	return true
}

// text is everything that is shown.
func (l *lister) text() string { return strings.TrimSuffix(l.out.String(), "\n") }
