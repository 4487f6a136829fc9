package result_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

// BenchmarkRead reads 16 MiB of JSON in the ways of read_result; a page and a
// fit of it should not depend on that.
func BenchmarkRead(b *testing.B) {
	item := `{"id": 12345678901234567890, "name": "ab\"c", "tags": ["a", "b"], "text": "` + strings.Repeat("words and ", 20) + `"},` + "\n"
	doc := "[" + strings.Repeat(item, 16<<20/len(item)) + `{"id": 1}]`
	f := folder(b)
	m, err := f.Put(b.Context(), result.Meta{Owner: "ann", Text: true}, strings.NewReader(doc))
	if err != nil {
		b.Fatal(err)
	}
	tools := newBench(f, tool.DefaultMaxResultSize)
	for name, args := range map[string]string{
		"page": `"offset": 8000000`, "one value": `"path": "[50000].text"`, "values": `"path": "[*].id"`,
		"text": `"grep": "nothing"`, "pattern": `"grep": "[xyz][0-9]+q"`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tools.read(b.Context(), "ann", fmt.Sprintf(`{"handle": %q, %s}`, m.Handle, args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFit fits answers that need no cut, and one that is kept.
func BenchmarkFit(b *testing.B) {
	for _, size := range []int{100, 16_000, 64 << 10, 8 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			out := output(text(strings.Repeat("0123456789abcde\n", size/16)))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				result.Fit(b.Context(), discard{}, out, about, 16_000)
			}
		})
	}
}

// discard reads what it should keep and forgets it.
type discard struct{ brokenStore }

func (discard) Put(_ context.Context, m result.Meta, r io.Reader) (result.Meta, error) {
	n, err := io.Copy(io.Discard, r)
	m.Handle, m.Size = result.NewHandle(), n
	return m, err
}
