package memfs

// mark is what Reset goes back to, beside the states of nodes.
type mark struct {
	inode uint64
	used  usage
	mount *file
	open  []opened
}

// opened is a handle as it was at the mark.
type opened struct {
	handle *file
	was    file
}

// keep is how long the list of changed nodes may be to be used again after a Reset.
const keep = 1024

// Mark makes the present state the one that Reset goes back to, in place of an earlier
// one. It takes a time proportional to what changed since that one.
func (f *FS) Mark() {
	for _, n := range f.touched {
		n.saved = nil
	}
	f.touched = nil
	f.epoch++
	f.mark = mark{inode: f.inode, used: f.used, mount: f.mount}
	for h := range f.open {
		h.kept = true
		f.mark.open = append(f.mark.open, opened{h, *h})
	}
}

// Reset brings the tree back to what it was at Mark, which is New's where there was
// none since, and frees what came after it, in a time proportional to what changed. A
// folder is as much as is in it when a name in it changed.
//
// Handles that were open at Mark are as they were then, closed ones too. Later ones are
// ended, and every use of them is EBADF, but for the first handle of the root, which is
// the one that wazero has of the mount. Reset returns how many it ended that were not
// closed: in wazero's table of descriptors they stay until the guest is closed.
func (f *FS) Reset() (ended int) {
	ended = f.end()
	for _, n := range f.touched {
		n.state, n.saved = *n.saved, nil
	}
	clear(f.touched)
	if cap(f.touched) > keep {
		f.touched = nil
	}
	f.touched = f.touched[:0]
	f.epoch++
	f.inode, f.used, f.refused = f.mark.inode, f.mark.used, 0
	return ended
}

// end ends the handles that the mark does not know, and brings back those that it does.
func (f *FS) end() (ended int) {
	for h := range f.open {
		h.end()
		if !h.kept {
			ended++
		}
	}
	clear(f.open)
	for _, o := range f.mark.open {
		*o.handle = o.was
		o.was.node.opens++
		f.open[o.handle] = struct{}{}
	}
	return ended + f.remount()
}

// remount brings back the handle that the mount had at the mark; one that it got later
// stays.
func (f *FS) remount() (ended int) {
	if m := f.mark.mount; m != nil && m != f.mount {
		if f.mount != nil {
			f.mount.end()
			ended = 1
		}
		m.node, f.mount = f.root, m
		f.root.opens++
	}
	if f.mount != nil {
		f.mount.slot = 0
	}
	return ended
}

// end takes its node from a handle.
func (h *file) end() {
	h.node.opens--
	h.node = nil
}
