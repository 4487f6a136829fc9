package document

import (
	"context"
	"crypto/sha256"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// File is one file of a document.
type File struct {
	Name string // relative to the folder of the main file, with slashes
	Root *Node
}

// Set is a document with the files that its references name, which are read when
// they are first asked for. It may be used by several goroutines.
type Set struct {
	source *Source
	main   *File

	mu     sync.Mutex // guards all below
	files  map[string]*opened
	total  int // bytes of all files
	found  map[question]found
	places map[*File]*index
	large  map[*Node]map[string]*Node // members of objects that have many
}

// opened is what became of a file.
type opened struct {
	file *File // nil when it cannot be read
	err  *RefError
	sum  sum
}

// Open reads a document, as [Read] and [Source.Open] do together.
func Open(ctx context.Context, o Options) (*Set, error) {
	source, err := Read(ctx, o)
	if err != nil {
		return nil, err
	}
	return source.Open(ctx)
}

// Open reads what the main file says. An error about its text is an *[Error]; of a
// context that is over it is the cause.
func (s *Source) Open(ctx context.Context) (*Set, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	root, err := Parse(s.name, s.data)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // it may have taken seconds
		return nil, context.Cause(ctx)
	}
	main := &File{Name: s.name, Root: root}
	return &Set{
		source: s, main: main, total: len(s.data),
		files:  map[string]*opened{s.name: {file: main, sum: sumOf(s.data)}},
		found:  map[question]found{},
		places: map[*File]*index{},
		large:  map[*Node]map[string]*Node{},
	}, nil
}

// Main is the main file.
func (s *Set) Main() *File { return s.main }

// Base is what [Source.Base] says.
func (s *Set) Base() string { return s.source.base }

// Stale is what [Source.Stale] says.
func (s *Set) Stale() string { return s.source.stale }

// Names are the files that references named so far, sorted, and before them the
// main one. Those that are not there or cannot be read count.
func (s *Set) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := []string{s.main.Name}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if name != s.main.Name {
			names = append(names, name)
		}
	}
	return names
}

// Digest is a value that differs when a name or the text of one of the files
// differs that were read so far.
func (s *Set) Digest() [sha256.Size]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := make(map[string]sum, len(s.files))
	for name, f := range s.files {
		sums[name] = f.sum
	}
	return digest(sums)
}

// open reads the file that a reference in another one names.
func (s *Set) open(from *File, target string) (*File, *RefError) {
	if path.IsAbs(target) {
		return nil, outside()
	}
	name := path.Join(path.Dir(from.Name), target)
	if f, ok := s.files[name]; ok {
		return f.file, f.err
	}
	switch {
	case s.source.dir == "":
		return nil, &RefError{Code: RemoteReference, Text: "a document that came from an address has no other files"}
	case name == ".." || len(name) > 2 && name[:3] == "../":
		return nil, outside()
	case isHidden(name):
		return nil, &RefError{Code: OutsideReference, Text: "files and folders whose names start with a dot are not read"}
	case len(s.files) == MaxFiles:
		return nil, &RefError{Code: UnreadableFile, Text: errFiles.Error()}
	case s.total > MaxTotal:
		return nil, &RefError{Code: UnreadableFile, Text: errTotal.Error()}
	}
	f := s.load(name)
	s.files[name] = f
	return f.file, f.err
}

// isHidden reports a name with a part that starts with a dot: such files hold
// credentials and histories, and no documents.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

func (s *Set) load(name string) *opened {
	data, err := s.source.read(name)
	if err != nil {
		code := UnreadableFile
		if err == errPlace {
			code = OutsideReference
		}
		return &opened{err: &RefError{Code: code, Text: name + ": " + err.Error()}}
	}
	f := &opened{sum: sumOf(data)}
	if s.total += len(data); s.total > MaxTotal {
		f.err = &RefError{Code: UnreadableFile, Text: errTotal.Error()}
		return f
	}
	root, err := Parse(name, data)
	if err != nil {
		f.err = &RefError{Code: UnreadableFile, Text: err.Error()}
		return f
	}
	f.file = &File{Name: name, Root: root}
	return f
}
