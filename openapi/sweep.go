package openapi

import (
	"os"
	"path/filepath"
	"time"
)

// How long files are left in a cache.
const (
	maxUnfinished = time.Hour           // being written; a process that was killed leaves one
	maxUnused     = 90 * 24 * time.Hour // since their last use
	touchInterval = 24 * time.Hour      // how exactly the last use is known
)

// sweep removes what is of no use any more from the folder of a cache. Other files
// there are left alone.
func sweep(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		most := lifetime(entry.Name())
		if most == 0 || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > most {
			_ = os.Remove(filepath.Join(dir, entry.Name())) // the next one tries again
		}
	}
}

// lifetime is how old a file of a cache may be; 0 for one that is none, as is told
// by the names that this package and package document give.
func lifetime(name string) time.Duration {
	for _, kind := range []struct {
		pattern string
		most    time.Duration
	}{
		{"openapi-*.tmp", maxUnfinished}, {"new-*", maxUnfinished}, {"openapi-*.gob", maxUnused}, {"*.document", maxUnused},
	} {
		if ok, err := filepath.Match(kind.pattern, name); ok && err == nil {
			return kind.most
		}
	}
	return 0
}

// touch notes that a file is used.
func touch(path string) {
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > touchInterval {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // a folder that cannot be written is as good
	}
}
