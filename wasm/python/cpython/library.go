package cpython

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// shelf is a folder into which the files of a standard library are put.
type shelf struct {
	folder string
	sum    folderSize
}

// put writes one file. Its name has been checked to be inside.
func (s *shelf) put(name string, size int64, open opener) error {
	s.sum.Files++
	s.sum.Size += size
	switch {
	case s.sum.Files > maxLibraryFiles:
		return fmt.Errorf("the library has more than %d files", maxLibraryFiles)
	case s.sum.Size > maxLibrary:
		return fmt.Errorf("the library has more than %d bytes", maxLibrary)
	}
	data, err := readEntry(name, size, maxLibrary, open)
	if err != nil {
		return err
	}
	path := filepath.Join(s.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return writeSynced(path, data)
}

// unzipLibrary takes a library out of a zip archive, in which it is at the top, or in
// pythonX.Y, or in lib/pythonX.Y.
func unzipLibrary(zipped []byte, s *shelf) error {
	archive := zipFile{bytes.NewReader(zipped), int64(len(zipped))}
	prefix, found := "", false
	err := archive.each(func(name string, _ int64, _ opener) error {
		switch inside, ok := strings.CutPrefix(name, libraryName+"/"); {
		case isLandmark(name):
			prefix, found = "", true
		case ok && isLandmark(inside):
			prefix, found = libraryName+"/", true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !found {
		return errors.New("it has no pythonX.Y/os.py in it, and so is no standard library")
	}
	return archive.each(func(name string, size int64, open opener) error {
		if inside, ok := strings.CutPrefix(name, prefix); ok {
			return s.put(inside, size, open)
		}
		return nil
	})
}

// writeSynced writes a new file, for this user only, and waits until it is on the disk.
func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
