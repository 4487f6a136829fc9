package packages

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxWalk is how many entries of a folder are looked at.
const maxWalk = 20_000

// folder reads a folder: a package, where it has an __init__.py, which then is
// imported by the folder's name; else a folder of modules and packages, such as pip
// install --target makes. Metadata in it (.dist-info) says which packages these are.
func (l *loader) folder(entry int, root string) *Mistake {
	prefix, base := "", filepath.Base(filepath.Clean(root))
	root, err := filepath.EvalSymlinks(root) // a folder that is behind a link itself
	if err != nil {
		return mistakef("", "%v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "__init__.py")); err == nil {
		if !isIdentifier(base) {
			return mistakef("rename the folder", "%s has an __init__.py, and nothing of the name %q could be imported", root, base)
		}
		prefix = base + "/"
	}
	names, m := l.walk(entry, root, prefix)
	if m != nil {
		return m
	}
	modules := modulesOf(names)
	if len(modules) == 0 {
		return mistakef("write a folder with .py files in it, or with packages", "%s has no module that could be imported", root)
	}
	named := false
	for _, name := range names {
		info, ok := strings.CutSuffix(name, ".dist-info/METADATA")
		if !ok || strings.Contains(info, "/") {
			continue
		}
		d, m := l.metadata(entry, l.files[name].data)
		if m == nil {
			d.Modules = recorded(l.files[info+".dist-info/RECORD"].data, modules)
			m = l.keep(d)
		}
		if m != nil {
			return m
		}
		named = true
	}
	if named {
		return nil
	}
	return l.keep(dist{Package: Package{Name: base, Modules: modules, Entry: entry}})
}

// walk puts the files of a folder into the tree and gives their names.
func (l *loader) walk(entry int, root, prefix string) (names []string, m *Mistake) {
	seen := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > maxWalk {
			m = mistakef("write a folder of packages only", "%s has more than %d files and folders", root, maxWalk)
			return fs.SkipAll
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || rel == "." {
			return err
		}
		if leftOut(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		name := prefix + filepath.ToSlash(rel)
		if m = l.take(entry, p, name, d); m != nil {
			return fs.SkipAll
		}
		names = append(names, name)
		return nil
	})
	if err != nil && m == nil {
		m = mistakef("", "%v", err)
	}
	return names, m
}

// leftOut reports what a folder has for other purposes: compiled code, which would be
// for another interpreter, and hidden files.
func leftOut(name string) bool {
	return name == "__pycache__" || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".pyc")
}

// take puts one file of a folder into the tree.
func (l *loader) take(entry int, p, name string, d fs.DirEntry) *Mistake {
	if m := checkName(name); m != nil {
		return m
	}
	if !d.Type().IsRegular() {
		return mistakef("copy what it leads to", "%s is no plain file, and links are not followed", p)
	}
	f, err := os.Open(p)
	if err != nil {
		return mistakef("", "%v", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return mistakef("", "%v", err)
	}
	return l.add(entry, name, data)
}

// recorded are those of the modules that a RECORD names; all where it names none.
func recorded(record []byte, modules []string) []string {
	var names []string
	for line := range strings.Lines(string(record)) {
		name, _, _ := strings.Cut(line, ",")
		names = append(names, path.Clean(strings.Trim(name, `"`)))
	}
	own := slices.DeleteFunc(modulesOf(names), func(m string) bool { return !slices.Contains(modules, m) })
	if len(own) == 0 {
		return modules
	}
	return own
}
