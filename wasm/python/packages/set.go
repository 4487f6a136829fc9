package packages

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Limits of what is read. They hold for all packages together, but for MaxFile and
// MaxWheel.
const (
	MaxEntries = 100      // wheels and folders
	MaxFiles   = 4000     // files
	MaxBytes   = 64 << 20 // bytes of all files
	MaxFile    = 16 << 20 // bytes of one file
	MaxWheel   = 64 << 20 // bytes of a wheel as it is on disk
	MaxName    = 500      // bytes of a file's path within the tree
)

// Package is one that programs can import.
type Package struct {
	Name    string   // as its metadata has it, or that of its folder
	Version string   // empty for a folder without metadata
	Modules []string // that are imported, the top-level ones, sorted
	Entry   int      // the index of the path that it came from
}

// File is one file of the tree.
type File struct {
	Name string // slash-separated, relative to the root of the tree
	Data []byte
}

// Set is all packages of a configuration.
type Set struct {
	Packages []Package // by name
	Files    []File    // by name
}

// Mistake is what is wrong with one of the paths.
type Mistake struct {
	Entry int // the index of the path
	Text  string
	Hint  string // what to do; may be empty
}

func (m *Mistake) Error() string {
	if m.Hint == "" {
		return m.Text
	}
	return m.Text + " (" + m.Hint + ")"
}

func mistakef(hint, format string, args ...any) *Mistake {
	return &Mistake{Text: fmt.Sprintf(format, args...), Hint: hint}
}

// Load reads the wheels and folders at the paths. Python is the version of the
// interpreter, such as 3.12; where it is empty, what packages say of versions of
// Python is not checked. It reports every mistake, in the order of the paths, and then
// the set is nil.
func Load(paths []string, python string) (*Set, []*Mistake) {
	if len(paths) > MaxEntries {
		m := mistakef("put some into one folder, as pip install --target does", "there are %d packages, and at most %d are read", len(paths), MaxEntries)
		m.Entry = MaxEntries
		return nil, []*Mistake{m}
	}
	l := loader{python: python, files: map[string]owned{}}
	for i, p := range paths {
		if m := l.entry(i, p); m != nil {
			m.Entry = i
			l.mistakes = append(l.mistakes, m)
		}
	}
	if len(l.mistakes) == 0 { // else what is missing may be in what could not be read
		l.checkNeeds()
	}
	if len(l.mistakes) > 0 {
		slices.SortStableFunc(l.mistakes, func(a, b *Mistake) int { return cmp.Compare(a.Entry, b.Entry) })
		return nil, l.mistakes
	}
	return l.set(), nil
}

// Print tells sets apart: two with the same files and packages have the same one.
func (s *Set) Print() string {
	h := sha256.New()
	for i := range s.Files {
		f := &s.Files[i]
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(f.Name)))) // it never fails
		_, _ = h.Write([]byte(f.Name))
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(f.Data))))
		_, _ = h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// owned is a file and the entry that it came from.
type owned struct {
	data  []byte
	entry int
}

// loader reads entries one after the other.
type loader struct {
	python   string
	files    map[string]owned
	bytes    int64
	found    []dist
	mistakes []*Mistake
}

// dist is a package with what it needs.
type dist struct {
	Package
	needs []string // as its metadata has them
}

// entry reads what is at one path.
func (l *loader) entry(i int, p string) *Mistake {
	info, err := os.Stat(p)
	switch {
	case os.IsNotExist(err):
		return mistakef("write the path of a wheel or of a folder; a relative one belongs to the folder of this file", "%s is not there", p)
	case err != nil:
		return mistakef("", "%v", err)
	case info.IsDir():
		return l.folder(i, p)
	case !strings.HasSuffix(p, ".whl"):
		return mistakef("write a wheel (NAME-VERSION-py3-none-any.whl), or a folder with modules in it", "%s is neither a wheel nor a folder", p)
	case info.Size() > MaxWheel:
		return mistakef("", "the wheel has %d bytes, and at most %d are read", info.Size(), MaxWheel)
	}
	data, err := os.ReadFile(p)
	if err != nil {
		return mistakef("", "%v", err)
	}
	return l.wheel(i, path.Base(strings.ReplaceAll(p, `\`, "/")), data)
}

// add puts a file into the tree.
func (l *loader) add(entry int, name string, data []byte) *Mistake {
	if other, ok := l.files[name]; ok {
		return mistakef("remove one of the two", "the file %s is also in packages.%d", name, other.entry)
	}
	switch {
	case len(l.files) >= MaxFiles:
		return mistakef("leave out tests and documentation", "the packages have more than %d files together", MaxFiles)
	case len(data) > MaxFile:
		return mistakef("leave it out", "the file %s has %d bytes, and at most %d are read", name, len(data), MaxFile)
	case l.bytes+int64(len(data)) > MaxBytes:
		return mistakef("leave out data, tests and documentation", "the packages have more than %d bytes together", int64(MaxBytes))
	}
	l.files[name] = owned{data, entry}
	l.bytes += int64(len(data))
	return nil
}

// keep notes a package that was read.
func (l *loader) keep(d dist) *Mistake {
	for i := range l.found {
		if other := &l.found[i]; fold(other.Name) == fold(d.Name) {
			return mistakef("remove one of the two", "the package %s is also in packages.%d, as version %s", d.Name, other.Entry, cmp.Or(other.Version, "unknown"))
		}
	}
	for _, name := range d.Modules {
		if slices.Contains(strings.Fields(standard), name) {
			return mistakef("rename the module, or leave the package out", "the module %s is in the standard library, which programs would get instead", name)
		}
	}
	l.found = append(l.found, d)
	return nil
}

// standard are the names of the standard library's modules (sys.stdlib_module_names of
// CPython 3.12).
//
//go:embed standard.txt
var standard string

func (l *loader) set() *Set {
	s := &Set{Files: make([]File, 0, len(l.files))}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		s.Files = append(s.Files, File{name, l.files[name].data})
	}
	for i := range l.found {
		s.Packages = append(s.Packages, l.found[i].Package)
	}
	slices.SortFunc(s.Packages, func(a, b Package) int { return cmp.Compare(fold(a.Name), fold(b.Name)) })
	return s
}

// checkName reports a path that is no plain one within the tree.
func checkName(name string) *Mistake {
	switch {
	case len(name) > MaxName:
		return mistakef("", "the path %.100s… has %d bytes, and at most %d are taken", name, len(name), MaxName)
	case !validName(name):
		return mistakef("", "the path %q leads out of its package, or cannot be a path", name)
	case isNative(name):
		return mistakef("only packages of pure Python can be used; look for a version with a wheel that ends in -none-any.whl", "there is native code in it: %s", name)
	}
	return nil
}

// isNative reports whether a file is machine code that an interpreter would load.
func isNative(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".so", ".pyd", ".dylib", ".dll", ".a", ".lib":
		return true
	}
	return strings.Contains(path.Base(name), ".so.")
}

// modulesOf are the top-level modules among files, sorted.
func modulesOf(names []string) []string {
	seen := map[string]bool{}
	for _, name := range names {
		first, _, nested := strings.Cut(name, "/")
		module, isSource := strings.CutSuffix(first, ".py")
		switch {
		case nested && strings.HasSuffix(name, ".py") && isIdentifier(first):
			seen[first] = true
		case !nested && isSource && isIdentifier(module):
			seen[module] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// isIdentifier reports whether a name of ASCII could be imported.
func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
