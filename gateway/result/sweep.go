package result

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// sweepEvery is how often a folder is looked through although it is not
	// full, and how late this process may learn of what others keep there.
	sweepEvery = 10 * time.Minute
	// tempAge is when a file that is still being written counts as left behind.
	tempAge = time.Hour
	// spareShare of Options.Most is made free when the folder is full: then not
	// every further result needs a sweep of its own.
	spareShare = 10
)

// kept is a file of the folder.
type kept struct {
	name    string
	size    int64
	expires time.Time
}

func (f *Folder) sweepIfDue() {
	f.mu.Lock()
	due := f.opts.Now().Sub(f.swept) >= sweepEvery
	f.mu.Unlock()
	if due {
		_ = f.sweep("") // what is wrong with the folder is what Put will say
	}
}

// count adds a new file to the total and makes room when that is too much.
func (f *Folder) count(meta Meta) {
	f.mu.Lock()
	f.total += headerSize + meta.Size
	over := f.total > f.opts.Most
	f.mu.Unlock()
	if over {
		_ = f.sweep(meta.Handle) // the result is kept; the next one tries again
	}
}

// sweep removes leftovers, what has expired and, when the folder is over its
// limit, the oldest results but the one to spare. What cannot be removed now is
// tried again by the next sweep.
func (f *Folder) sweep(spare string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	now := f.opts.Now()
	var all []kept
	f.total, f.swept = 0, now
	for _, e := range entries {
		if k, ok := f.look(e, now); ok {
			all = append(all, k)
			f.total += k.size
		}
	}
	if f.total > f.opts.Most {
		f.shrink(all, spare)
	}
	return nil
}

// look removes an entry that should not be there any more and describes a
// result that should. Other files are nobody's business here.
func (f *Folder) look(e fs.DirEntry, now time.Time) (kept, bool) {
	temp := strings.HasPrefix(e.Name(), tempPrefix)
	if !temp && !ValidHandle(e.Name()) {
		return kept{}, false
	}
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return kept{}, false // most likely another process removed it just now
	}
	over := info.ModTime() // of a result: when it expires
	if temp {
		over = over.Add(tempAge)
	}
	if !now.Before(over) && os.Remove(filepath.Join(f.dir, e.Name())) == nil {
		return kept{}, false
	}
	return kept{name: e.Name(), size: info.Size(), expires: over}, !temp
}

func (f *Folder) shrink(all []kept, spare string) {
	slices.SortFunc(all, func(a, b kept) int {
		return cmp.Or(a.expires.Compare(b.expires), strings.Compare(a.name, b.name))
	})
	goal := f.opts.Most - f.opts.Most/spareShare
	for _, k := range all {
		if f.total <= goal {
			return
		}
		if k.name != spare && os.Remove(filepath.Join(f.dir, k.name)) == nil {
			f.total -= k.size
		}
	}
}
