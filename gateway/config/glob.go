package config

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxLookedAt is how many files and folders a pattern may look at: one such as
// /*/*/* would look at all of a machine.
const maxLookedAt = 20_000

// globWithin returns the paths that a pattern finds, looking at no more than
// most files and folders.
func globWithin(pattern string, most int) ([]string, error) {
	root := ""
	if path.IsAbs(pattern) {
		root, pattern = "/", strings.TrimLeft(path.Clean(pattern), "/")
	}
	looked := &lookedAt{root: root, most: most}
	found, err := fs.Glob(looked, pattern)
	if err == nil && looked.most < 0 {
		err = fmt.Errorf("the pattern looks at more than %d files and folders", most)
	}
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = root + found[i]
	}
	return found, nil
}

// lookedAt is a file system for fs.Glob that finds nothing more once most is
// below zero. Its paths may lead anywhere.
type lookedAt struct {
	root string
	most int
}

// Open is what makes it an fs.FS; fs.Glob uses the other two.
func (l *lookedAt) Open(name string) (fs.File, error) { return os.Open(l.root + name) }

// Stat is for the parts of a pattern without * and ?.
func (l *lookedAt) Stat(name string) (fs.FileInfo, error) {
	if l.most--; l.most < 0 {
		return nil, fs.ErrNotExist
	}
	return os.Stat(l.root + name)
}

// ReadDir asks first whether it is a folder: to open a pipe is to wait.
func (l *lookedAt) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := l.Stat(name)
	if err != nil || !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	entries, err := os.ReadDir(l.root + name)
	if l.most -= len(entries); l.most < 0 {
		return nil, fs.ErrNotExist
	}
	return entries, err
}
