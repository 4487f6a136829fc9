package memfs

import (
	"io/fs"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// FS is a tree of files in memory. To a guest it is what wazero calls with the guest's
// paths (experimental/sys.FS, where the methods are described); mount it with
// experimental/sysfs.FSConfig.WithSysFSMount. Chmod is ENOSYS, as WASI has none.
type FS struct {
	sys.UnimplementedFS

	o       Options
	root    *node
	inode   uint64 // the newest
	used    usage
	open    map[*file]struct{}
	mount   *file // the first handle of the root: wazero's, for the mount
	refused sys.Errno

	epoch   uint64  // counts marks and resets
	touched []*node // whose state differs from the mark's
	mark    mark
}

// usage is what the limits are held against.
type usage struct {
	bytes int64
	names int
}

// New returns an empty file system, whose root is read-only to the guest until
// AddFolder says otherwise. It is marked as it is.
func New(o Options) *FS {
	f := &FS{o: o.whole(), open: map[*file]struct{}{}}
	f.root = f.make(fs.ModeDir)
	f.root.links, f.root.readonly = 1, true
	f.Mark()
	return f
}

func (f *FS) now() int64 { return f.o.Now().UnixNano() }

// OpenFile implements sys.FS.
func (f *FS) OpenFile(path string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	p, errno := f.resolve(path, followed(flag))
	if errno == 0 {
		errno = f.mayOpen(p, flag)
	}
	if errno != 0 {
		return nil, f.refuse(errno)
	}
	if p.node == nil {
		p.node = f.make(0)
		f.enter(p.dir, p.name, p.node, false)
	}
	if flag&sys.O_TRUNC != 0 {
		f.resize(p.node, 0)
	}
	return f.handle(p.node, flag), 0
}

// followed says what open does with a link at the end of the path.
func followed(flag sys.Oflag) follow {
	switch creates := flag&sys.O_CREAT != 0; {
	case creates && flag&(sys.O_EXCL|sys.O_NOFOLLOW) != 0:
		return never
	case creates:
		return unslashed
	case flag&sys.O_NOFOLLOW != 0:
		return slashed
	}
	return always
}

// mayOpen checks everything before anything is changed.
func (f *FS) mayOpen(p place, flag sys.Oflag) sys.Errno {
	creates := flag&sys.O_CREAT != 0
	writes := flag&(sys.O_WRONLY|sys.O_RDWR|sys.O_TRUNC) != 0
	switch {
	case p.node == nil && !creates:
		return sys.ENOENT
	case creates && p.slash && p.dir != nil:
		return sys.EISDIR
	case p.node != nil && creates && flag&sys.O_EXCL != 0:
		return sys.EEXIST
	case len(f.open) >= f.o.Handles:
		return EMFILE
	case p.node == nil:
		return f.mayEnter(p)
	case p.node.kind == fs.ModeSymlink:
		return sys.ELOOP
	case p.node.kind == fs.ModeDir && (creates || writes):
		return sys.EISDIR
	case p.node.kind != fs.ModeDir && (p.slash || flag&sys.O_DIRECTORY != 0):
		return sys.ENOTDIR
	case p.node.readonly && writes:
		return sys.EROFS
	}
	return 0
}

// mayEnter checks that a name can be added where there is none.
func (f *FS) mayEnter(p place) sys.Errno {
	switch {
	case p.dir.readonly:
		return sys.EROFS
	case f.used.names >= f.o.Files:
		return ENOSPC
	}
	return 0
}

// Lstat implements sys.FS.
func (f *FS) Lstat(path string) (wasys.Stat_t, sys.Errno) { return f.stat(path, slashed) }

// Stat implements sys.FS.
func (f *FS) Stat(path string) (wasys.Stat_t, sys.Errno) { return f.stat(path, always) }

func (f *FS) stat(path string, end follow) (wasys.Stat_t, sys.Errno) {
	n, errno := f.existing(path, end)
	if errno != 0 {
		return wasys.Stat_t{}, errno
	}
	return n.stat(), 0
}

// Utimens implements sys.FS.
func (f *FS) Utimens(path string, atim, mtim int64) sys.Errno {
	n, errno := f.existing(path, always)
	if errno != 0 {
		return errno
	}
	return f.utimens(n, atim, mtim)
}

// Mkdir implements sys.FS.
func (f *FS) Mkdir(path string, _ fs.FileMode) sys.Errno {
	p, errno := f.vacant(path)
	if errno != 0 {
		return errno
	}
	f.enter(p.dir, p.name, f.make(fs.ModeDir), false)
	return 0
}

// vacant finds the place of a path where nothing is, and where something may be.
func (f *FS) vacant(path string) (place, sys.Errno) {
	p, errno := f.resolve(path, never)
	switch {
	case errno != 0:
	case p.node != nil:
		errno = sys.EEXIST
	default:
		errno = f.mayEnter(p)
	}
	return p, f.refuse(errno)
}

// Rmdir implements sys.FS.
func (f *FS) Rmdir(path string) sys.Errno {
	p, errno := f.resolve(path, never)
	switch {
	case errno != 0:
		return errno
	case p.name == ".":
		return sys.EINVAL
	case p.name == "..":
		return sys.ENOTEMPTY
	case p.dir == nil:
		return f.refuse(EBUSY)
	case p.dir.readonly:
		return sys.EROFS
	case p.node == nil:
		return sys.ENOENT
	case p.node.kind != fs.ModeDir:
		return sys.ENOTDIR
	case p.node.readonly: // a place of the host's
		return sys.EROFS
	case len(p.node.names) > 0:
		return sys.ENOTEMPTY
	}
	f.remove(p.dir, p.name)
	return 0
}

// Unlink implements sys.FS.
func (f *FS) Unlink(path string) sys.Errno {
	p, errno := f.resolve(path, never)
	switch {
	case errno != 0:
		return errno
	case p.dir == nil:
		return sys.EISDIR
	case p.dir.readonly:
		return sys.EROFS
	case p.node == nil:
		return sys.ENOENT
	case p.node.kind == fs.ModeDir:
		return sys.EISDIR
	case p.slash:
		return sys.ENOTDIR
	}
	f.remove(p.dir, p.name)
	return 0
}

// Link implements sys.FS. A link to a symbolic link is another name of that, as on
// Linux.
func (f *FS) Link(oldPath, newPath string) sys.Errno {
	n, errno := f.existing(oldPath, slashed)
	if errno != 0 {
		return errno
	}
	p, errno := f.vacant(newPath)
	switch {
	case errno != 0:
		return errno
	case p.slash:
		return sys.ENOENT
	case n.kind == fs.ModeDir:
		return sys.EPERM
	case n.readonly: // or it would be a way to have a read-only file in a writable place
		return sys.EROFS
	}
	f.enter(p.dir, p.name, n, false)
	return 0
}

// Symlink implements sys.FS. The target is kept as it is, whether it is there or not; a
// target that begins with a slash begins at the root of the tree.
func (f *FS) Symlink(target, path string) sys.Errno {
	switch {
	case target == "":
		return sys.ENOENT
	case len(target) > f.o.Path:
		return sys.ENAMETOOLONG
	case strings.ContainsRune(target, 0):
		return sys.EINVAL
	}
	p, errno := f.vacant(path)
	switch {
	case errno != 0:
		return errno
	case p.slash:
		return sys.ENOENT
	case f.used.bytes+int64(len(target)) > f.o.Bytes:
		return f.refuse(ENOSPC)
	}
	n := f.make(fs.ModeSymlink)
	n.target = strings.Clone(target) // wazero's is the guest's memory
	f.used.bytes += int64(len(target))
	f.enter(p.dir, p.name, n, false)
	return 0
}

// Readlink implements sys.FS.
func (f *FS) Readlink(path string) (string, sys.Errno) {
	n, errno := f.existing(path, slashed)
	switch {
	case errno != 0:
		return "", errno
	case n.kind != fs.ModeSymlink:
		return "", sys.EINVAL
	}
	return n.target, 0
}
