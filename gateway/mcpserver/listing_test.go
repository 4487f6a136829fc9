package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestListsAreBounded holds that lists are written once, are given up in the
// order in which they were last used, and hold no more than they may.
func TestListsAreBounded(t *testing.T) {
	var l lists
	list := func(name string, size int) []*tool.Spec {
		return []*tool.Spec{{Name: name, Description: strings.Repeat("x", size), Parameters: json.RawMessage(`{"type":"object"}`)}}
	}
	first := list("first", 10)
	once := l.encode(first)
	for i := range maxLists - 1 {
		l.encode(list(fmt.Sprint(i), 10))
	}
	if again := l.encode(first); &again[0] != &once[0] {
		t.Error("the list was written twice")
	}
	l.encode(list("one more", 10))
	if again := l.find(first); again == nil || len(l.kept) != maxLists {
		t.Errorf("%d lists are kept, the one used last: %v", len(l.kept), again != nil)
	}
	l.encode(list("large", maxListBytes))
	if len(l.kept) != 1 || l.encode(first) == nil {
		t.Errorf("%d lists are kept beside a large one", len(l.kept)-1)
	}
	l.forget()
	if len(l.kept) != 0 || string(l.encode(first)) != string(once) {
		t.Error("not forgotten, or not the same")
	}
}

// TestListIsTheSame holds that a list that did not change comes back to the byte.
func TestListIsTheSame(t *testing.T) {
	w := newWays(t)
	var bodies []string
	for range 2 {
		for _, d := range []*door{w.short, w.long} {
			bodies = append(bodies, send(d, http.MethodPost, list, w.legacy()...).Body.String())
		}
		w.short.ToolsChanged()
	}
	if bodies[0] != bodies[2] || bodies[1] != bodies[3] {
		t.Errorf("%s", strings.Join(bodies, "\n"))
	}
}
