// Package wasmtest makes small modules for tests.
package wasmtest

import "encoding/binary"

// Program is a small module of WASI: its _start calls one function of the host with
// four numbers, and drops what that returns.
type Program struct {
	Host     string // the module of the function; WASI when empty
	Function string // fd_write when empty
	FD       byte
	Text     string // what stands at byte 8 of its memory, to which the first vector points
	Body     []byte // instead of the call
	Exports  []string
}

// Module is the program in the binary format.
func (p Program) Module() []byte {
	host, function, exports := p.Host, p.Function, p.Exports
	if host == "" {
		host = "wasi_snapshot_preview1"
	}
	if function == "" {
		function = "fd_write"
	}
	if exports == nil {
		exports = []string{"memory", "_start"}
	}
	body := p.Body
	if body == nil { // fd_write(fd, 0, 1, 4000)
		body = []byte{0x41, p.FD, 0x41, 0, 0x41, 1, 0x41, 0xa0, 0x1f, 0x10, 0, 0x1a}
	}
	export := []byte{byte(len(exports))}
	for _, name := range exports {
		kind, index := byte(0), byte(1)
		if name == "memory" {
			kind, index = 2, 0
		}
		export = append(append(export, sized(name)...), kind, index)
	}
	data := binary.LittleEndian.AppendUint32([]byte{8, 0, 0, 0}, uint32(len(p.Text)))
	data = append(data, p.Text...)
	code := append(append([]byte{0}, body...), 0x0b)
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id   byte
		text []byte
	}{
		{1, []byte{2, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 0}},
		{2, append(append(append([]byte{1}, sized(host)...), sized(function)...), 0, 0)},
		{3, []byte{1, 1}},
		{5, []byte{1, 0, 1}},
		{7, export},
		{10, append([]byte{1}, sized(string(code))...)},
		{11, append([]byte{1, 0, 0x41, 0, 0x0b}, sized(string(data))...)},
	} {
		out = append(append(out, s.id), sized(string(s.text))...)
	}
	return out
}

// sized is a text after its length.
func sized(text string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}
