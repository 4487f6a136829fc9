package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/cespare/xxhash/v2"
)

// Limits of one document.
const (
	MaxFiles = 10_000    // files, the main one and those that are not there included; DigitalOcean's has 2,900
	MaxTotal = 256 << 20 // bytes of all files together
)

// Options say where a document is.
type Options struct {
	// Path is the main file, or the http or https address of it.
	Path string
	// Fetch sends the request for an address; nil when there is no way to.
	Fetch Fetcher
	// CacheDir is a folder for the last answers of addresses, which is made when it is
	// needed; empty for none. They can be read by this user only.
	CacheDir string
}

// Source is a document of which the main file is read, but not yet what it says.
type Source struct {
	name  string // of the main file
	data  []byte
	dir   string // of the main file; empty when it came from an address
	base  string
	stale string
}

// Read reads the main file of a document, or asks its address for it. An error
// holds no query and no user info of the address.
func Read(ctx context.Context, o Options) (*Source, error) {
	switch {
	case IsAddress(o.Path) && isKnown(o.Path):
		return fetch(ctx, o)
	case IsAddress(o.Path):
		return nil, errScheme(o.Path)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	data, err := readMain(o.Path)
	if err != nil {
		return nil, err
	}
	return &Source{name: filepath.Base(o.Path), data: data, dir: filepath.Dir(o.Path)}, nil
}

// readMain reads the main file. What is no ordinary file is not opened: to open a
// pipe is to wait for its other end, and a device may have no end.
func readMain(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errFile}
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := readAll(f)
	if err == errFile {
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}

// openFlags open a file, and do not wait where a pipe was put in its place after it
// was looked at.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// readAll reads an ordinary file up to one byte more than may be used, which tells
// too large from whole. Its size says how much room it needs, and may be wrong.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errFile
	}
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), MaxSize)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, MaxSize+1))
	return b.Bytes(), err
}

// hasScheme is how an address starts, of whatever scheme (RFC 3986 section 3).
var hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// IsAddress tells an address, of http or of another scheme that [Read] refuses, from
// the path of a file.
func IsAddress(path string) bool { return hasScheme.MatchString(path) }

// isKnown reports an address of a scheme that is spoken.
func isKnown(address string) bool {
	scheme, _, _ := strings.Cut(address, "://")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// errScheme is the error about an address of another scheme.
func errScheme(address string) error {
	scheme, _, _ := strings.Cut(address, "://")
	return fmt.Errorf("documents are read from files and from http and https addresses, not from %s: addresses; of a file give its path", strings.ToLower(shortened(scheme)))
}

// Base is the address that the main file came from, without user info, query and
// fragment and after redirects; empty when it is a file.
func (s *Source) Base() string { return s.base }

// Stale says why an earlier answer of the address is used; empty when this one
// is new.
func (s *Source) Stale() string { return s.stale }

// Digest is what [Set.Digest] gives for the files with these names, which are
// those of [Set.Names], as they are now. It fails for more than MaxFiles names
// and for files of more than MaxTotal bytes.
func (s *Source) Digest(names []string) ([sha256.Size]byte, error) {
	sums := map[string]sum{s.name: sumOf(s.data)}
	total := len(s.data)
	for _, name := range names {
		if _, ok := sums[name]; ok {
			continue
		}
		if len(sums) == MaxFiles {
			return [sha256.Size]byte{}, errFiles
		}
		data, err := s.read(name)
		if total += len(data); total > MaxTotal {
			return [sha256.Size]byte{}, errTotal
		}
		if sums[name] = sumOf(data); err != nil {
			sums[name] = sum{}
		}
	}
	return digest(sums), nil
}

var (
	errFiles = fmt.Errorf("the document has more than %d files", MaxFiles)
	errTotal = fmt.Errorf("the files of the document are larger than %d MiB together", MaxTotal>>20)
	errPlace = errors.New("it is outside of the folder of the document")
	errFile  = errors.New("it is not a file")
	errSize  = fmt.Errorf("the file is larger than %d MiB", MaxSize>>20)
)

// sum tells one text of a file from another; of one that cannot be read it is not
// there. It is no cryptographic one: whoever may write the document need not forge
// its sum, and of large documents that would be half the time that it takes to use
// what was kept of them.
type sum struct {
	hash  uint64 // xxHash
	size  int
	there bool
}

func sumOf(data []byte) sum { return sum{xxhash.Sum64(data), len(data), true} }

// digest is one value for files by name. Files that are not there count, so that
// it differs once they are.
func digest(sums map[string]sum) [sha256.Size]byte {
	names := make([]string, 0, len(sums))
	for name := range sums {
		names = append(names, name)
	}
	slices.Sort(names)
	var text []byte
	for _, name := range names {
		text = binary.AppendUvarint(text, uint64(len(name)))
		text = append(text, name...)
		if s := sums[name]; s.there {
			text = binary.AppendUvarint(append(text, 1), uint64(s.size))
			text = binary.BigEndian.AppendUint64(text, s.hash)
			continue
		}
		text = append(text, 0)
	}
	return sha256.Sum256(text)
}

// read reads a file below the folder of the main file. Links lead to what is below
// it too, or nowhere.
func (s *Source) read(name string) ([]byte, error) {
	if s.dir == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errPlace
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, reason(err)
	}
	defer func() { _ = root.Close() }()
	switch info, err := root.Stat(name); {
	case err != nil && s.escapes(name):
		return nil, errPlace
	case err != nil:
		return nil, reason(err)
	case !info.Mode().IsRegular():
		return nil, errFile
	case info.Size() > MaxSize:
		return nil, errSize
	}
	f, err := root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, reason(err)
	}
	defer func() { _ = f.Close() }()
	data, err := readAll(f)
	if len(data) > MaxSize {
		return nil, errSize
	}
	return data, reason(err)
}

// escapes reports a name that links lead out of the folder. It words an error, and
// guards nothing.
func (s *Source) escapes(name string) bool {
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, target)
	return err != nil || !filepath.IsLocal(rel)
}

// reason is an error of a file without its path, which the caller names.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// nameOf is the name of the main file of an address.
func nameOf(urlPath, host string) string {
	if name := path.Base(urlPath); name != "." && name != "/" {
		return name
	}
	return host
}
