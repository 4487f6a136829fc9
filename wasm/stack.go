package wasm

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// StackSize is the C stack that [Prepare] gives to a module that has less, in bytes. The
// 512 KiB that a linker gives are used up by 65 levels of a Python function that is called
// through C, as one with a cache is: CPython counts to 500 before it raises RecursionError.
const StackSize = 16 << 20

// Prepare makes of a module what is compiled: without custom sections, and with a C stack
// of StackSize where it has less. Bytes that are no module are an [ErrNotModule].
func Prepare(module []byte) ([]byte, error) {
	stripped, err := Strip(module)
	if err != nil {
		return nil, err
	}
	return widen(stripped), nil
}

// Ids of sections, and the codes in them (WebAssembly Core Specification 2.0, section 5).
const (
	memorySection, globalSection = 5, 6
	typeI32, mutable             = 0x7f, 1
	opI32Const, opEnd            = 0x41, 0x0b
)

// stacked is where a module has its stack: it ends where the only global begins that it
// changes, as the linkers of LLVM lay it out.
type stacked struct {
	pages   uint64 // of its memory at the start
	limits  []byte // behind the number of pages
	pointer int64  // the first value of the global
}

// widen puts the stack of a stripped module into new pages at the end of its first
// memory. Nothing else uses them: an allocator takes the end of the first memory, as it
// was linked, for the end of its first block, and grows the memory for all others. A
// module that is laid out in another way, or has a stack of that size, stays as it is.
func widen(module []byte) []byte {
	s, ok := stackOf(module)
	if !ok || s.pointer >= StackSize {
		return module
	}
	pages := s.pages + StackSize/PageSize
	wide := bytes.Clone(module[:len(preamble)])
	_ = sections(module, func(id byte, body []byte) {
		switch id {
		case memorySection:
			body = append(binary.AppendUvarint([]byte{1, s.limits[0]}, pages), s.limits[1:]...)
		case globalSection:
			body = append(appendSigned([]byte{1, typeI32, mutable, opI32Const}, int64(pages*PageSize)), opEnd)
		}
		wide = append(binary.AppendUvarint(append(wide, id), uint64(len(body))), body...)
	})
	return wide
}

// stackOf finds the stack of a module that has one memory and one global.
func stackOf(module []byte) (s stacked, ok bool) {
	var memory, global bool
	err := sections(module, func(id byte, body []byte) {
		switch id {
		case memorySection:
			memory = s.readMemory(body)
		case globalSection:
			global = s.readGlobal(body)
		}
	})
	return s, err == nil && memory && global && s.pointer > 0 && uint64(s.pointer) <= s.pages*PageSize
}

func (s *stacked) readMemory(body []byte) bool {
	if len(body) < 3 || body[0] != 1 || body[1] > 1 {
		return false
	}
	pages, n := binary.Uvarint(body[2:])
	if n <= 0 || pages > 1<<16 {
		return false
	}
	s.pages, s.limits = pages, append([]byte{body[1]}, body[2+n:]...)
	if body[1] == 1 { // a most
		most, n := binary.Uvarint(s.limits[1:])
		return n > 0 && most >= pages+StackSize/PageSize
	}
	return true
}

func (s *stacked) readGlobal(body []byte) bool {
	rest, ok := bytes.CutPrefix(body, []byte{1, typeI32, mutable, opI32Const})
	if !ok {
		return false
	}
	var n int
	s.pointer, n = signed(rest)
	return n > 0 && bytes.Equal(rest[n:], []byte{opEnd})
}

// sections calls a function with each section of a module.
func sections(module []byte, do func(id byte, body []byte)) error {
	rest, ok := bytes.CutPrefix(module, []byte(preamble))
	if !ok {
		return fmt.Errorf("%w of version 1: it begins with %q", ErrNotModule, module[:min(len(module), len(preamble))])
	}
	for len(rest) > 0 {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return fmt.Errorf("%w: it is cut off in the section at byte %d", ErrNotModule, len(module)-len(rest))
		}
		body := rest[1+n:][:size]
		do(rest[0], body)
		rest = rest[1+n+int(size):]
	}
	return nil
}

// signed reads a number in signed LEB128 (section 5.2.2), and says of how many bytes; 0
// where it is none of 64 bits.
func signed(b []byte) (value int64, n int) {
	for shift := 0; n < len(b) && shift < 64; shift += 7 {
		value |= int64(b[n]&0x7f) << shift
		n++
		if b[n-1]&0x80 == 0 {
			if b[n-1]&0x40 != 0 && shift+7 < 64 {
				value |= -1 << (shift + 7)
			}
			return value, n
		}
	}
	return 0, 0
}

// appendSigned appends a number in signed LEB128.
func appendSigned(b []byte, value int64) []byte {
	for {
		low := byte(value & 0x7f)
		value >>= 7
		if value == 0 && low&0x40 == 0 || value == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
