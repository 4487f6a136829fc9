package memfs

import (
	"io/fs"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// follow says what happens to a symbolic link at the end of a path. Those before the
// end are always followed.
type follow int

const (
	never     follow = iota // the link itself is made, removed or renamed
	slashed                 // followed only when the path ends with a slash
	unslashed               // followed only when it does not: nothing is made there then
	always
)

// link reports whether a link at the end is followed.
func (e follow) link(slash bool) bool {
	return e == always || e == slashed && slash || e == unslashed && !slash
}

// place is where a path leads: to a node, or to a name in a folder that has no node yet.
type place struct {
	dir   *node  // nil when the path ends with . or .. or is the root
	name  string // in dir, or the dots
	node  *node  // nil when there is none
	slash bool   // the path ends with a slash
}

// resolve finds the place of a path, which begins at the root whether it begins with a
// slash or not. Nothing is above the root.
func (f *FS) resolve(path string, end follow) (place, sys.Errno) {
	switch {
	case path == "":
		return place{}, sys.ENOENT
	case len(path) > f.o.Path:
		return place{}, sys.ENAMETOOLONG
	case strings.ContainsRune(path, 0):
		return place{}, sys.EINVAL
	}
	dir, rest := f.root, path
	for links := 0; ; {
		name, after, more := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		last := strings.Trim(after, "/") == ""
		p := place{dir: dir, name: name, slash: more && last}
		errno := f.step(&p)
		switch {
		case errno != 0:
			return place{}, errno
		case p.node != nil && p.node.kind == fs.ModeSymlink && (!last || end.link(p.slash)):
			if links++; links > maxLinks {
				return place{}, sys.ELOOP
			}
			if rest = p.node.target; more {
				rest += "/" + after
			}
			if strings.HasPrefix(rest, "/") {
				dir = f.root
			}
		case last:
			return p, 0
		case p.node == nil:
			return place{}, sys.ENOENT
		case p.node.kind != fs.ModeDir:
			return place{}, sys.ENOTDIR
		default:
			dir, rest = p.node, after
		}
	}
}

// step looks up one name, with the dots.
func (f *FS) step(p *place) sys.Errno {
	switch p.name {
	case "", ".":
		p.node, p.dir = p.dir, nil
	case "..":
		if p.node = p.dir; p.dir != f.root {
			p.node = p.dir.parent
		}
		p.dir = nil
	default:
		if len(p.name) > f.o.Name {
			return sys.ENAMETOOLONG
		}
		p.node = p.dir.names[p.name].node
	}
	return 0
}

// existing finds the node of a path.
func (f *FS) existing(path string, end follow) (*node, sys.Errno) {
	p, errno := f.resolve(path, end)
	switch {
	case errno != 0:
		return nil, errno
	case p.node == nil:
		return nil, sys.ENOENT
	case p.slash && p.node.kind != fs.ModeDir:
		return nil, sys.ENOTDIR
	}
	return p.node, 0
}
