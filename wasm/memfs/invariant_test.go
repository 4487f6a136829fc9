package memfs

import (
	"hash/fnv"
	"io/fs"
	"testing"
)

func sum(p []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(p) // never fails
	return h.Sum64()
}

// checkUsage counts what there is anew.
func checkUsage(t *testing.T, f *FS) {
	t.Helper()
	var want usage
	seen := map[*node]bool{}
	count := func(n *node) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		want.bytes += n.charge(n.length())
		for _, k := range n.chunks {
			if len(k.data) > chunkSize {
				t.Errorf("a chunk of %d bytes", len(k.data))
			}
		}
		return true
	}
	var walk func(dir *node)
	walk = func(dir *node) {
		folders := 0
		for name, it := range dir.names {
			if !it.hosted {
				want.names++
			}
			if count(it.node); it.node.kind == fs.ModeDir {
				folders++
				if it.node.parent != dir {
					t.Errorf("%s does not know its folder", name)
				}
				walk(it.node)
			}
		}
		if folders != dir.folders {
			t.Errorf("%d folders, counted as %d", folders, dir.folders)
		}
	}
	count(f.root)
	walk(f.root)
	for h := range f.open {
		count(h.node)
	}
	if f.used != want {
		t.Errorf("counted %+v, there is %+v", f.used, want)
	}
}
