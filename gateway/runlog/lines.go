package runlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line of a journal that is read, in bytes. No record
// is as long: its texts are cut before it is written.
const MaxLine = 4 << 20

// span is where a line stands in its file.
type span struct {
	offset int64
	size   int
}

// lineReader splits a journal into lines, whatever their length, and keeps at
// most MaxLine bytes.
type lineReader struct {
	in    *bufio.Reader
	text  []byte // the line, without its break; valid until the next one
	at    span
	long  bool // over MaxLine: text is not all of it
	whole bool // it ends with a line break
	pos   int64
	err   error // why reading stopped, if not at the end
}

// newLineReader reads from a place at which a line starts.
func newLineReader(r io.ReaderAt, from int64) *lineReader {
	const buffer, end = 64 << 10, 1 << 62
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(r, from, end-from), buffer), pos: from}
}

// next moves on to the next line.
func (l *lineReader) next() bool {
	l.text, l.long, l.at.offset = l.text[:0], false, l.pos
	for {
		part, err := l.in.ReadSlice('\n')
		l.pos += int64(len(part))
		if l.long = l.long || len(l.text)+len(part) > MaxLine; !l.long {
			l.text = append(l.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.whole = err == nil
		l.text = bytes.TrimSuffix(l.text, []byte{'\n'})
		l.at.size = len(l.text)
		if err != nil && !errors.Is(err, io.EOF) {
			l.err = err
			return false
		}
		return l.whole || l.pos > l.at.offset
	}
}

// found is one record in a journal.
type found struct {
	kind kind
	Record
	text []byte // the line; valid until the next one
	at   span
}

// records goes through the records of a journal from a place on.
type records struct {
	lines *lineReader
	live  bool
	stats *Stats
	now   found
	done  int64 // where the first line starts that is not finished
}

// newRecords reads from a place at which a line starts or, where the file ends
// before it, from the start of what somebody has put in place of the rest.
func newRecords(o *opened, from int64, stats *Stats) *records {
	if o.endsBefore(from) {
		from = 0
	}
	return &records{lines: newLineReader(o.file, from), live: o.live, stats: stats, done: from}
}

// next moves on to the next record. Lines that are none are counted and skipped;
// a last line without a break may still be on its way.
func (r *records) next() bool {
	for r.lines.next() {
		if !r.lines.whole && r.live {
			return false
		}
		r.done = r.lines.pos
		k, rec, err := parseLine(r.lines.text)
		switch {
		case r.lines.long:
			r.stats.TooLong++
		case len(r.lines.text) == 0:
		case err != nil:
			r.stats.Broken++
		default:
			r.stats.Records++
			r.now = found{k, rec, r.lines.text, r.lines.at}
			return true
		}
	}
	return false
}
