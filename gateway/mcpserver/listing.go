package mcpserver

import (
	"slices"
	"sync"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Of the lists that are kept in writing: few, since most callers see the same.
const (
	maxLists     = 16
	maxListBytes = 8 << 20 // of all together, but for the one used last
)

// lists keeps tools as they are written in a list, for specs never change.
type lists struct {
	mu   sync.Mutex // guards kept
	kept []written  // the one used last stands last
}

// written is one list.
type written struct {
	specs []*tool.Spec
	tools []byte // the JSON array of them
}

// encode gives the array of the tools. It is not to be changed.
func (l *lists) encode(specs []*tool.Spec) []byte {
	if tools := l.find(specs); tools != nil {
		return tools
	}
	tools, err := tool.EncodeJSON(mcpTools(specs))
	if err != nil {
		panic(err) // the schema of a registered tool is JSON
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, written{slices.Clone(specs), tools})
	for len(l.kept) > 1 && (len(l.kept) > maxLists || l.size() > maxListBytes) {
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	return tools
}

func (l *lists) size() (bytes int) {
	for _, w := range l.kept {
		bytes += len(w.tools)
	}
	return bytes
}

func (l *lists) find(specs []*tool.Spec) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.kept, func(w written) bool { return slices.Equal(w.specs, specs) })
	if at < 0 {
		return nil
	}
	found := l.kept[at]
	l.kept = append(slices.Delete(l.kept, at, at+1), found)
	return found.tools
}

// forget lets go of all lists: those of an older configuration are not asked for
// again.
func (l *lists) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = nil
}
