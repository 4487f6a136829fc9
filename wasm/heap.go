package wasm

import (
	"bytes"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero/experimental"
)

const (
	// gap is the most bytes of zeros between two pages of the state that are kept as if
	// they belonged to it.
	gap = 1 << 20
	// calmRounds is how often the state has to be the same before what was all zero is
	// taken to stay so.
	calmRounds = 4
)

// heap is the memory of a guest. The parts of it that are not zero in the state that
// every message begins with are set back page by page, where they were written to; all
// other pages are dropped, and read as zero. So setting back costs what was touched, and
// gives back to the system what was taken.
type heap struct {
	area  []byte // all that may be addressed
	size  uint64 // bytes of area that the guest has
	page  uint64 // bytes in which the system counts memory
	kept  []byte // the state, as large as area
	taken bool   // there is a state
	parts []span // that are not zero in it
	calm  int    // rounds that have not changed it
	host  host
}

// Allocate implements experimental.MemoryAllocator.
func (h *heap) Allocate(_, most uint64) experimental.LinearMemory {
	h.page = uint64(os.Getpagesize())
	var err error
	if h.area, err = reserve(most); err == nil {
		err = h.open(most)
	}
	if err != nil { // wazero gives it as the error of the instance
		panic(fmt.Errorf("the guest's memory: %w", err))
	}
	return h
}

// Reallocate implements experimental.LinearMemory. The area never moves, and the guest
// has no more of it than when its state was taken.
func (h *heap) Reallocate(size uint64) []byte {
	if size > uint64(len(h.area)) || h.taken {
		return nil
	}
	h.size = size
	return h.area[:size]
}

// resting is how many bytes the state has, without those that are zero.
func (h *heap) resting() uint64 { return total(h.parts) }

// take makes what the memory holds the state to come back to.
func (h *heap) take() error {
	h.taken = true
	return h.extend()
}

// extend keeps all that is not zero by now, and drops the rest.
func (h *heap) extend() error {
	written, err := h.written(span{0, h.size})
	if err != nil {
		return err
	}
	h.parts = merge(h.parts, h.notZero(written), gap)
	for _, p := range h.parts {
		if err := h.keep(p); err != nil {
			return fmt.Errorf("the guest's state: %w", err)
		}
	}
	h.blank(h.widen)
	return h.dropBlank()
}

// notZero are the pages that hold something.
func (h *heap) notZero(pages []uint64) []span {
	var spans []span
	zero := make([]byte, h.page)
	for _, at := range pages {
		if !bytes.Equal(h.area[at:at+h.page], zero) {
			spans = append(spans, span{at, at + h.page})
		}
	}
	return spans
}

// reset makes the memory what it was when its state was taken.
func (h *heap) reset() error {
	copies, err := h.copies()
	if err != nil {
		return err
	}
	if err := h.restore(copies); err != nil {
		return err
	}
	return h.dropBlank()
}

// update makes the state what the memory holds now, which is what reset has left and what
// the guest has done since without a message.
func (h *heap) update() error {
	copies, err := h.copies()
	if err != nil {
		return err
	}
	for _, at := range copies {
		if page := h.area[at : at+h.page]; !bytes.Equal(page, h.kept[at:at+h.page]) {
			h.calm = 0
			if err := h.store(page, at); err != nil {
				return fmt.Errorf("the guest's state: %w", err)
			}
		}
	}
	if h.settled() {
		return nil
	}
	h.calm++
	return h.extend()
}

// settled reports whether the state was the same for some rounds.
func (h *heap) settled() bool { return h.calm >= calmRounds }

// copies are the pages of the parts that the guest has written to since they were
// kept or dropped, in order.
func (h *heap) copies() ([]uint64, error) {
	var all []uint64
	for _, p := range h.parts {
		pages, err := h.written(p)
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	return all, nil
}

// dropBlank drops all pages that are not of the parts.
func (h *heap) dropBlank() (err error) {
	h.blank(func(s span) {
		if err == nil {
			err = h.drop(s)
		}
	})
	return err
}

// blank calls a function with each span between the parts.
func (h *heap) blank(do func(span)) {
	var at uint64
	for _, p := range h.parts {
		if at < p.from {
			do(span{at, p.from})
		}
		at = p.to
	}
	if at < h.size {
		do(span{at, h.size})
	}
}
