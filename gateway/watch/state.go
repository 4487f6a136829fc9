package watch

import (
	"crypto/sha256"
	"io"
	"maps"
	"os"
	"slices"
)

// Digest is the SHA-256 of a file's content; all zeros where there is no file
// that can be read.
type Digest = [sha256.Size]byte

// State is what is found on disk at one moment. It is not changed once it is
// made.
type State struct {
	Files    map[string]Digest   // by path
	Patterns map[string][]string // the sorted paths that a pattern finds, by pattern
}

// Equal reports whether both say the same about the same paths and patterns.
func (s State) Equal(other State) bool {
	return maps.Equal(s.Files, other.Files) && maps.EqualFunc(s.Patterns, other.Patterns, slices.Equal[[]string])
}

// With is s with what other says of further paths and patterns. Where both say
// something s counts.
func (s State) With(other State) State {
	out := State{Files: maps.Clone(other.Files), Patterns: maps.Clone(other.Patterns)}
	if out.Files == nil {
		out.Files = map[string]Digest{}
	}
	if out.Patterns == nil {
		out.Patterns = map[string][]string{}
	}
	maps.Copy(out.Files, s.Files)
	maps.Copy(out.Patterns, s.Patterns)
	return out
}

// lacks reports whether a file is gone that other has.
func (s State) lacks(other State) bool {
	for path, digest := range other.Files {
		if digest != (Digest{}) && s.Files[path] == (Digest{}) {
			return true
		}
	}
	return false
}

// Disk says how files are read and found.
type Disk struct {
	// MaxFile is the most bytes of a file: one byte more is read of it.
	MaxFile int64
	// Glob finds the files of a pattern, sorted. Without it there are no patterns.
	Glob func(pattern string) ([]string, error)
}

// Look finds out how the paths and patterns of a state are now.
func (d *Disk) Look(s State) State { return d.look(s, d.Digest) }

func (d *Disk) look(s State, digest func(path string) Digest) State {
	now := State{Files: make(map[string]Digest, len(s.Files)), Patterns: make(map[string][]string, len(s.Patterns))}
	for path := range s.Files {
		now.Files[path] = digest(path)
	}
	for pattern := range s.Patterns {
		if found, err := d.Glob(pattern); err == nil {
			now.Patterns[pattern] = found
		} else {
			now.Patterns[pattern] = nil
		}
	}
	return now
}

// Digest reads a file. What is no ordinary file is not opened: to open a pipe is
// to wait for its other end.
func (d *Disk) Digest(path string) Digest {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return Digest{}
	}
	f, err := os.Open(path)
	if err != nil {
		return Digest{}
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, d.MaxFile+1)); err != nil {
		return Digest{}
	}
	return Digest(sum.Sum(nil))
}
