package memfs

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// Rename implements sys.FS.
func (f *FS) Rename(from, to string) sys.Errno {
	old, errno := f.resolve(from, never)
	if errno != 0 {
		return errno
	}
	dest, errno := f.resolve(to, never)
	if errno != 0 {
		return errno
	}
	if errno = mayRename(old, dest); errno != 0 {
		return f.refuse(errno)
	}
	if old.node == dest.node {
		return 0 // two names of one file both stay (rename(2))
	}
	if dest.node != nil {
		f.remove(dest.dir, dest.name)
	}
	it := old.dir.names[old.name]
	f.touch(old.node)
	old.node.links++ // or it would be let go in between
	f.remove(old.dir, old.name)
	f.enter(dest.dir, dest.name, old.node, it.hosted)
	old.node.links--
	return 0
}

// mayRename checks in the order of Linux.
func mayRename(old, dest place) sys.Errno {
	switch {
	case old.dir == nil || dest.dir == nil:
		return EBUSY
	case old.dir.readonly || dest.dir.readonly:
		return sys.EROFS
	case old.node == nil:
		return sys.ENOENT
	case old.node.kind != fs.ModeDir && (old.slash || dest.slash):
		return sys.ENOTDIR
	case old.node.kind == fs.ModeDir && within(dest.dir, old.node):
		return sys.EINVAL
	case dest.node != nil && dest.node.kind == fs.ModeDir && within(old.dir, dest.node):
		return sys.ENOTEMPTY
	case old.node == dest.node:
		return 0
	case old.node.readonly && old.node.kind == fs.ModeDir: // a place of the host's
		return sys.EROFS
	case dest.node == nil:
		return 0
	}
	return mayReplace(old.node, dest.node)
}

// mayReplace checks that one node can take the place of another.
func mayReplace(old, dest *node) sys.Errno {
	oldDir, newDir := old.kind == fs.ModeDir, dest.kind == fs.ModeDir
	switch {
	case oldDir && !newDir:
		return sys.ENOTDIR
	case !oldDir && newDir:
		return sys.EISDIR
	case newDir && dest.readonly:
		return sys.EROFS
	case newDir && len(dest.names) > 0:
		return sys.ENOTEMPTY
	}
	return 0
}

// within reports whether a folder is another or in it.
func within(dir, other *node) bool {
	for ; dir != nil; dir = dir.parent {
		if dir == other {
			return true
		}
	}
	return false
}
