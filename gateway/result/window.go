package result

import (
	"fmt"
	"io"
)

// window is the part of a stream from an offset on, at most most bytes of it;
// the rest is only counted.
type window struct {
	from int64
	most int
	data []byte
	size int64 // of the stream
}

// Write takes what falls into the window.
func (w *window) Write(p []byte) (int, error) {
	n := len(p)
	if skip := w.from - w.size; skip > 0 {
		p = p[min(skip, int64(len(p))):]
	}
	w.data = append(w.data, p[:min(len(p), w.most-len(w.data))]...)
	w.size += int64(n)
	return n, nil
}

// ReadAt reads what the window holds of the stream.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if off < w.from || off > w.from+int64(len(w.data)) {
		return 0, fmt.Errorf("%d is outside the window: %w", off, io.EOF)
	}
	n := copy(p, w.data[off-w.from:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
