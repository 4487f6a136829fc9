package result

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Defaults of [Options].
const (
	DefaultKeep    = 24 * time.Hour
	DefaultMost    = 4 << 30 // bytes
	DefaultMostOne = 1 << 30 // bytes
)

const (
	dirMode    = 0o700
	fileMode   = 0o600
	tempPrefix = "tmp_"
	copyBuffer = 64 << 10 // bytes
)

// ErrTooLarge is why a result was not kept: it has more than Options.MostOne
// bytes.
var ErrTooLarge = errors.New("the result is larger than one that is kept may be")

// Options are the limits of a folder; zero means the default.
type Options struct {
	Keep    time.Duration // how long a result can be read
	Most    int64         // bytes of all files; over it the oldest go first
	MostOne int64         // bytes of one result; less where Most leaves less for it
	Now     func() time.Time
}

func (o Options) checked() (Options, error) {
	if o.Keep < 0 || o.Most < 0 || o.MostOne < 0 {
		return o, fmt.Errorf("the limits of kept results cannot be negative (keep %v, most %d, most_one %d)", o.Keep, o.Most, o.MostOne)
	}
	o.Keep = cmp.Or(o.Keep, DefaultKeep)
	o.Most = cmp.Or(o.Most, DefaultMost)
	o.MostOne = min(cmp.Or(o.MostOne, DefaultMostOne), max(o.Most-headerSize, 0))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// Folder is a [Store] of files, one for each result. Several processes may
// share it. What Put returned a handle for survives a kill of the process,
// though not a loss of power, because nothing waits for the disk.
type Folder struct {
	dir  string
	opts Options

	mu    sync.Mutex // guards what follows: one sweep at a time
	total int64      // bytes in the folder, as far as this process knows
	swept time.Time  // when they were last counted
}

// OpenFolder returns the store in a folder, after it removed what has expired
// there. The folder is made by the first Put (mode 0700). It is an error when
// something else than a folder has its name, or when it cannot be read.
func OpenFolder(dir string, opts Options) (*Folder, error) {
	opts, err := opts.checked()
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, opts: opts}
	if err := f.sweep(""); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f, nil
}

// Put writes the result to a file of a temporary name and gives it its own
// when it is complete. It ends with its context, and at Options.MostOne bytes
// with ErrTooLarge.
func (f *Folder) Put(ctx context.Context, meta Meta, r io.Reader) (Meta, error) {
	f.sweepIfDue()
	if err := os.MkdirAll(f.dir, dirMode); err != nil {
		return Meta{}, err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, tempPrefix+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	if err != nil {
		return Meta{}, err
	}
	meta, err = f.fill(ctx, file, meta, r)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = f.publish(file.Name(), meta)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // a leftover goes with a later sweep
		return Meta{}, err
	}
	f.count(meta)
	return meta, nil
}

// fill writes the bytes and, now that their number is known, the header before
// them.
func (f *Folder) fill(ctx context.Context, file *os.File, meta Meta, r io.Reader) (Meta, error) {
	if _, err := file.Seek(headerSize, io.SeekStart); err != nil {
		return Meta{}, err
	}
	// Without its other methods the file is written in pieces, and between them
	// the context and the limit are looked at.
	from := &bounded{r: r, left: f.opts.MostOne, ended: func() error { return context.Cause(ctx) }}
	size, err := io.CopyBuffer(struct{ io.Writer }{file}, from, make([]byte, copyBuffer))
	if err != nil {
		return Meta{}, err
	}
	kept := f.opts.Now().UTC().Truncate(time.Millisecond)
	meta.Handle, meta.Size, meta.Kept, meta.Expires = NewHandle(), size, kept, kept.Add(f.opts.Keep)
	head, err := encodeHeader(meta)
	if err != nil {
		return Meta{}, err
	}
	_, err = file.WriteAt(head, 0)
	return meta, err
}

// publish gives a complete file its name. Its time of change is when it
// expires, so that a sweep need not open it.
func (f *Folder) publish(temp string, meta Meta) error {
	if err := os.Chtimes(temp, meta.Expires, meta.Expires); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(f.dir, meta.Handle))
}

// Open opens the file of a handle when it is whole, has not expired and is the
// owner's, and answers ErrNone otherwise.
func (f *Folder) Open(_ context.Context, owner, handle string) (Meta, Blob, error) {
	if !ValidHandle(handle) {
		return Meta{}, nil, ErrNone
	}
	file, err := os.Open(filepath.Join(f.dir, handle))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Meta{}, nil, ErrNone
	case err != nil:
		return Meta{}, nil, err
	}
	meta, ok := readHeader(file, owner, handle)
	if !ok || !f.opts.Now().Before(meta.Expires) {
		_ = file.Close()
		return Meta{}, nil, ErrNone
	}
	return meta, &fileBlob{SectionReader: io.NewSectionReader(file, headerSize, meta.Size), file: file}, nil
}

// fileBlob is the part of a file that follows its header.
type fileBlob struct {
	*io.SectionReader
	file *os.File
}

// Close closes the file.
func (b *fileBlob) Close() error { return b.file.Close() }

// bounded reads until its limit or an end from outside.
type bounded struct {
	r     io.Reader
	left  int64
	ended func() error
}

// Read reads at most one byte more than the limit, which tells "just fits"
// from "too large".
func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ended(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}
