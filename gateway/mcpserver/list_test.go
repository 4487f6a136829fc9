package mcpserver

import (
	"fmt"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// FuzzPage holds that a cursor, whoever made it, gives a part of the list right
// behind the tool it names, or an error.
func FuzzPage(f *testing.F) {
	specs := make([]*tool.Spec, pageSize+2)
	for i := range specs {
		specs[i] = &tool.Spec{Name: fmt.Sprintf("t%d", i)}
	}
	for _, seed := range []string{"", "dDA", "dDEwMDE", "dDEwMDA=", "!", "aGlkZGVu"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		got, after, err := page(specs, cursor)
		if err != nil {
			if got != nil || after != "" {
				t.Errorf("an error and a page for %q", cursor)
			}
			return
		}
		at := 0
		if cursor != "" {
			at = lastSent(specs, cursor) + 1
		}
		if len(got) > pageSize || (len(got) > 0 && got[0] != specs[at]) || (after == "") != (at+len(got) == len(specs)) {
			t.Errorf("%q gives %d tools from %d, then %q", cursor, len(got), at, after)
		}
	})
}
