package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// preamble is how a module of version 1 of the format begins (WebAssembly Core
// Specification 2.0, section 5.5.16).
const preamble = "\x00asm\x01\x00\x00\x00"

// customSection is the id of the sections that have no meaning to an engine: names,
// debugging information, and what tools note there (section 5.5.3).
const customSection = 0

// ErrNotModule is that bytes are no whole WebAssembly module of version 1.
var ErrNotModule = errors.New("not a WebAssembly module")

// Strip returns the module without its custom sections, which are half of what an
// interpreter with debugging information has. The rest is as it was, byte for byte;
// what the sections hold is checked when they are compiled. Bytes that are no module,
// or that end within a section, are an ErrNotModule.
func Strip(module []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(module, []byte(preamble))
	if !ok {
		return nil, fmt.Errorf("%w of version 1: it begins with %q", ErrNotModule, module[:min(len(module), len(preamble))])
	}
	kept := append(make([]byte, 0, len(module)), preamble...)
	for len(rest) > 0 {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, fmt.Errorf("%w: it is cut off in the section at byte %d", ErrNotModule, len(module)-len(rest))
		}
		end := 1 + n + int(size)
		if rest[0] != customSection {
			kept = append(kept, rest[:end]...)
		}
		rest = rest[end:]
	}
	return kept, nil
}
