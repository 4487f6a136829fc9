package cpython

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxEntries  = 50_000                   // of an archive
	maxUnpacked = MaxModule + 2*maxLibrary // bytes of all that is in an archive
	maxDepth    = 4                        // folders above python.wasm
	magicModule = "\x00asm"
	magicGzip   = "\x1f\x8b"
	magicZip    = "PK\x03\x04"
)

// opener opens one file of a bundle.
type opener = func() (io.ReadCloser, error)

// taker is handed a file of a bundle, with the size that the bundle says it has.
type taker = func(name string, size int64, open opener) error

// bundle is what an interpreter comes in: an archive or a folder. It can be gone
// through more than once.
type bundle interface {
	// each hands over every regular file, until take returns an error. The reader
	// is good until take returns.
	each(take taker) error
}

// tarball is a tar archive, compressed by gzip.
type tarball struct{ path string }

func (t tarball) each(take taker) error {
	file, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is only read
	unzipped, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("it is no whole gzip file: %w", err)
	}
	left := &budget{reader: unzipped, left: maxUnpacked}
	entries := tar.NewReader(left)
	for count := 0; ; count++ {
		header, err := entries.Next()
		if err == io.EOF {
			_, err := io.Copy(io.Discard, left) // so that gzip's own sum is looked at
			return err
		}
		if err != nil {
			return fmt.Errorf("it is no whole tar archive: %w", err)
		}
		if count == maxEntries {
			return errTooMany
		}
		name, err := nameInside(header.Name)
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		err = take(name, header.Size, func() (io.ReadCloser, error) { return io.NopCloser(entries), nil })
		if err != nil {
			return err
		}
	}
}

var errTooMany = fmt.Errorf("it has more than %d entries", maxEntries)

// budget ends a reader with an error when it gives more than it may.
type budget struct {
	reader io.Reader
	left   int64
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it holds more than %d bytes", int64(maxUnpacked))
	}
	n, err := b.reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// zipFile is a zip archive of a file, or one that is in memory.
type zipFile struct {
	reader io.ReaderAt
	size   int64
}

func (z zipFile) each(take taker) error {
	archive, err := zip.NewReader(z.reader, z.size)
	if err != nil {
		return fmt.Errorf("it is no whole zip archive: %w", err)
	}
	if len(archive.File) > maxEntries {
		return errTooMany
	}
	for _, f := range archive.File {
		name, err := nameInside(f.Name)
		if err != nil {
			return err
		}
		if !f.Mode().IsRegular() || strings.HasSuffix(f.Name, "/") {
			continue
		}
		if f.UncompressedSize64 > maxUnpacked {
			return fmt.Errorf("%s has %d bytes", name, f.UncompressedSize64)
		}
		if err := take(name, int64(f.UncompressedSize64), f.Open); err != nil {
			return err
		}
	}
	return nil
}

// nameInside is the name of an entry as it is below the archive's folder. One that
// leads elsewhere is an error, whether it would be taken or not.
func nameInside(name string) (string, error) {
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	if strings.Contains(name, "\\") || strings.Contains(name, "\x00") || !fs.ValidPath(clean) {
		return "", fmt.Errorf("it has an entry outside of its own folder: %q", name)
	}
	return clean, nil
}

// directory is a folder. Links to files are followed, as the user made them.
type directory struct{ path string }

func (d directory) each(take taker) error {
	count := 0
	root, err := filepath.EvalSymlinks(d.path)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if count++; count > maxEntries {
			return errTooMany
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || strings.Count(name, string(filepath.Separator)) > maxDepth+maxLibraryDepth) {
			return filepath.SkipDir
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil // a link that leads nowhere, or a folder
		}
		return take(filepath.ToSlash(name), info.Size(), func() (io.ReadCloser, error) { return os.Open(path) })
	})
}

// maxLibraryDepth is how far down the files of a standard library are.
const maxLibraryDepth = 12

// contents are the files of a bundle that make an interpreter.
type contents struct {
	module  string
	library string // the folder whose files belong under lib, with a slash at the end; or ""
	zipped  string // or a zip archive of it
}

var errNoModule = errors.New("there is no " + moduleName + " in it")

// survey looks for an interpreter in a bundle: the python.wasm that is nearest to the
// top, and beside it its library in lib, or in lib.zip.
func survey(b bundle) (contents, error) {
	var found []string
	names := map[string]bool{}
	err := b.each(func(name string, size int64, _ opener) error {
		names[name] = true
		if path.Base(name) != moduleName || strings.Count(name, "/") > maxDepth {
			return nil
		}
		found = append(found, name)
		return fits(name, size, MaxModule) // before what is in it is gone through
	})
	if err != nil {
		return contents{}, err
	}
	module, err := nearest(found)
	if err != nil {
		return contents{}, err
	}
	c := contents{module: module}
	at := strings.TrimSuffix(module, moduleName)
	for name := range names {
		if isLandmark(strings.TrimPrefix(name, at+libraryName+"/")) && strings.HasPrefix(name, at+libraryName+"/") {
			c.library = at + libraryName + "/"
		}
	}
	if c.library == "" && names[at+libraryName+".zip"] {
		c.zipped = at + libraryName + ".zip"
	}
	return c, nil
}

// nearest is the one name with the fewest folders.
func nearest(names []string) (string, error) {
	best, same := "", false
	for _, name := range names {
		switch depth, least := strings.Count(name, "/"), strings.Count(best, "/"); {
		case best == "" || depth < least:
			best, same = name, false
		case depth == least:
			same = true
		}
	}
	switch {
	case best == "":
		return "", errNoModule
	case same:
		return "", fmt.Errorf("there is more than one %s in it: unpack it, and give the folder of one", moduleName)
	}
	return best, nil
}

// isLandmark reports whether a file shows that the folder above pythonX.Y is a library:
// os.py, for which CPython itself looks.
func isLandmark(name string) bool {
	ok, err := path.Match("python[0-9].*/os.py", name)
	return ok && err == nil
}

// unpack takes an interpreter out of a bundle: the module, and the library, if there is
// one, into the folder lib. Nothing else is taken.
func unpack(b bundle, lib string) (module []byte, err error) {
	c, err := survey(b)
	if err != nil {
		return nil, err
	}
	var zipped []byte
	shelf := shelf{folder: lib}
	err = b.each(func(name string, size int64, open opener) error {
		switch inside, ok := strings.CutPrefix(name, c.library); {
		case name == c.module:
			module, err = readEntry(name, size, MaxModule, open)
			return err
		case name == c.zipped:
			zipped, err = readEntry(name, size, maxLibrary, open)
			return err
		case ok && c.library != "":
			return shelf.put(inside, size, open)
		}
		return nil
	})
	if err != nil || zipped == nil {
		return module, err
	}
	if err := unzipLibrary(zipped, &shelf); err != nil {
		return nil, fmt.Errorf("%s: %w", c.zipped, err)
	}
	return module, nil
}

func fits(name string, size, limit int64) error {
	if size < 0 || size > limit {
		return fmt.Errorf("%s has %d bytes, and may have %d", name, size, limit)
	}
	return nil
}

// readEntry reads one file of a bundle into memory.
func readEntry(name string, size, limit int64, open opener) ([]byte, error) {
	if err := fits(name, size, limit); err != nil {
		return nil, err
	}
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = r.Close() }() // it is only read
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch n, err := r.Read(make([]byte, 1)); { // its end is where a sum is looked at
	case n > 0:
		return nil, fmt.Errorf("%s has more than the %d bytes that it says", name, size)
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}
