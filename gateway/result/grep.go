package result

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxContext = 20 // lines around a match
	// longLine is the longest line that is shown as a whole, in bytes. In a
	// longer one every match is a place of its own and shown with some text
	// around it.
	longLine      = 1000
	excerptBefore = 100 // bytes
	excerptAfter  = 300 // bytes, from the start of the match
	// A line that is longer than a piece and its margin is searched in pieces:
	// there only a match of up to pieceMargin bytes is found for certain.
	pieceSize   = 64 << 10
	pieceMargin = 1 << 10
)

// search is a writer that looks for a pattern line by line and remembers, in
// bounded memory, what to show of it.
type search struct {
	re     *regexp.Regexp
	prefix []byte // every match starts with it
	from   int64  // places before it are not shown or counted
	around int    // lines shown before and after a match
	ended  func() error

	line    int64  // number of the current line, from 1
	start   int64  // offset of the current line
	buf     []byte // what is held of the current line
	begun   int64  // offset of buf
	done    int    // bytes of buf that were searched, kept for what stands before a match
	opening []byte // start of a line in pieces, a little more than is shown
	lineHit bool   // there was a match in this line
	edge    int64  // end of the last match or excerpt, where there was one
	failure error  // of ended

	show lister
}

// newSearch makes a search that ended may stop, and that shows at most room
// characters.
func newSearch(re *regexp.Regexp, from int64, around, room int, ended func() error) *search {
	prefix, _ := re.LiteralPrefix()
	return &search{
		re: re, prefix: []byte(prefix), from: from, around: around, ended: ended, line: 1, show: lister{around: around, room: room},
	}
}

// Write searches the lines that end in p.
func (s *search) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.grow(p)
			return n, s.failure
		}
		if len(s.buf) == 0 {
			s.endLine(p[:i])
		} else {
			s.grow(p[:i])
			s.endLine(s.buf)
		}
		p = p[i+1:]
	}
}

// finish searches a last line that has no end.
func (s *search) finish() error {
	if len(s.buf) > 0 {
		s.endLine(s.buf)
	}
	return s.failure
}

// grow takes more of a line and searches what is enough for a piece.
func (s *search) grow(p []byte) {
	s.buf = append(s.buf, p...)
	for len(s.buf) >= s.done+pieceSize+pieceMargin {
		if s.begun == s.start {
			s.opening = append(s.opening[:0], s.buf[:longLine+utf8.UTFMax]...)
		}
		s.places(s.buf[:s.done+pieceSize+pieceMargin], false)
		drop := s.done + pieceSize - pieceMargin
		s.buf = append(s.buf[:0], s.buf[drop:]...)
		s.begun += int64(drop)
		s.done = pieceMargin
	}
}

// endLine searches what is left of a line, which is all of it unless it was
// searched in pieces, and goes on to the next one.
func (s *search) endLine(rest []byte) {
	end := s.begun + int64(len(rest)) + 1
	switch {
	case end <= s.from:
		s.quiet(rest)
	case s.begun == s.start && len(rest) <= longLine:
		s.shortLine(bytes.TrimSuffix(rest, []byte("\r")))
	default:
		s.places(bytes.TrimSuffix(rest, []byte("\r")), true)
		if !s.lineHit {
			s.quiet(rest)
		}
	}
	s.line, s.start, s.begun = s.line+1, end, end
	s.buf, s.opening, s.done, s.lineHit, s.edge = s.buf[:0], s.opening[:0], 0, false, 0
}

func (s *search) shortLine(line []byte) {
	// Looking for bytes is a lot faster than looking for a pattern.
	if bytes.Contains(line, s.prefix) && s.re.Match(line) {
		s.show.hit(s.line, s.start, string(line))
		return
	}
	s.quiet(line)
}

// quiet notes a line without a match.
func (s *search) quiet(rest []byte) {
	if s.around == 0 {
		return
	}
	if len(s.opening) > 0 {
		rest = s.opening
	}
	s.show.quiet(s.line, s.start, rest)
}

// places shows the matches in a piece of a long line that start behind what was
// searched before and, unless the piece is the last of its line, before its
// margin.
func (s *search) places(piece []byte, last bool) {
	if !bytes.Contains(piece, s.prefix) {
		return
	}
	until := len(piece) - pieceMargin
	if last {
		until = len(piece) + 1 // a match of nothing may stand at the very end
	}
	for s.failure == nil {
		from := max(s.begun+int64(s.done), s.from, s.edge) - s.begun
		if from >= int64(until) {
			return
		}
		start, end, ok := s.find(piece, int(from))
		if !ok || start >= until {
			return
		}
		s.failure = s.ended()
		s.place(piece, start, end, last)
	}
}

// find is the first match that starts at an offset or behind it. The pattern
// sees what stands right before it: it may ask for the border of a word.
func (s *search) find(piece []byte, from int) (start, end int, ok bool) {
	for at := max(0, from-utf8.UTFMax); ; at++ {
		m := s.re.FindIndex(piece[at:])
		if m == nil {
			return 0, 0, false
		}
		if at+m[0] >= from {
			return at + m[0], at + m[1], true
		}
	}
}

// place shows one match in a long line. Others in what is shown around it do
// not count.
func (s *search) place(piece []byte, start, end int, last bool) {
	from, to := excerpt(piece, start)
	text := string(piece[from:to])
	if s.begun+int64(from) > s.start {
		text = "…" + text
	}
	if to < len(piece) || !last {
		text += "…"
	}
	s.lineHit = true
	s.edge = s.begun + int64(max(to, end, start+1))
	s.show.hit(s.line, s.begun+int64(start), text)
}

// excerpt is the range around a match, cut between characters.
func excerpt(piece []byte, at int) (from, to int) {
	from, to = max(0, at-excerptBefore), min(len(piece), at+excerptAfter)
	for from < at && !utf8.RuneStart(piece[from]) {
		from++
	}
	for to < len(piece) && to > at && !utf8.RuneStart(piece[to]) {
		to--
	}
	return from, to
}

// header says what a search found and how to go on.
func (s *search) header(size, missed int64) string {
	var b strings.Builder
	if s.show.shown == 0 {
		fmt.Fprintf(&b, "[no match in bytes %d–%d of %d", min(s.from, size), size, size)
	} else {
		fmt.Fprintf(&b, "[%d matches as line:byte:text", s.show.shown)
	}
	if missed > 0 {
		fmt.Fprintf(&b, "; %d values without this path are left out", missed)
	}
	if s.show.more > 0 {
		fmt.Fprintf(&b, "; %d more, next: offset %d]", s.show.more, s.show.next)
		return b.String()
	}
	b.WriteString("; the end]")
	return b.String()
}
