package memfs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// driver turns bytes into operations on a file system, and its answers into lines. The
// same bytes are the same operations on any.
type driver struct {
	fs    sys.FS
	below string // of every path
	bytes []byte
	open  []sys.File
	lines []string
}

// depth is how far below the root of both the operations are, so that no path of
// mostOps operations, with at most one ".." in each, gets out of it.
const (
	mostOps = 60
	depth   = mostOps + 2
)

// nested is the folder in which all is done.
var nested = strings.Repeat("w/", depth) + "r/"

// paths are what operations are about. One in a folder that is not there, or is a file
// or a link by then, is as good as any.
var paths = []string{
	"a", "b", "c", "a", "b", "c", "a/b", "a/c", "b/a", "b/c", "b/a/c", "a/b/c", "b/a/c/a", "a/", "b/", "a/b/", "c/.",
	"a/../b", "../r/a", "./b", "a//b", ".", "a/.", "a/..", "b/../a/c", "c/b", "c/a/../b",
}

// targets are of symbolic links.
var targets = []string{"a", "b", "b/a", "../r/a", "a/", "c", ".", "../r", "missing", "b/../a", ""}

var oflags = []sys.Oflag{
	sys.O_RDONLY, sys.O_RDWR, sys.O_WRONLY, sys.O_RDWR | sys.O_CREAT, sys.O_RDWR | sys.O_CREAT, sys.O_WRONLY | sys.O_CREAT | sys.O_TRUNC,
	sys.O_RDWR | sys.O_CREAT | sys.O_EXCL, sys.O_WRONLY | sys.O_APPEND | sys.O_CREAT, sys.O_RDONLY | sys.O_DIRECTORY, sys.O_RDWR | sys.O_NOFOLLOW,
	sys.O_RDONLY | sys.O_NOFOLLOW, sys.O_RDWR | sys.O_CREAT | sys.O_EXCL | sys.O_NOFOLLOW, sys.O_RDWR | sys.O_TRUNC, sys.O_RDWR | sys.O_APPEND,
}

// places are offsets and lengths, about the borders of chunks.
var places = []int64{0, 1, 5, 100, 4096, chunkSize - 1, chunkSize, chunkSize + 1, 2*chunkSize - 3, 200_000, -1}

func (d *driver) next() int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b)
}

func pick[T any](d *driver, of []T) T { return of[d.next()%len(of)] }

func (d *driver) path() string { return d.below + pick(d, paths) }

func (d *driver) say(format string, args ...any) {
	d.lines = append(d.lines, strings.ReplaceAll(fmt.Sprintf(format, args...), d.below, ""))
}

// run does what the bytes say, and closes what is open.
func (d *driver) run() []string {
	d.lines = nil
	for range mostOps {
		if len(d.bytes) == 0 {
			break
		}
		if op := d.next(); op%2 == 0 || len(d.open) == 0 {
			d.named(op / 2)
		} else {
			d.handle(op / 2)
		}
	}
	d.say("%s", tree(d.fs, strings.TrimSuffix(d.below, "/")))
	for _, h := range d.open {
		d.say("close %s", word(h.Close()))
	}
	d.open = nil
	return d.lines
}

// named does one operation on a path.
func (d *driver) named(op int) {
	switch p := d.path(); op % 10 {
	case 0, 1, 2:
		flag := pick(d, oflags)
		h, errno := d.fs.OpenFile(p, flag, 0o644)
		if errno == 0 {
			d.open = append(d.open, h)
		}
		d.say("open %s %x: %s", p, flag, word(errno))
	case 3:
		d.say("mkdir %s: %s", p, word(d.fs.Mkdir(p, 0o755)))
	case 4:
		d.say("rmdir %s: %s", p, word(d.fs.Rmdir(p)))
	case 5:
		d.say("unlink %s: %s", p, word(d.fs.Unlink(p)))
	case 6:
		to := d.path()
		d.say("rename %s %s: %s", p, to, word(d.fs.Rename(p, to)))
	case 7:
		to := d.path()
		d.say("link %s %s: %s", p, to, word(d.fs.Link(p, to)))
	case 8:
		to := pick(d, targets)
		d.say("symlink %s at %s: %s", to, p, word(d.fs.Symlink(to, p)))
	case 9:
		d.look(p)
	}
}

func (d *driver) look(p string) {
	st, errno := d.fs.Stat(p)
	d.say("stat %s: %s %s", p, told(st), word(errno))
	st, errno = d.fs.Lstat(p)
	d.say("lstat %s: %s %s", p, told(st), word(errno))
	to, errno := d.fs.Readlink(p)
	d.say("readlink %s: %s %s", p, to, word(errno))
	d.say("utimens %s: %s", p, word(d.fs.Utimens(p, 1e18, sys.UTIME_OMIT)))
}

// handle does one operation on a handle.
func (d *driver) handle(op int) {
	i := d.next() % len(d.open)
	h := d.open[i]
	switch op % 10 {
	case 0, 1:
		d.put(h.Write, "write", i)
	case 2:
		at := pick(d, places)
		d.put(func(p []byte) (int, sys.Errno) { return h.Pwrite(p, at) }, fmt.Sprint("pwrite at ", at), i)
	case 3:
		if isDir, _ := h.IsDir(); !isDir { // some of Linux's say EINVAL once all was listed
			d.get(h.Read, "read", i)
		}
	case 4:
		at := pick(d, places)
		d.get(func(p []byte) (int, sys.Errno) { return h.Pread(p, at) }, fmt.Sprint("pread at ", at), i)
	case 5:
		if isDir, _ := h.IsDir(); !isDir {
			at, errno := h.Seek(pick(d, places), d.next()%3)
			d.say("seek %d: %d %s", i, at, word(errno))
		}
	case 6:
		size := pick(d, places)
		d.say("truncate %d %d: %s", i, size, word(h.Truncate(size)))
	case 7:
		st, errno := h.Stat()
		d.say("fstat %d: %s %s", i, told(st), word(errno))
	case 8:
		if isDir, _ := h.IsDir(); isDir {
			_, _ = h.Seek(0, io.SeekStart)
			names, errno := listing(h)
			d.say("readdir %d: %s %s", i, names, word(errno))
		}
	case 9:
		d.say("close %d: %s", i, word(h.Close()))
		d.open = slices.Delete(d.open, i, i+1)
	}
}

func (d *driver) put(write func([]byte) (int, sys.Errno), name string, i int) {
	n := max(0, pick(d, places))
	p := make([]byte, n)
	for at := range p {
		p[at] = byte(at*7 + len(d.lines))
	}
	done, errno := write(p)
	d.say("%s %d %d: %d %s", name, i, n, done, word(errno))
}

func (d *driver) get(read func([]byte) (int, sys.Errno), name string, i int) {
	p := make([]byte, max(0, pick(d, places)))
	n, errno := read(p)
	d.say("%s %d %d: %d %x %s", name, i, len(p), n, sum(p[:max(0, n)]), word(errno))
}

// word is an error as a guest gets it.
func word(errno sys.Errno) string {
	if errno >= ENOSPC {
		errno = sys.EIO
	}
	return errno.Error()
}

// told is what every file system must tell of a file alike.
func told(st wasys.Stat_t) string {
	if st.Mode.IsDir() {
		return "folder"
	}
	return fmt.Sprint(st.Mode.Type(), " ", st.Nlink, " ", st.Size)
}

// listing is what is in a folder.
func listing(h sys.File) (string, sys.Errno) {
	entries, errno := h.Readdir(-1)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " "), errno
}

// tree is all that is below a folder, with contents.
func tree(fs sys.FS, at string) string {
	st, errno := fs.Lstat(at)
	out := fmt.Sprintf("%s: %s %s", at, told(st), word(errno))
	if to, errno := fs.Readlink(at); errno == 0 {
		return out + " -> " + to + "\n"
	}
	h, errno := fs.OpenFile(at, sys.O_RDONLY, 0)
	if errno != 0 {
		return out + " " + word(errno) + "\n"
	}
	defer h.Close()
	if !st.Mode.IsDir() {
		p := make([]byte, st.Size)
		n, errno := h.Read(p)
		return fmt.Sprintf("%s %d %x %s\n", out, n, sum(p), word(errno))
	}
	names, errno := listing(h)
	out += " " + word(errno) + "\n"
	for name := range strings.FieldsSeq(names) {
		out += tree(fs, at+"/"+name)
	}
	return out
}
