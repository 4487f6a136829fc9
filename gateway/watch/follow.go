package watch

import (
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// matters reports whether an event may be about what is watched. A database may
// lie in the same folder and is written to all the time.
func (w *Watcher) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	folder, name := filepath.Split(e.Name)
	return w.entries[e.Name] || slices.ContainsFunc(w.globs[filepath.Clean(folder)], func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// follow watches the folders that matter now, and no others.
func (w *Watcher) follow() {
	if w.notify == nil {
		return
	}
	folders := w.folders(w.expecting())
	for _, have := range w.notify.WatchList() {
		if !folders[have] {
			_ = w.notify.Remove(have) // it may be gone, which is as good
		}
		delete(folders, have)
	}
	for folder := range folders {
		if err := w.notify.Add(folder); err != nil {
			w.tell(err)
		}
	}
}

// folders are the real paths of the folders to watch for a state, maxFolders at
// most. It notes what matters in them.
func (w *Watcher) folders(s State) map[string]bool {
	w.entries, w.globs = map[string]bool{}, map[string][]string{}
	for path := range s.Files {
		w.need(chain(path))
	}
	for pattern := range s.Patterns {
		w.needPattern(pattern)
	}
	out := map[string]bool{}
	for entry := range w.entries {
		out[filepath.Dir(entry)] = true
	}
	for folder := range w.globs {
		out[folder] = true
	}
	for folder := range out {
		if len(out) <= maxFolders {
			break
		}
		delete(out, folder)
	}
	return out
}

func (w *Watcher) need(entries []string) {
	for _, entry := range entries {
		w.entries[entry] = true
	}
}

// needPattern notes where files of a pattern appear: in its folder, as far as
// that holds no wildcard. Below a wildcard files are found by looking, and so is
// a folder that is not there yet in one that is not there either.
func (w *Watcher) needPattern(pattern string) {
	folder, name := folderOf(pattern), filepath.Base(pattern)
	if folder != filepath.Dir(pattern) {
		name = "*"
	}
	w.need(chain(folder))
	if real, err := realPath(folder); err == nil {
		w.globs[real] = append(w.globs[real], name)
	}
}

func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
