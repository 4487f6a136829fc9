package cmdtool

import (
	"bytes"
	"strings"

	"github.com/toolgate/toolgate/gateway/secret"
)

const maxSaid = 8 << 10 // bytes that a failure tells of the end of each output

// capture keeps what is written to it and calls full when that is too much.
type capture struct {
	buf  bytes.Buffer
	most int64
	full func()
}

func (c *capture) Write(p []byte) (int, error) {
	if int64(c.buf.Len()+len(p)) > c.most {
		c.full()
		return 0, errFull
	}
	return c.buf.Write(p)
}

// Bytes returns what was written.
func (c *capture) Bytes() []byte { return c.buf.Bytes() }

// end is the end of what was written, and nothing of what is no text.
func (c *capture) end(most int) *tail {
	data := c.buf.Bytes()
	if bytes.IndexByte(data, 0) >= 0 {
		return &tail{}
	}
	from := max(0, len(data)-most)
	return &tail{buf: data[from:], cut: from > 0}
}

// tail keeps the end of what is written to it.
type tail struct {
	buf  []byte
	most int
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.most; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	return len(p), nil
}

// text is what was kept, without secrets and, where its start is missing, without
// what may be a piece of one; a mark stands there.
func (t *tail) text(m *secret.Masker) string {
	text, mark := string(t.buf), ""
	if t.cut {
		text, mark = m.Tail(text), "[…] "
	} else {
		text = m.Text(text)
	}
	return mark + strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
}
