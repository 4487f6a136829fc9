package wasm

import (
	"encoding/binary"
	"errors"
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
// interpreter with debugging information has. The rest is as it was; what the sections
// hold is checked when they are compiled. Bytes that are no module, or that end within a
// section, are an ErrNotModule.
func Strip(module []byte) ([]byte, error) {
	kept := append(make([]byte, 0, len(module)), preamble...)
	err := sections(module, func(id byte, body []byte) {
		if id != customSection {
			kept = append(binary.AppendUvarint(append(kept, id), uint64(len(body))), body...)
		}
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}
