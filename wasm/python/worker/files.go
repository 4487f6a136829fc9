package worker

import (
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/toolgate/toolgate/wasm/memfs"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Where the guest finds files.
const (
	given    = "/files"    // of its job, read-only
	results  = "/out"      // for what it gives back
	scratch  = "/tmp"      // for anything else
	packages = "/packages" // what can be imported beside the standard library, read-only
)

// tree makes the files of the guest's start.
func tree(s Settings) (*memfs.FS, error) {
	files := memfs.New(memfs.Options{Bytes: s.Files})
	for _, folder := range []struct {
		name     string
		writable bool
	}{{given, false}, {packages, false}, {results, true}, {scratch, true}} {
		if err := files.AddFolder(folder.name, folder.writable); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// collect adds to a reply what the program has left among its results, and says what it
// left out.
func (h *host) collect(r *wire.Reply) {
	l := h.job.Limits
	found, left := h.files.Files(results, memfs.Most{Files: l.Artifacts, Bytes: l.Bytes})
	for _, f := range found {
		if !fs.ValidPath(f.Name) || len(f.Name) > wire.MaxName || !utf8.ValidString(f.Name) {
			r.Notes = append(r.Notes, fmt.Sprintf("a file under /out was left out for its name %.100q", f.Name))
			continue
		}
		r.Artifacts = append(r.Artifacts, wire.File{Name: f.Name, Size: int64(len(f.Data)), Data: f.Data})
	}
	if left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d files under /out were left out: at most %d files with %d bytes together come back", left, l.Artifacts, l.Bytes))
	}
}
