package memfs

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// AddFolder makes a folder for the host, or changes one that is there: whether the guest
// may make, rename and remove what is directly in it. The guest can remove or rename no
// folder that is not writable, and none in such a folder. Folders on the way that are
// missing are made, each as writable as the one that it is in. The root is "/". An error
// is that something else is there, or that a name is too long for the Options.
func (f *FS) AddFolder(name string, writable bool) error {
	n, err := f.folder(path.Clean("/" + name))
	if err != nil {
		return err
	}
	f.touch(n)
	n.readonly = !writable
	return nil
}

// AddFile makes a file for the host. Its bytes are data itself, which nobody may change
// from now on: it is not copied, and a guest that writes to the file, which it may where
// the file is writable, gets a copy of the parts that it changes. Folders on the way are
// as AddFolder says. An error is that the name is there already, or too long.
func (f *FS) AddFile(name string, data []byte, writable bool) error {
	name = path.Clean("/" + name)
	dir, err := f.folder(path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	switch {
	case name == "/" || dir.names[base].node != nil:
		return fmt.Errorf("memory file system: %s: %w", name, sys.EEXIST)
	case !f.fits(name, base):
		return fmt.Errorf("memory file system: %s: %w", name, sys.ENAMETOOLONG)
	}
	n := f.make(0)
	n.contents, n.free, n.readonly = sharing(data), int64(len(data)), !writable
	f.enter(dir, base, n, true)
	return nil
}

// folder finds or makes a folder by its clean path, through no links.
func (f *FS) folder(name string) (*node, error) {
	dir := f.root
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part == "" {
			continue // the root
		}
		n := dir.names[part].node
		switch {
		case n != nil && n.kind != fs.ModeDir:
			return nil, fmt.Errorf("memory file system: %s: %q: %w", name, part, sys.ENOTDIR)
		case n == nil && !f.fits(name, part):
			return nil, fmt.Errorf("memory file system: %s: %q: %w", name, part, sys.ENAMETOOLONG)
		case n == nil:
			n = f.make(fs.ModeDir)
			n.readonly = dir.readonly
			f.enter(dir, part, n, true)
		}
		dir = n
	}
	return dir, nil
}

// fits reports whether a guest could name it.
func (f *FS) fits(name, part string) bool { return len(name) <= f.o.Path && len(part) <= f.o.Name }
