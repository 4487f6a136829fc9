package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// mostCopied is how many pages of the guest's own are set back by copying. Where there
	// are more all are dropped instead: then the next message pays a fault for each that it
	// needs, which costs several times as much as a copy.
	mostCopied = 4096
	// idleRounds is for how many messages a page stays the guest's own that none of them
	// has written to.
	idleRounds = 8
)

// host is how Linux keeps a state: in a file in memory, whose private mappings are the
// parts of the guest's memory. A page of them that is written to becomes a copy, which
// the system's page map tells from the others.
type host struct {
	image *os.File
	pages *os.File       // the page map
	table []byte         // a piece of it, as read
	idle  map[uint64]int // rounds since a page was written to, where it was not in the last
}

func reserve(size uint64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// Free implements experimental.LinearMemory.
func (h *heap) Free() {
	for _, mapped := range [][]byte{h.area, h.kept} {
		if mapped != nil {
			_ = unix.Munmap(mapped)
		}
	}
	for _, file := range []*os.File{h.host.image, h.host.pages} {
		if file != nil {
			_ = file.Close()
		}
	}
	*h = heap{}
}

// open makes what a state is kept in, before there is one: a process may be confined by then.
func (h *heap) open(size uint64) (err error) {
	if h.host.pages, err = os.Open("/proc/self/pagemap"); err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	h.host.image = os.NewFile(uintptr(fd), "guest")
	h.host.idle = map[uint64]int{}
	if err := h.host.image.Truncate(int64(size)); err != nil {
		return err
	}
	h.kept, err = unix.Mmap(fd, 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	return err
}

// widen asks for large pages where a span was not used in the state, but for its
// first bytes, which the least program uses: then a program that takes much memory has
// few faults. A system without them ignores it.
func (h *heap) widen(s span) {
	const large, small = 2 << 20, 4 << 20
	if from := (s.from + small) / large * large; from < s.to {
		_ = unix.Madvise(h.area[from:s.to], unix.MADV_HUGEPAGE)
	}
}

// descriptors are what the process has to keep open.
func (h *heap) descriptors() []int {
	return []int{int(h.host.image.Fd()), int(h.host.pages.Fd())}
}

// keep makes a span what the file holds of it, and the file what the span holds.
func (h *heap) keep(s span) error {
	if err := h.store(h.area[s.from:s.to], s.from); err != nil {
		return err
	}
	_, err := unix.MmapPtr(int(h.host.image.Fd()), int64(s.from), unsafe.Pointer(&h.area[s.from]), uintptr(s.to-s.from),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err
}

// store writes to the state.
func (h *heap) store(data []byte, at uint64) error {
	_, err := h.host.image.WriteAt(data, int64(at))
	return err
}

// restore sets pages back.
func (h *heap) restore(copies []uint64) error {
	if len(copies) > mostCopied {
		clear(h.host.idle)
		return h.drop(span{0, h.size})
	}
	for _, at := range copies {
		if err := h.restorePage(at); err != nil {
			return err
		}
	}
	return nil
}

// restorePage copies a page back that was written to, and drops one that was not for some
// time.
func (h *heap) restorePage(at uint64) error {
	page, kept := h.area[at:at+h.page], h.kept[at:at+h.page]
	if !bytes.Equal(page, kept) {
		copy(page, kept)
		delete(h.host.idle, at)
		return nil
	}
	if h.host.idle[at]++; h.host.idle[at] < idleRounds {
		return nil
	}
	delete(h.host.idle, at)
	return h.drop(span{at, at + h.page})
}

// drop gives pages back to the system. They read as the state's file has them, or as
// zero, until they are written to.
func (h *heap) drop(s span) error {
	if err := unix.Madvise(h.area[s.from:s.to], unix.MADV_DONTNEED); err != nil {
		return fmt.Errorf("dropping the guest's memory: %w", err)
	}
	return nil
}

// What an entry of a process's page map says (Linux, Documentation/admin-guide/mm/pagemap.rst).
const (
	inMemory = 1 << 63
	inSwap   = 1 << 62
	ofFile   = 1 << 61 // or shared: not a copy of the process's own
)

// written are the pages of a span that the guest has a copy of, in order.
func (h *heap) written(s span) ([]uint64, error) {
	base := uint64(uintptr(unsafe.Pointer(&h.area[0])))
	size := int((s.to - s.from) / h.page * 8)
	if len(h.host.table) < size {
		h.host.table = make([]byte, size)
	}
	if n, err := h.host.pages.ReadAt(h.host.table[:size], int64((base+s.from)/h.page*8)); n < size {
		return nil, fmt.Errorf("what the guest has written to: %w", errors.Join(err))
	}
	var found []uint64
	for i := 0; i < size; i += 8 {
		entry := binary.LittleEndian.Uint64(h.host.table[i:])
		if entry&(inMemory|inSwap) != 0 && entry&ofFile == 0 {
			found = append(found, s.from+uint64(i/8)*h.page)
		}
	}
	return found, nil
}
