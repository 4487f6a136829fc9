package runlog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolgate/toolgate/gateway/tool"
)

// MaxLine is the longest line of a journal that is read, in bytes. No record
// is as long: its texts are cut before it is written.
const MaxLine = 4 << 20

// Stats says what was read besides the calls that were found.
type Stats struct {
	Files   int // journals
	Records int // starts and ends
	Broken  int // lines that are no records: torn by a kill or a full disk
	TooLong int // lines over MaxLine
}

// Read finds calls in a folder of journals. It returns the newest
// [Query.Limit] of those that match, oldest first. A folder that does not
// exist holds no calls yet; a journal that cannot be read is an error that
// names it. However large the journals are, no more than the calls returned
// and a few words for each call that had not ended are kept in memory.
func Read(dir string, q Query) ([]Entry, Stats, error) {
	found, err := newSelection(q)
	if err != nil {
		return nil, Stats{}, err
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Stats{}, nil
	}
	if err != nil {
		return nil, Stats{}, err
	}
	r := reader{found: found}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), fileSuffix) || !f.Type().IsRegular() {
			continue // a pipe of that name would be waited for without end
		}
		if err := r.readFile(filepath.Join(dir, f.Name())); err != nil {
			return nil, r.stats, err
		}
	}
	return found.entries(), r.stats, nil
}

// reader goes through journals one after another.
type reader struct {
	found *selection
	stats Stats
}

func (r *reader) readFile(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its process closed it without a record
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	// Asked before reading: a process that ends meanwhile may have recorded
	// more than was read, and its calls must not count as interrupted.
	live, err := owned(file)
	if err != nil {
		return err
	}
	r.stats.Files++
	if err := r.readJournal(file, live); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// owned reports whether the process that writes the file lives.
func owned(file *os.File) (bool, error) {
	err := lock(file, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err // the lock goes with the file
}

// source is what a journal is read from.
type source interface {
	io.Reader
	io.ReaderAt
}

// readJournal selects from one journal. Of a call that has started only the
// place is kept: its end says everything again.
func (r *reader) readJournal(src source, live bool) error {
	open := make(map[string]span)
	lines := newLineReader(src)
	for lines.next() {
		k, rec, err := parseLine(lines.text)
		switch {
		case lines.long:
			r.stats.TooLong++
			continue
		case len(lines.text) == 0:
			continue
		case err != nil:
			// A last line without a break may still be on its way.
			if !live || lines.whole {
				r.stats.Broken++
			}
			continue
		}
		r.stats.Records++
		if k == kindStart {
			open[rec.CallID] = lines.at
			continue
		}
		delete(open, rec.CallID)
		r.found.add(Entry{Record: rec, Status: ended(&rec)})
	}
	if lines.err != nil {
		return lines.err
	}
	return r.unended(src, open, live)
}

func ended(rec *Record) Status {
	if rec.Code == "" {
		return StatusOK
	}
	return StatusError
}

// unended selects from the calls that have a start but no end.
func (r *reader) unended(src io.ReaderAt, open map[string]span, live bool) error {
	inOrder := slices.SortedFunc(maps.Values(open), func(a, b span) int { return cmp.Compare(a.offset, b.offset) })
	for _, at := range inOrder {
		text := make([]byte, at.size)
		if _, err := src.ReadAt(text, at.offset); err != nil {
			return err
		}
		_, rec, err := parseLine(text)
		if err != nil {
			return err
		}
		e := Entry{Record: rec, Status: StatusRunning}
		if !live {
			e.Status, e.Code = StatusInterrupted, tool.Interrupted
		}
		r.found.add(e)
	}
	return nil
}

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

func newLineReader(r io.Reader) *lineReader {
	const buffer = 64 << 10
	return &lineReader{in: bufio.NewReaderSize(r, buffer)}
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
