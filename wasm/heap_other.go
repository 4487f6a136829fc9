//go:build !linux

package wasm

import (
	"bytes"
	"unsafe"

	"golang.org/x/sys/unix"
)

// host is how other systems keep a state: as a copy, which the guest's memory is
// compared with.
type host struct{}

func reserve(size uint64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// Free implements experimental.LinearMemory.
func (h *heap) Free() {
	for _, mapped := range [][]byte{h.area, h.kept} {
		if mapped != nil {
			_ = unix.Munmap(mapped)
		}
	}
	*h = heap{}
}

func (h *heap) open(size uint64) (err error) {
	h.kept, err = reserve(size)
	return err
}

// descriptors are what the process has to keep open: nothing.
func (h *heap) descriptors() []int { return nil }

// keep makes the state what a span holds.
func (h *heap) keep(s span) error { return h.store(h.area[s.from:s.to], s.from) }

// widen does nothing: there is nothing to ask for.
func (h *heap) widen(span) {}

// store writes to the state.
func (h *heap) store(data []byte, at uint64) error {
	copy(h.kept[at:], data)
	return nil
}

// restore sets pages back.
func (h *heap) restore(copies []uint64) error {
	for _, at := range copies {
		copy(h.area[at:at+h.page], h.kept[at:])
	}
	return nil
}

// drop gives pages back to the system. They read as zero until they are written to.
func (h *heap) drop(s span) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&h.area[s.from]), uintptr(s.to-s.from),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED)
	return err
}

// written are the pages of a span that are not as in the state, in order.
func (h *heap) written(s span) ([]uint64, error) {
	var found []uint64
	for at := s.from; at < s.to; at += h.page {
		if !bytes.Equal(h.area[at:at+h.page], h.kept[at:at+h.page]) {
			found = append(found, at)
		}
	}
	return found, nil
}
