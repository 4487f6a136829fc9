package acceptance_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// TestSnippets: programs of the standard library print what is written down for them.
func TestSnippets(t *testing.T) {
	snippets := snippets(t)
	p := open(t, python.Config{Queue: len(snippets)})
	var all sync.WaitGroup
	var mu sync.Mutex
	passed, notes := 0, map[string]int{}
	for _, s := range snippets {
		all.Go(func() {
			r, err := p.run(s.Code)
			difference := differs(s, r, err)
			if difference != "" {
				t.Errorf("%s: %s", s.Name, difference)
			}
			mu.Lock()
			defer mu.Unlock()
			if difference == "" {
				passed++
				notes[s.Kind]++
			}
		})
	}
	all.Wait()
	t.Logf("%d of %d programs pass; of those %d as on Linux with CPython 3.11, and with a difference that is explained: version %d, platform %d, absent %d",
		passed, len(snippets), notes[""], notes["version"], notes["platform"], notes["absent"])
}

func snippets(t testing.TB) []pythontest.Snippet {
	t.Helper()
	all, err := pythontest.Snippets(os.DirFS("../testdata/snippets"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differs says what a snippet did that it should not; "" is nothing.
func differs(s pythontest.Snippet, r python.Result, err error) string {
	value, failed := "", ""
	if v := r.Reply.Value; v != nil {
		value = v.Repr
	}
	if f := r.Reply.Failure; f != nil {
		failed = f.Type[strings.LastIndexByte(f.Type, '.')+1:] // without its module
	}
	if r.Reply.Outcome == wire.Exited {
		failed = "SystemExit"
	}
	switch {
	case err != nil:
		return err.Error()
	case failed != s.Error:
		return "it ends by " + ends(r) + ", not by " + s.Error + "; stderr " + string(r.Stderr)
	case string(r.Stdout) != s.Out:
		return "it prints\n" + string(r.Stdout) + "and not\n" + s.Out
	case value != s.Value:
		return "its value is " + value + ", not " + s.Value
	}
	return ""
}
