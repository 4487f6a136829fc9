package memfs

import (
	"io"
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// file is an open file or folder.
type file struct {
	sys.UnimplementedFile

	fs      *FS
	node    *node // nil once it is closed or a Reset has ended it
	reads   bool
	writes  bool
	appends bool
	at      int64  // of a file, in bytes
	slot    uint64 // of a folder: the last that was read
	kept    bool   // by a mark
}

// handle opens a node.
func (f *FS) handle(n *node, flag sys.Oflag) *file {
	h := &file{
		fs: f, node: n, appends: flag&sys.O_APPEND != 0,
		reads:  flag&sys.O_WRONLY == 0,
		writes: flag&(sys.O_WRONLY|sys.O_RDWR) != 0,
	}
	n.opens++
	if n == f.root && f.mount == nil {
		f.mount = h
		return h
	}
	f.open[h] = struct{}{}
	return h
}

// Close implements sys.File. To close a handle again, or one that a Reset ended, is no
// error: wazero keeps its descriptor when it is.
func (h *file) Close() sys.Errno {
	if h.node == nil {
		return 0
	}
	if h.fs.mount == h {
		h.fs.mount = nil
	}
	delete(h.fs.open, h)
	h.node.opens--
	h.fs.release(h.node)
	h.node = nil
	return 0
}

// Dev implements sys.File.
func (h *file) Dev() (uint64, sys.Errno) {
	st, errno := h.Stat()
	return st.Dev, errno
}

// Ino implements sys.File.
func (h *file) Ino() (wasys.Inode, sys.Errno) {
	st, errno := h.Stat()
	return st.Ino, errno
}

// IsDir implements sys.File.
func (h *file) IsDir() (bool, sys.Errno) {
	if h.node == nil {
		return false, sys.EBADF
	}
	return h.node.kind == fs.ModeDir, 0
}

// IsAppend implements sys.File.
func (h *file) IsAppend() bool { return h.appends }

// SetAppend implements sys.File.
func (h *file) SetAppend(enable bool) sys.Errno {
	if h.node == nil {
		return sys.EBADF
	}
	h.appends = enable
	return 0
}

// Stat implements sys.File.
func (h *file) Stat() (wasys.Stat_t, sys.Errno) {
	if h.node == nil {
		return wasys.Stat_t{}, sys.EBADF
	}
	return h.node.stat(), 0
}

// may checks that the handle was opened for what is to be done. A folder never is for
// writing.
func (h *file) may(allowed bool) sys.Errno {
	if h.node == nil || !allowed {
		return sys.EBADF
	}
	return 0
}

// Read implements sys.File.
func (h *file) Read(p []byte) (int, sys.Errno) {
	n, errno := h.Pread(p, h.at)
	h.at += int64(n)
	return n, errno
}

// Pread implements sys.File.
func (h *file) Pread(p []byte, at int64) (int, sys.Errno) {
	if at < 0 {
		return 0, sys.EINVAL
	}
	if errno := h.may(h.reads); errno != 0 {
		return 0, errno
	}
	if h.node.kind == fs.ModeDir {
		return 0, sys.EISDIR
	}
	return h.node.readAt(p, at), 0
}

// Write implements sys.File. When there is room for a part only, that part is written
// and it is no error, as with write(2); the next is.
func (h *file) Write(p []byte) (int, sys.Errno) {
	at := h.at
	if h.node != nil && h.appends {
		at = h.node.size
	}
	n, errno := h.Pwrite(p, at)
	if n > 0 {
		h.at = at + int64(n)
	}
	return n, errno
}

// Pwrite implements sys.File. With O_APPEND it writes at the end whatever the offset,
// as Linux does (pwrite(2)).
func (h *file) Pwrite(p []byte, at int64) (int, sys.Errno) {
	if at < 0 {
		return 0, sys.EINVAL
	}
	if errno := h.may(h.writes); errno != 0 {
		return 0, errno
	}
	if h.appends {
		at = h.node.size
	}
	n, errno := h.fs.write(h.node, p, at)
	return n, h.fs.refuse(errno)
}

// Truncate implements sys.File.
func (h *file) Truncate(size int64) sys.Errno {
	switch {
	case h.node == nil:
		return sys.EBADF
	case size < 0 || !h.writes:
		return sys.EINVAL // as ftruncate(2) for what is open for reading
	case size > h.fs.o.FileBytes && size > h.node.size:
		return h.fs.refuse(EFBIG)
	case size > h.node.size && size > h.fs.limit(h.node):
		return h.fs.refuse(ENOSPC)
	}
	h.fs.resize(h.node, size)
	return 0
}

// place64 is a place in a file, in bytes. It has a name because go vet takes a method
// Seek(int64, …) for a mistaken io.Seeker, which wazero's is not.
type place64 = int64

// Seek implements sys.File. A folder can be set back to its start only.
func (h *file) Seek(offset place64, whence int) (int64, sys.Errno) {
	switch {
	case h.node == nil:
		return 0, sys.EBADF
	case h.node.kind == fs.ModeDir && (offset != 0 || whence != io.SeekStart):
		return 0, sys.EINVAL
	case h.node.kind == fs.ModeDir:
		h.slot = 0
		return 0, 0
	}
	base := int64(0)
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		base = h.at
	case io.SeekEnd:
		base = h.node.size
	default:
		return 0, sys.EINVAL
	}
	if base+offset < 0 { // as it is when there is no such number
		return 0, sys.EINVAL
	}
	h.at = base + offset
	return h.at, 0
}

// Readdir implements sys.File. Entries come in the order in which they were made. What
// comes and goes while a folder is read moves nothing else: an entry that stays is
// there exactly once.
func (h *file) Readdir(most int) ([]sys.Dirent, sys.Errno) {
	switch {
	case h.node == nil, h.node.kind != fs.ModeDir:
		return nil, sys.EBADF
	case h.node.links == 0:
		return nil, sys.ENOENT
	}
	entries, slot := h.node.after(h.slot, most)
	h.slot = slot
	return entries, 0
}

// Sync implements sys.File: there is nothing to wait for.
func (h *file) Sync() sys.Errno {
	if h.node == nil {
		return sys.EBADF
	}
	return 0
}

// Datasync implements sys.File.
func (h *file) Datasync() sys.Errno { return h.Sync() }

// Utimens implements sys.File.
func (h *file) Utimens(atim, mtim int64) sys.Errno {
	if h.node == nil {
		return sys.EBADF
	}
	return h.fs.utimens(h.node, atim, mtim)
}

// limit is how long a file can become before the limit of all bytes.
func (f *FS) limit(n *node) int64 {
	return n.free + n.charge(n.size) + f.o.Bytes - f.used.bytes
}

// write puts as much of p into a file as there is room for.
func (f *FS) write(n *node, p []byte, at int64) (int, sys.Errno) {
	if len(p) == 0 {
		return 0, 0
	}
	most := max(n.size, f.o.FileBytes)
	if at >= most {
		return 0, EFBIG
	}
	end := min(at+min(int64(len(p)), most-at), max(n.size, f.limit(n)))
	if end <= at {
		return 0, ENOSPC
	}
	f.touch(n)
	before := n.charge(n.size)
	n.writeAt(p[:end-at], at, f.epoch)
	f.changed(n, before)
	return int(end - at), 0
}

// resize makes a file longer, with zeros, or shorter. That it may be is checked.
func (f *FS) resize(n *node, size int64) {
	f.touch(n)
	before := n.charge(n.size)
	n.truncate(size)
	f.changed(n, before)
}

// changed counts what a file's bytes are now.
func (f *FS) changed(n *node, before int64) {
	f.used.bytes += n.charge(n.size) - before
	n.mtim = f.now()
	n.ctim = n.mtim
}
