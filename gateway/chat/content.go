package chat

import (
	"context"
	"io"
)

// Content is what is in a file, for one reader at a time.
type Content struct {
	size   int64
	read   func(number int) ([]byte, error)
	number int // of part
	part   []byte
}

func newContent(ctx context.Context, store FileStore, f *SavedFile) *Content {
	return &Content{size: f.Size, number: -1, read: func(number int) ([]byte, error) {
		return store.ReadPart(ctx, f.Content, number)
	}}
}

// ReadAt reads from that many bytes on; see [io.ReaderAt]. It fails where the file has
// been changed since it was opened.
func (c *Content) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		if off >= c.size {
			return n, io.EOF
		}
		part, err := c.at(int(off / PartSize))
		if err != nil {
			return n, err
		}
		within := off % PartSize
		if within >= int64(len(part)) {
			return n, errNoPart
		}
		copied := copy(p[n:], part[within:])
		n, off = n+copied, off+int64(copied)
	}
	return n, nil
}

// Close ends the reading; there is nothing that would have to be closed.
func (*Content) Close() error { return nil }

func (c *Content) at(number int) ([]byte, error) {
	if number == c.number {
		return c.part, nil
	}
	part, err := c.read(number)
	if err != nil {
		return nil, err
	}
	c.number, c.part = number, part
	return part, nil
}
