package result_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

// memory is a store that keeps the last result.
type memory struct {
	meta result.Meta
	data []byte
}

func (m *memory) Put(_ context.Context, meta result.Meta, r io.Reader) (result.Meta, error) {
	data, err := io.ReadAll(r)
	meta.Handle, meta.Size = result.NewHandle(), int64(len(data))
	m.meta, m.data = meta, data
	return meta, err
}

func (m *memory) Open(_ context.Context, owner, handle string) (result.Meta, result.Blob, error) {
	if owner != m.meta.Owner || handle != m.meta.Handle {
		return result.Meta{}, nil, result.ErrNone
	}
	return m.meta, blob{bytes.NewReader(m.data)}, nil
}

type blob struct{ io.ReaderAt }

func (blob) Close() error { return nil }

func FuzzFit(f *testing.F) {
	f.Add("one\ntwo", "three", 10, 100)
	f.Add("e\u0301", "\xff\xfe", 900, 1200)
	f.Add("line\r\n", "", 300, 1000)
	f.Add("\u0301👩\u200D👧", "\n\n", 500, 1001)
	f.Fuzz(func(t *testing.T, a, b string, times, most int) {
		a, times, most = a[:min(len(a), 1000)], min(max(times, 0), 1000), min(most, 20_000)
		blocks := []tool.Content{text(strings.Repeat(a, times)), {Type: tool.ContentImage, Data: []byte{1}}, text(b), text(strings.Repeat(b, times%50))}
		whole := strings.Join([]string{
			strings.ToValidUTF8(blocks[0].Text, "\uFFFD"), strings.ToValidUTF8(b, "\uFFFD"), strings.ToValidUTF8(blocks[3].Text, "\uFFFD"),
		}, "\n")
		store := &memory{}
		got, note := result.Fit(t.Context(), store, output(blocks...), about, most)
		if note != "" {
			t.Fatal(note)
		}
		var parts []string
		for _, c := range got.Content {
			if c.Type == tool.ContentText {
				parts = append(parts, c.Text)
			}
		}
		shown := strings.Join(parts, "\n")
		limit := most
		if most <= 0 {
			limit = tool.DefaultMaxResultSize
		}
		if !utf8.ValidString(shown) {
			t.Fatalf("%q is not valid", shown)
		}
		if utf8.RuneCountInString(whole) <= limit {
			if shown != whole {
				t.Fatalf("%q became %q", whole, shown)
			}
			return
		}
		handles := handleIn.FindAllString(shown, -1)
		if len(handles) < 2 {
			t.Fatalf("no handle in %q", shown)
		}
		at := noticeIn.FindStringIndex(shown)
		if n := utf8.RuneCountInString(shown); n > max(limit, utf8.RuneCountInString(shown[at[0]:at[1]])) {
			t.Fatalf("%d characters of %d", n, limit)
		}
		head, notice, tail := split(t, shown)
		checkShown(t, store, whole, head, notice, tail)
	})
}
