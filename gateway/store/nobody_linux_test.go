package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// nobody is the user that has no rights of its own.
const nobody = 65534

// asNobody takes from a test that root runs what root may: until the end it
// reads and writes files as somebody else, whom the test's folders are given. For
// others it does nothing.
func asNobody(t *testing.T, dir string) (end func()) {
	t.Helper()
	if os.Getuid() != 0 {
		return func() {}
	}
	top := filepath.Dir(dir)
	for filepath.Dir(top) != filepath.Clean(os.TempDir()) {
		top = filepath.Dir(top)
	}
	must(t, filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	}))
	runtime.LockOSThread() // the rights are those of the thread
	must(t, syscall.Setfsuid(nobody))
	return func() {
		must(t, syscall.Setfsuid(0))
		runtime.UnlockOSThread()
	}
}
