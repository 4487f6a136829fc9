package runlog

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	newSuffix  = ".new" // behind it, of a file that is not locked yet
	dirMode    = 0o700
	// defaultMaxFile is the size at which another file is begun, in bytes.
	defaultMaxFile = 8 << 20
	fileMode       = 0o600
	// maxPooled is the largest buffer kept for the next record, in bytes.
	maxPooled = 64 << 10
)

// Options are the limits of a journal; zero means the default.
type Options struct {
	MaxArguments int // bytes of arguments; larger ones are replaced by their size
	MaxResult    int // characters of a result
	MaxFile      int // bytes after which the next record begins another file; 8 MiB
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
	if o.MaxFile <= 0 {
		o.MaxFile = defaultMaxFile
	}
	return o, nil
}

// Journal is this process's files in a folder of journals: one that is written,
// and those before it in which some call has started that has not ended. It is
// safe for concurrent use.
type Journal struct {
	dir     string
	opts    Options
	name    string    // of all its files, but for their number
	buffers sync.Pool // of *bytes.Buffer

	mu      sync.Mutex          // guards writing, next, spare, began and the counts of segments
	writing bool                // somebody writes, and is the only one who touches what follows them
	next    *group              // the records that came meanwhile
	spare   []byte              // room for the records of another group
	began   map[string]*segment // where the calls that have started and not ended stand

	file   *segment // nil once closed
	number int      // of the file
	torn   bool     // the last write ended inside a line
	used   bool     // something was written to the file
}

// group is records that are written together.
type group struct {
	data   []byte
	starts int           // how many of them are starts
	turn   chan struct{} // closed when the one that came first may write them all
	done   chan struct{} // closed when they are written
	at     *segment      // where they are written
	err    error         // why they are not
}

// Open creates the folder if need be (mode 0700) and in it a file of this
// process (mode 0600), locked until Close or the end of the process. A file that
// has grown to Options.MaxFile is followed by another one, and given up when the
// calls that have started in it have ended.
func Open(dir string, opts Options) (*Journal, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	j := &Journal{
		dir: dir, opts: opts, buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }}, began: map[string]*segment{},
		name: fmt.Sprintf("%s-%d-%s", time.Now().UTC().Format("20060102T150405.000000Z"), os.Getpid(), rand.Text()),
	}
	j.file, err = j.create()
	return j, err
}

// Start records that a call is about to run, so that it leaves a trace even if
// the process is killed before its end. When it fails nothing is recorded.
func (j *Journal) Start(rec Record) error {
	at, err := j.append(kindStart, rec)
	if err == nil {
		j.begin(rec.CallID, at)
	}
	return err
}

// End records how a call ended. When it fails nothing is recorded.
func (j *Journal) End(rec Record) error {
	_, err := j.append(kindEnd, rec)
	j.end(rec.CallID)
	return err
}

// append writes a record and gives the file in which it stands.
func (j *Journal) append(k kind, rec Record) (*segment, error) {
	if rec.CallID == "" {
		return nil, errors.New("a call without an identifier cannot be recorded")
	}
	rec = rec.trimmed(j.opts)
	l := newLine(k, &rec)
	buf, _ := j.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	if err := encode(buf, &l); err != nil {
		return nil, err
	}
	starts := 0
	if k == kindStart {
		starts = 1
	}
	at, err := j.write(buf.Bytes(), starts)
	if buf.Cap() <= maxPooled {
		j.buffers.Put(buf)
	}
	return at, err
}

// write appends a record. Where nobody else writes it does so at once; records
// that come meanwhile wait together, and the first of them writes them all with
// a single write. Nobody returns before its own record is written.
func (j *Journal) write(data []byte, starts int) (*segment, error) {
	j.mu.Lock()
	if !j.writing {
		j.writing = true
		j.mu.Unlock()
		at, err := j.put(data, starts)
		j.pass()
		return at, err
	}
	first := j.next == nil
	g := j.join()
	g.data = append(g.data, data...)
	g.starts += starts
	j.mu.Unlock()
	if !first {
		<-g.done
		return g.at, g.err
	}
	<-g.turn
	g.at, g.err = j.put(g.data, g.starts)
	close(g.done)
	j.keep(g.data)
	j.pass()
	return g.at, g.err
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

// put appends records with a single write and gives the file. A disk that fills
// up may take a part of it: that part is taken back, and where that fails the next
// record starts on a line of its own.
func (j *Journal) put(data []byte, starts int) (*segment, error) {
	if len(data) == 0 {
		return j.file, nil
	}
	if j.file == nil {
		return nil, fmt.Errorf("the log is closed: %w", fs.ErrClosed)
	}
	size, err := j.ready()
	if err != nil {
		return nil, err
	}
	if j.torn {
		data = append([]byte{'\n'}, data...)
	}
	n, err := j.file.Write(data)
	switch {
	case err == nil:
		j.torn, j.used = false, true
		j.count(starts)
	case n > 0 && j.file.Truncate(size) != nil:
		j.torn, j.used = true, true
	}
	return j.file, j.file.named(err)
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
		err = os.Remove(file.path)
	}
	return errors.Join(err, j.leaveAll(), file.Close())
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
			g.at, g.err = j.put(g.data, g.starts) // of those that came after
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
