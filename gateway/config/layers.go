package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// loader reads files and puts them on one another.
type loader struct {
	files    files
	findings *findings
	merger   *merger
	tree     *node           // what the layers so far say together; nil before the first
	root     position        // of the first file that was named
	open     []openFile      // files that are being read, the outermost first
	read     map[string]bool // files that are layers already, by identity
	patterns []string        // of all includes, in the order they were read
	count    int             // files read
	bytes    int             // in them
	values   int             // in their trees
	spent    bool            // a limit of the files together was passed: no more are read
	failed   bool            // a layer is missing: what the others say together means nothing
}

type openFile struct{ path, identity string }

func newLoader(from files) *loader {
	f := newFindings()
	return &loader{files: from, findings: f, merger: newMerger(f), read: map[string]bool{}}
}

// fail reports what keeps a layer from being read.
func (l *loader) fail(path []string, p diag.Problem) {
	l.failed = true
	l.findings.add(path, p)
}

// main reads a file that was named by --config.
func (l *loader) main(path string) {
	if l.spent {
		return
	}
	data, err := l.files.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fail(nil, diag.Problem{Place: diag.Place{File: path}, Text: "there is no such file", Hint: "create it, or name another one with --config"})
		return
	case err != nil:
		l.fail(nil, diag.Problem{Place: diag.Place{File: path}, Text: "the file cannot be read: " + reason(err)})
		return
	}
	identity, err := l.files.identify(path)
	if err != nil {
		identity = path // a pipe, for example, which nothing can include
	}
	l.counted(openFile{path, identity}, data)
}

// text reads what is in no file.
func (l *loader) text(name string, data []byte) {
	if !l.spent {
		l.counted(openFile{name, name}, data)
	}
}

// counted puts a file on the layers, if the limits of all together allow it.
func (l *loader) counted(file openFile, data []byte) {
	if p := l.budget(data); p != "" {
		l.fail(nil, diag.Problem{Place: diag.Place{File: file.path}, Text: p})
		return
	}
	l.layer(file, data)
}

// budget counts a file and says which limit it passes.
func (l *loader) budget(data []byte) string {
	l.count++
	l.bytes += len(data)
	l.spent = l.count > maxFiles || l.bytes > maxTotalSize
	switch {
	case l.count > maxFiles:
		return fmt.Sprintf("with this file there are more than %d", maxFiles)
	case l.bytes > maxTotalSize:
		return fmt.Sprintf("with this file the configuration is larger than %d MiB", maxTotalSize>>20)
	}
	return ""
}

// layer puts a file on the layers so far, after the files it includes.
func (l *loader) layer(file openFile, data []byte) {
	tree := l.parse(file.path, data)
	if tree == nil {
		return
	}
	l.checkVersion(tree)
	l.open = append(l.open, file)
	if m := tree.find(includeKey); m != nil {
		l.includes(tree, m)
		tree = l.merger.without(tree, includeKey)
	}
	l.open = l.open[:len(l.open)-1]
	l.read[file.identity] = true
	if len(l.open) == 0 && l.root.src == nil {
		l.root = tree.place
	}
	if l.tree != nil {
		tree = l.merger.maps(l.tree, tree)
	}
	l.tree = l.merger.arrange(tree)
}

// checkVersion reports a file that says it is of another version, which a later
// layer would hide. A file need not say one.
func (l *loader) checkVersion(tree *node) {
	m := tree.find("version")
	if m == nil || !m.value.scalar() {
		return
	}
	if n, err := strconv.ParseInt(m.value.text, 0, 32); err == nil && n != Version {
		l.findings.add([]string{"version"}, diag.Problem{Place: m.value.place.place(), Text: otherVersion(int(n)), Hint: writeVersion})
	}
}

// result is the tree of all layers. Its place is the start of the first file
// that was named: there belongs what is missing altogether.
func (l *loader) result() *node {
	root := l.merger.mine(l.tree)
	root.place = l.root
	return root
}

// parse reads a file into a map; nil after a mistake that leaves none.
func (l *loader) parse(path string, data []byte) *node {
	src := newSource(path, data)
	doc, problem := document(src, data)
	if problem == nil {
		problem = alien(src, doc)
	}
	if problem != nil {
		l.fail(nil, *problem)
		return nil
	}
	tree := buildTree(src, l.findings, doc, nil, &l.values)
	if tree == nil || tree.kind == broken {
		l.failed = true
		return nil
	}
	return tree
}

// includeKey is the top-level key that names further files.
const includeKey = "include"

// includes reads the files that a file includes: layers below it, in the order
// of the list.
func (l *loader) includes(root *node, m *member) {
	check := &checker{findings: l.findings}
	at := (&trail{place: root.place}).member(m)
	if _, ok := check.value(at, m.value, shapeOf(reflect.TypeFor[[]string](), []string{includeKey})); !ok {
		l.failed = true
		return
	}
	for i, item := range m.value.items {
		if item.kind == text && strings.TrimSpace(item.text) != "" {
			l.include(at.item(i, item), item)
		}
	}
}

// include reads the files that one entry names.
func (l *loader) include(at *trail, entry *node) {
	l.patterns = append(l.patterns, entry.text)
	if l.spent {
		return
	}
	report := func(hint, format string, args ...any) {
		l.fail(at.path(), diag.Problem{Place: entry.place.place(), Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	paths := []string{inFolder(entry.place.src.dir, entry.text)}
	if isPattern(entry.text) {
		var err error
		if paths, err = l.files.glob(inFolder(literal.Replace(entry.place.src.dir), entry.text)); err != nil {
			report("", "cannot be included: %s", err)
			return
		}
		if len(paths) == 0 {
			l.findings.add(at.path(), diag.Problem{Place: entry.place.place(), Text: "no file matches this pattern", Hint: "patterns belong to the folder of the file they stand in", Warning: true, Class: diag.UnmatchedInclude})
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		l.included(path, report)
	}
}

// included reads one included file, unless it is a layer already.
func (l *loader) included(path string, report func(hint, format string, args ...any)) {
	if l.spent || l.findings.full() {
		return
	}
	identity, err := l.files.identify(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		report("create it, or correct the path; it belongs to the folder of this file", "there is no file %s", path)
		return
	case err != nil:
		report("", "%s cannot be included: %s", path, reason(err))
		return
	case l.read[identity]:
		return
	}
	if i := slices.IndexFunc(l.open, func(f openFile) bool { return f.identity == identity }); i >= 0 {
		report(circleHint(l.open[i:]), "%s", circle(l.open[i:], path))
		return
	}
	data, err := l.files.read(path)
	if err != nil {
		report("", "%s cannot be read: %s", path, reason(err))
		return
	}
	if p := l.budget(data); p != "" {
		report("", "%s (%s)", p, path)
		return
	}
	l.layer(openFile{path, identity}, data)
}

// circle words an include that leads back to a file that is being read.
func circle(open []openFile, path string) string {
	if len(open) == 1 {
		return "the file includes itself"
	}
	const most = 5 // files shown
	names := make([]string, 0, len(open)+1)
	for _, f := range open {
		names = append(names, f.path)
	}
	if len(names) > most {
		names = append(names[:most-1], "…")
	}
	return "the files include each other in a circle: " + strings.Join(append(names, path), ", ")
}

func circleHint(open []openFile) string {
	if len(open) == 1 {
		return "keep included files in a folder of their own"
	}
	return "remove one of these includes"
}

// inFolder is where a path of a file leads.
func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isPattern reports whether a path holds a character that has a meaning for
// filepath.Match.
func isPattern(path string) bool { return strings.ContainsAny(path, `*?[\`) }

// literal takes those meanings away.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
