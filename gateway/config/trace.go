package config

import (
	"crypto/sha256"
	"maps"
	"slices"
)

// MaxFileSize is the most bytes that a file of the configuration may have. Of a
// longer one no more than one byte beyond is read.
const MaxFileSize = maxFileSize

// Trace is what [Load] found on disk: what to look at again to learn that the
// configuration is another one now. It also keeps what a stream gave (standard
// input, the pipe of a shell), which can be read only once, so that the same
// configuration can be loaded again. The zero value is ready; it is for one
// Load after the other.
type Trace struct {
	files    map[string][sha256.Size]byte
	patterns map[string][]string
	streams  map[string][]byte
}

// Files are the paths that the last Load read or would have read, each with the
// SHA-256 of what it gave; all zeros where it gave nothing. Streams are left out.
func (t *Trace) Files() map[string][sha256.Size]byte { return maps.Clone(t.files) }

// Patterns are the patterns of includes that the last Load looked up, with the
// sorted paths that each of them found. A relative folder is that of the process.
func (t *Trace) Patterns() map[string][]string { return maps.Clone(t.patterns) }

// Glob finds files as an include does: the sorted paths that a pattern of
// filepath.Match finds, without those of folders, pipes and devices.
func Glob(pattern string) ([]string, error) {
	found, err := disk{}.glob(pattern)
	slices.Sort(found)
	return found, err
}

// over starts the trace anew over the files.
func (t *Trace) over(from files) files {
	t.files, t.patterns = map[string][sha256.Size]byte{}, map[string][]string{}
	if t.streams == nil {
		t.streams = map[string][]byte{}
	}
	return &traced{from, t}
}

// traced are files of which a trace is kept.
type traced struct {
	files
	trace *Trace
}

func (t *traced) read(path string) ([]byte, error) {
	if isStream(path) {
		return t.readStream(path)
	}
	data, err := t.files.read(path)
	t.trace.files[path] = [sha256.Size]byte{}
	if err == nil {
		t.trace.files[path] = sha256.Sum256(data)
	}
	return data, err
}

func (t *traced) readStream(path string) ([]byte, error) {
	if data, ok := t.trace.streams[path]; ok {
		return data, nil
	}
	data, err := t.files.read(path)
	if err == nil {
		t.trace.streams[path] = data
	}
	return data, err
}

// identify notes a path that is not there, for it may come.
func (t *traced) identify(path string) (string, error) {
	identity, err := t.files.identify(path)
	if err != nil && !isStream(path) {
		t.trace.files[path] = [sha256.Size]byte{}
	}
	return identity, err
}

func (t *traced) glob(pattern string) ([]string, error) {
	found, err := t.files.glob(pattern)
	t.trace.patterns[pattern] = nil
	if err == nil {
		t.trace.patterns[pattern] = slices.Sorted(slices.Values(found))
	}
	return found, err
}
