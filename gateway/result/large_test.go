package result_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	pageMost = 4 << 20  // bytes that reading a page of a large result may allocate
	heapMost = 32 << 20 // bytes that the heap may grow by over many pages
)

// cycle is a unit of text over and over, from an offset on.
type cycle struct {
	unit string
	size int64
	at   int64
}

func (c *cycle) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && c.at < c.size {
		from := int(c.at % int64(len(c.unit)))
		k := copy(p[n:], c.unit[from:min(int64(len(c.unit)), int64(from)+c.size-c.at)])
		n += k
		c.at += int64(k)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// check compares what comes next with text.
func (c *cycle) check(t *testing.T, text []byte) {
	t.Helper()
	want := make([]byte, len(text))
	from := c.at
	if n, _ := io.ReadFull(c, want); n != len(text) || !bytes.Equal(want, text) {
		t.Fatalf("%d bytes from %d on are others", len(text), from)
	}
}

// allocated runs f and says how many bytes it allocated, and by how many the
// heap grew.
func allocated(f func()) (total, heap int64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestLarge keeps large results of text, JSON and other bytes, has every byte again,
// and reads pages of the usual size in bounded memory.
func TestLarge(t *testing.T) {
	unit := func(s string) string { return strings.Repeat(s, 64<<10/len(s)) }
	items := `{"id": 12345678901234567890, "name": "ab\"c", "tags": ["a", "b"], "text": "` + strings.Repeat("words and ", 20) + `"},`
	jsonUnit := strings.Repeat(items, 250)
	jsonSize := int64(large / len(jsonUnit) * len(jsonUnit))
	cases := []struct {
		name   string
		meta   result.Meta
		before string
		body   cycle
		after  string
		pages  []string // arguments of pages that are read of it, as they are
	}{
		{
			name: "text", meta: result.Meta{Media: "text/plain", Text: true},
			body:  cycle{unit: unit("The quick brown fox jumps over the läzy dog 0123456789.\n"), size: large / 57 * 57},
			pages: []string{`"offset": 0`, `"offset": 50000001`, `"offset": 50000000, "limit": 100`, `"grep": "nothing of this"`},
		},
		{
			name: "JSON", meta: result.Meta{Media: "application/json", Text: true},
			before: "[", body: cycle{unit: jsonUnit, size: jsonSize}, after: `{"id": 1, "name": "last"}]`,
			pages: []string{fmt.Sprintf(`"path": "[%d].name"`, jsonSize/int64(len(items))), `"path": "[*].id", "offset": 3000000`, `"grep": "\"last\""`},
		},
		{
			name: "bytes", meta: result.Meta{Media: "application/zip"},
			body:  cycle{unit: strings.Repeat("\x00\x01\x02\xfe\xff\x80\x81", 9000), size: large/63_000*63_000 + 1},
			pages: []string{`"offset": 0`, `"offset": 50000001`},
		},
	}
	f := open(t, t.TempDir(), result.Options{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.meta.Owner = "ann"
			body := c.body
			var m result.Meta
			total, _ := allocated(func() {
				var err error
				if m, err = f.Put(t.Context(), c.meta, io.MultiReader(strings.NewReader(c.before), &body, strings.NewReader(c.after))); err != nil {
					t.Fatal(err)
				}
			})
			if total > pageMost {
				t.Errorf("keeping it allocated %d bytes", total)
			}
			everyByte(t, newBench(f, 8<<20), m, c.before, c.body, c.after)
			b := newBench(f, tool.DefaultMaxResultSize)
			for _, args := range c.pages {
				total, _ := allocated(func() {
					if got := b.shown(t, fmt.Sprintf(`{"handle": %q, %s}`, m.Handle, args)); strings.HasPrefix(got, "Error") {
						t.Errorf("%s: %s", args, got)
					}
				})
				if total > pageMost {
					t.Errorf("%s allocated %d bytes", args, total)
				}
			}
			_, heap := allocated(func() {
				for i := range 200 {
					b.shown(t, fmt.Sprintf(`{"handle": %q, "offset": %d}`, m.Handle, i*(large/400)))
				}
			})
			if heap > heapMost {
				t.Errorf("the heap grew by %d bytes", heap)
			}
			if _, err := b.read(t.Context(), "bob", fmt.Sprintf(`{"handle": %q}`, m.Handle)); err == nil {
				t.Error("another caller reads it")
			}
		})
	}
}

// everyByte pages through a result and compares each page.
func everyByte(t *testing.T, b *bench, m result.Meta, before string, body cycle, after string) {
	t.Helper()
	rest := m.Size
	if !m.Text { // the unit is a multiple of three bytes: its base64 comes over and over too
		after = base64.StdEncoding.EncodeToString([]byte(body.unit[:1]))
		body.size = (body.size - 1) / 3 * 4
		body.unit = base64.StdEncoding.EncodeToString([]byte(body.unit))
		rest = body.size + int64(len(after))
	}
	b.pages(t, fmt.Sprintf(`"handle": %q`, m.Handle), func(s string) {
		page := []byte(s)
		rest -= int64(len(page))
		if before != "" {
			page = bytes.TrimPrefix(page, []byte(before))
			before = ""
		}
		if rest == 0 {
			page = bytes.TrimSuffix(page, []byte(after))
		}
		body.check(t, page)
	})
	if rest != 0 || body.at != body.size {
		t.Errorf("%d bytes are missing", rest)
	}
}

// TestFitLarge cuts a large text without another copy of it.
func TestFitLarge(t *testing.T) {
	var b strings.Builder
	b.Grow(large)
	if _, err := io.Copy(&b, &cycle{unit: strings.Repeat("some läzy text\n", 4096), size: large / 16 * 16}); err != nil {
		t.Fatal(err)
	}
	in := output(text(b.String()), text("more"))
	f := open(t, t.TempDir(), result.Options{})
	total, _ := allocated(func() {
		got, note := result.Fit(t.Context(), f, in, about, 16_000)
		if note != "" || !strings.HasSuffix(got.Text(), "\nmore") {
			t.Errorf("%q, %q", note, got.Text())
		}
	})
	if total > pageMost {
		t.Errorf("%d bytes were allocated", total)
	}
}
