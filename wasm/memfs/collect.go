package memfs

import (
	"io/fs"
	"path"
	"slices"
)

// Content is a file as the host gets it.
type Content struct {
	// Name is the path below the folder that was asked for, with slashes. It is what
	// the guest chose, any bytes but NUL and slash in its parts; no part is "." or "..".
	Name string
	// Data is a copy of the bytes.
	Data []byte
}

// Most bounds what Files returns.
type Most struct {
	// Files is how many.
	Files int
	// Bytes is how many bytes they have together.
	Bytes int64
}

// Files returns the regular files below a folder, in the order of their names, byte by
// byte. Links are not followed and not returned. A file for which there is no room in
// what is left of most is left out, as one is whose path is longer than a guest may use;
// left says how many were. A folder that is not there has no files.
func (f *FS) Files(folder string, most Most) (files []Content, left int) {
	dir, errno := f.existing(folder, never)
	if errno != 0 || dir.kind != fs.ModeDir {
		return nil, 0
	}
	found := map[string]*node{}
	left = f.gather(dir, "", found)
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		n := found[name]
		if len(files) >= most.Files || n.size > most.Bytes {
			left++
			continue
		}
		most.Bytes -= n.size
		data := make([]byte, n.size)
		n.readAt(data, 0)
		files = append(files, Content{Name: name, Data: data})
	}
	return files, left
}

// gather finds the files below a folder whose path is below. It goes no deeper than a
// path may be long, which bounds the stack.
func (f *FS) gather(dir *node, below string, found map[string]*node) (left int) {
	for name, it := range dir.names {
		at := path.Join(below, name)
		switch {
		case it.node.kind != 0 && it.node.kind != fs.ModeDir:
		case len(at) > f.o.Path:
			left++
		case it.node.kind == 0:
			found[at] = it.node
		default:
			left += f.gather(it.node, at, found)
		}
	}
	return left
}
