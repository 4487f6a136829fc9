package memfs

import (
	"io/fs"
	"maps"
	"slices"
	"sort"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// device is the number of the file system: any but 0, which is "unknown".
const device = 1

// folderSize is what a folder says is its size, as on ext4.
const folderSize = 4096

// node is a file, a folder or a symbolic link, whatever its names.
type node struct {
	state
	inode uint64
	kind  fs.FileMode // of fs.ModeType; 0 is a regular file
	free  int64       // bytes that the host gave it, which are not counted
	opens int         // handles

	epoch uint64 // of state
	saved *state // what the state was at the mark, when it has changed since
}

// state is what Reset brings back. It has to be told by touch before it is changed.
type state struct {
	contents                // of a file
	folder                  // of a folder
	target           string // of a symbolic link
	links            int    // names
	readonly         bool
	atim, mtim, ctim int64
}

// folder is what is in a folder, in the order in which it came there.
type folder struct {
	parent  *node
	names   map[string]item
	order   []slot // ascending; may hold slots of names that have gone
	last    uint64 // the newest slot's number
	folders int    // how many of names are folders
}

// item is what a name stands for.
type item struct {
	node   *node
	slot   uint64 // number of its slot
	hosted bool   // by the host, and so not counted
}

// slot is the place of a name in the order of a folder. It never changes; a name that
// comes again gets another.
type slot struct {
	number uint64
	name   string
}

// touch has to come before every change of a node's state. The first time since the
// mark it keeps what the state was.
func (f *FS) touch(n *node) {
	if n.epoch == f.epoch {
		return
	}
	saved := n.state
	n.saved, n.epoch = &saved, f.epoch
	n.names, n.order, n.chunks = maps.Clone(n.names), slices.Clip(n.order), slices.Clone(n.chunks)
	f.touched = append(f.touched, n)
}

// make returns a new node without a name.
func (f *FS) make(kind fs.FileMode) *node {
	f.inode++
	n := &node{inode: f.inode, kind: kind, epoch: f.epoch}
	if kind == fs.ModeDir {
		n.names = map[string]item{}
	}
	now := f.now()
	n.atim, n.mtim, n.ctim = now, now, now
	return n
}

// enter gives a node a name in a folder.
func (f *FS) enter(dir *node, name string, n *node, hosted bool) {
	f.touch(dir)
	f.touch(n)
	dir.last++
	dir.names[name] = item{node: n, slot: dir.last, hosted: hosted}
	dir.order = append(dir.order, slot{number: dir.last, name: name})
	n.links++
	if n.kind == fs.ModeDir {
		n.parent = dir
		dir.folders++
	}
	if !hosted {
		f.used.names++
	}
	dir.mtim = f.now()
	dir.ctim, n.ctim = dir.mtim, dir.mtim
}

// remove takes a name out of a folder, and with the last one, unless it is open, the
// node out of what is counted.
func (f *FS) remove(dir *node, name string) {
	it := dir.names[name]
	f.touch(dir)
	f.touch(it.node)
	delete(dir.names, name)
	dir.compact()
	it.node.links--
	if it.node.kind == fs.ModeDir {
		dir.folders--
	}
	if !it.hosted {
		f.used.names--
	}
	dir.mtim = f.now()
	dir.ctim, it.node.ctim = dir.mtim, dir.mtim
	f.release(it.node)
}

// release stops to count a node that nothing leads to.
func (f *FS) release(n *node) {
	if n.links == 0 && n.opens == 0 {
		f.used.bytes -= n.charge(n.length())
	}
}

// compact drops the slots of names that have gone when they are most. It leaves the
// old slice as it was: the mark may have it.
func (d *folder) compact() {
	if len(d.order) < 16 || len(d.order) < 2*len(d.names) {
		return
	}
	order := make([]slot, 0, len(d.names))
	for _, s := range d.order {
		if d.names[s.name].slot == s.number {
			order = append(order, s)
		}
	}
	d.order = order
}

// after returns up to most of the entries behind a slot, all when most is not above 0,
// and the number of the last one's slot.
func (d *folder) after(number uint64, most int) ([]sys.Dirent, uint64) {
	from := sort.Search(len(d.order), func(i int) bool { return d.order[i].number > number })
	var out []sys.Dirent
	for _, s := range d.order[from:] {
		if most > 0 && len(out) == most {
			break
		}
		if it := d.names[s.name]; it.slot == s.number {
			out = append(out, sys.Dirent{Ino: it.node.inode, Name: s.name, Type: it.node.kind})
			number = s.number
		}
	}
	return out, number
}

// length is how many bytes a node holds.
func (n *node) length() int64 {
	if n.kind == fs.ModeSymlink {
		return int64(len(n.target))
	}
	return n.size
}

// charge is how many of size bytes of a node are counted.
func (n *node) charge(size int64) int64 { return max(0, size-n.free) }

// stat is what the guest is told of a node.
func (n *node) stat() wasys.Stat_t {
	st := wasys.Stat_t{
		Dev: device, Ino: n.inode, Mode: n.kind | 0o644, Nlink: uint64(n.links), Size: n.length(),
		Atim: n.atim, Mtim: n.mtim, Ctim: n.ctim,
	}
	switch n.kind {
	case fs.ModeDir:
		st.Mode |= 0o111
		st.Size = folderSize
		if n.links > 0 {
			st.Nlink = 2 + uint64(n.folders)
		}
	case fs.ModeSymlink:
		st.Mode |= 0o777
	}
	if n.readonly {
		st.Mode &^= 0o222
	}
	return st
}

// utimens sets times, of which sys.UTIME_OMIT leaves one.
func (f *FS) utimens(n *node, atim, mtim int64) sys.Errno {
	if n.readonly {
		return sys.EROFS
	}
	f.touch(n)
	if atim != sys.UTIME_OMIT {
		n.atim = atim
	}
	if mtim != sys.UTIME_OMIT {
		n.mtim = mtim
	}
	n.ctim = f.now()
	return 0
}
