package memfs

// chunkSize is the unit in which the bytes of a file are held and copied.
const chunkSize = 64 << 10

// shared is the epoch of bytes that belong to somebody else: it is never the present.
const shared = ^uint64(0)

// slack is how much more memory than bytes a chunk may keep after it got shorter,
// beside as much again.
const slack = 512

// contents are the bytes of a file. Where there is no chunk, and behind the end of one,
// they are zeros up to the size.
type contents struct {
	size   int64
	chunks []chunk
}

// chunk is a part of a file, never beyond the file's size. It may be written to in the
// epoch in which it was made; later it belongs to the mark, too.
type chunk struct {
	data  []byte
	epoch uint64
}

// sharing returns contents that are data, which is not copied and never written to.
func sharing(data []byte) contents {
	c := contents{size: int64(len(data))}
	if len(data) > 0 {
		c.chunks = make([]chunk, 0, (len(data)+chunkSize-1)/chunkSize)
	}
	for len(data) > 0 {
		n := min(len(data), chunkSize)
		c.chunks = append(c.chunks, chunk{data: data[:n:n], epoch: shared})
		data = data[n:]
	}
	return c
}

// readAt fills p from the offset, and says how much there was.
func (c *contents) readAt(p []byte, at int64) int {
	if at >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-at)]
	for done := 0; done < len(p); {
		i, skip := split(at + int64(done))
		part := p[done:min(len(p), done+chunkSize-skip)]
		n := 0
		if i < len(c.chunks) && skip < len(c.chunks[i].data) {
			n = copy(part, c.chunks[i].data[skip:])
		}
		clear(part[n:])
		done += len(part)
	}
	return len(p)
}

// writeAt puts p at the offset.
func (c *contents) writeAt(p []byte, at int64, epoch uint64) {
	c.size = max(c.size, at+int64(len(p)))
	if last, _ := split(at + int64(len(p)) - 1); last >= len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, last+1-len(c.chunks))...)
	}
	for len(p) > 0 {
		i, skip := split(at)
		n := min(len(p), chunkSize-skip)
		c.chunks[i].own(skip+n, epoch)
		copy(c.chunks[i].data[skip:], p[:n])
		p, at = p[n:], at+int64(n)
	}
}

// own makes the chunk one that may be written to up to need.
func (k *chunk) own(need int, epoch uint64) {
	before := len(k.data)
	switch need = max(need, before); {
	case k.epoch == epoch && need <= cap(k.data):
		k.data = k.data[:need]
		clear(k.data[before:])
	default:
		room := need
		if k.data != nil { // it is growing, and will grow on
			room = min(chunkSize, max(need, 2*before))
		}
		data := make([]byte, need, room)
		copy(data, k.data)
		*k = chunk{data: data, epoch: epoch}
	}
}

// truncate makes the file as long as size.
func (c *contents) truncate(size int64) {
	if size < c.size {
		i, rest := split(size)
		if i < len(c.chunks) {
			if rest > 0 {
				c.chunks[i].shorten(rest)
				i++
			}
			clear(c.chunks[i:])
			c.chunks = c.chunks[:i]
		}
		if cap(c.chunks) > 2*len(c.chunks) {
			c.chunks = append([]chunk(nil), c.chunks...)
		}
	}
	c.size = size
}

// shorten drops what is behind n, and the memory of it where that is much.
func (k *chunk) shorten(n int) {
	if n >= len(k.data) {
		return
	}
	k.data = k.data[:n]
	if k.epoch != shared && cap(k.data) > 2*n+slack {
		k.data = append(make([]byte, 0, n), k.data...)
	}
}

// split says which chunk an offset is in, and where in it.
func split(at int64) (index, skip int) {
	return int(at / chunkSize), int(at % chunkSize)
}
