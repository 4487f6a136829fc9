package httpapi

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestWritten: the same tools in the same format are written once; others, and the same
// in another order, anew; and no more is kept than there is room for.
func TestWritten(t *testing.T) {
	t.Parallel()
	a, b := &tool.Spec{Name: "a"}, &tool.Spec{Name: "b"}
	var w written
	times, size := 0, 10
	get := func(format string, deferring bool, specs ...*tool.Spec) string {
		got, err := w.get(format, deferring, specs, func() (tagged, error) {
			times++
			return tagged{bytes.Repeat([]byte{'x'}, size), fmt.Sprint(times)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.etag
	}
	for i, c := range []struct {
		format    string
		deferring bool
		specs     []*tool.Spec
		want      string
	}{
		{"mcp", false, []*tool.Spec{a, b}, "1"},
		{"mcp", false, []*tool.Spec{a, b}, "1"},
		{"mcp", true, []*tool.Spec{a, b}, "2"},
		{"gemini", false, []*tool.Spec{a, b}, "3"},
		{"mcp", false, []*tool.Spec{b, a}, "4"},
		{"mcp", false, []*tool.Spec{a}, "5"},
		{"mcp", false, []*tool.Spec{a, {Name: "b"}}, "6"},
		{"mcp", false, nil, "7"},
		{"mcp", false, nil, "7"},
		{"mcp", false, []*tool.Spec{a, b}, "1"},
	} {
		if got := get(c.format, c.deferring, c.specs...); got != c.want {
			t.Errorf("%d: it was written as number %s, want %s", i, got, c.want)
		}
	}
	for i := range writtenLists - 1 {
		get(fmt.Sprint(i), false, a)
	}
	if before := times; get("mcp", false, a, b) != "1" || times != before || len(w.lists) != writtenLists {
		t.Errorf("what was asked for last is gone, or %d are kept", len(w.lists))
	}
	size = writtenBytes/2 + 1
	get("large", false, a)
	get("larger", false, a)
	if len(w.lists) != 1 || w.bytes != size {
		t.Errorf("%d lists of %d bytes are kept", len(w.lists), w.bytes)
	}
	size = writtenBytes + 1
	if get("too large", false, a); w.lists[0].format != "larger" {
		t.Error("more is kept than there is room for")
	}
}
