package runlog

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Defaults and bounds of [Options].
const (
	DefaultMaxArguments = 64 << 10  // bytes
	DefaultMaxResult    = 2000      // characters
	MostKept            = 128 << 10 // the largest value of either
)

const (
	fileSuffix = ".jsonl"
	dirMode    = 0o700
	fileMode   = 0o600
	// maxPooled is the largest buffer kept for the next record, in bytes.
	maxPooled = 64 << 10
)

// Options are the limits of a journal; zero means the default.
type Options struct {
	MaxArguments int // bytes of arguments; larger ones are replaced by their size
	MaxResult    int // characters of a result
}

func (o Options) checked() (Options, error) {
	if o.MaxArguments < 0 || o.MaxArguments > MostKept || o.MaxResult < 0 || o.MaxResult > MostKept {
		return o, fmt.Errorf("the log keeps between 0 and %d bytes of arguments and characters of a result (asked for: %d and %d)",
			MostKept, o.MaxArguments, o.MaxResult)
	}
	if o.MaxArguments == 0 {
		o.MaxArguments = DefaultMaxArguments
	}
	if o.MaxResult == 0 {
		o.MaxResult = DefaultMaxResult
	}
	return o, nil
}

// Journal is this process's file in a folder of journals. It is safe for
// concurrent use.
type Journal struct {
	dir     string
	opts    Options
	buffers sync.Pool // of *bytes.Buffer

	mu      sync.Mutex // guards writing, next and spare
	writing bool       // somebody writes, and is the only one who touches what follows
	next    *group     // the records that came meanwhile
	spare   []byte     // room for the records of another group

	file *os.File // nil once closed
	torn bool     // the last write ended inside a line
	used bool     // something was written
}

// group is records that are written together.
type group struct {
	data []byte
	turn chan struct{} // closed when the one that came first may write them all
	done chan struct{} // closed when they are written
	err  error         // why they are not
}

// Open creates the folder if need be (mode 0700) and in it a file of this
// process (mode 0600), locked until Close or the end of the process.
func Open(dir string, opts Options) (*Journal, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	file, err := create(dir)
	if err != nil {
		return nil, err
	}
	return &Journal{dir: dir, opts: opts, file: file, buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }}}, nil
}

// create makes the folder and in it a file whose name sorts by time and belongs
// to no other process, and locks it.
func create(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d-%s%s", time.Now().UTC().Format("20060102T150405.000000Z"), os.Getpid(), rand.Text(), fileSuffix)
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, err
	}
	// A reader may hold its own lock for a moment: wait for it.
	if err := lock(file, syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}

// Start records that a call is about to run, so that it leaves a trace even if
// the process is killed before its end. When it fails nothing is recorded.
func (j *Journal) Start(rec Record) error { return j.append(kindStart, rec) }

// End records how a call ended. When it fails nothing is recorded.
func (j *Journal) End(rec Record) error { return j.append(kindEnd, rec) }

func (j *Journal) append(k kind, rec Record) error {
	if rec.CallID == "" {
		return errors.New("a call without an identifier cannot be recorded")
	}
	rec = rec.trimmed(j.opts)
	l := newLine(k, &rec)
	buf, _ := j.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	if err := encode(buf, &l); err != nil {
		return err
	}
	err := j.write(buf.Bytes())
	if buf.Cap() <= maxPooled {
		j.buffers.Put(buf)
	}
	return err
}

// write appends a record. Where nobody else writes it does so at once; records
// that come meanwhile wait together, and the first of them writes them all with
// a single write. Nobody returns before its own record is written.
func (j *Journal) write(data []byte) error {
	j.mu.Lock()
	if !j.writing {
		j.writing = true
		j.mu.Unlock()
		err := j.put(data)
		j.pass()
		return err
	}
	first := j.next == nil
	g := j.join()
	g.data = append(g.data, data...)
	j.mu.Unlock()
	if !first {
		<-g.done
		return g.err
	}
	<-g.turn
	g.err = j.put(g.data)
	close(g.done)
	j.keep(g.data)
	j.pass()
	return g.err
}

// join gives the group of those who wait; mu is held.
func (j *Journal) join() *group {
	if j.next == nil {
		j.next = &group{turn: make(chan struct{}), done: make(chan struct{}), data: j.spare[:0]}
		j.spare = nil
	}
	return j.next
}

// keep lets the next group have the room of one that is written.
func (j *Journal) keep(data []byte) {
	if cap(data) > maxPooled {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.spare = data
}

// pass lets the next ones write.
func (j *Journal) pass() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next == nil {
		j.writing = false
		return
	}
	close(j.next.turn)
	j.next = nil
}

// put appends records with a single write. A disk that fills up may take a part
// of it: that part is taken back, and where that fails the next record starts on
// a line of its own.
func (j *Journal) put(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if j.file == nil {
		return fmt.Errorf("the log is closed: %w", fs.ErrClosed)
	}
	size, err := j.reopen()
	if err != nil {
		return err
	}
	if j.torn {
		data = append([]byte{'\n'}, data...)
	}
	n, err := j.file.Write(data)
	switch {
	case err == nil:
		j.torn, j.used = false, true
	case n > 0 && j.file.Truncate(size) != nil:
		j.torn, j.used = true, true
	}
	return err
}

// reopen starts another file when somebody removed this one: what is written to
// a file without a name is lost when the process ends. It gives the file's size.
func (j *Journal) reopen() (size int64, err error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(j.file.Fd()), &stat); err != nil {
		return 0, os.NewSyscallError("fstat "+j.file.Name(), err)
	}
	if stat.Nlink > 0 {
		return stat.Size, nil
	}
	file, err := create(j.dir)
	if err != nil {
		return 0, err
	}
	_ = j.file.Close() // nothing can be read of it any more
	j.file, j.torn, j.used = file, false, false
	return 0, nil
}

// Close gives up the lock and closes the file; a file without a record is
// removed. Calls that have not ended count as interrupted from now on. Closing
// again does nothing.
func (j *Journal) Close() error {
	j.claim()
	defer j.pass()
	if j.file == nil {
		return nil
	}
	file := j.file
	j.file = nil
	var err error
	if !j.used {
		err = os.Remove(file.Name())
	}
	return errors.Join(err, file.Close())
}

// claim waits until nobody writes and keeps others from it until pass.
func (j *Journal) claim() {
	for {
		j.mu.Lock()
		if !j.writing {
			j.writing = true
			j.mu.Unlock()
			return
		}
		first := j.next == nil
		g := j.join()
		if first {
			j.mu.Unlock()
			<-g.turn
			g.err = j.put(g.data) // of those that came after
			close(g.done)
			return
		}
		j.mu.Unlock()
		<-g.done
	}
}

// lock places a flock(2) lock, which ends with the open file and so with the
// process.
func lock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("flock "+file.Name(), err)
		}
	}
}
