package memfs

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// disk is a folder of this machine by Linux's own calls: what is right. wazero's
// directory mount changes some errors on the way.
type disk struct {
	sys.UnimplementedFS
	root string
}

type diskFile struct {
	sys.UnimplementedFile
	fd int
}

func (d disk) at(path string) string { return d.root + "/" + path }

func (d disk) OpenFile(path string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	f := syscall.O_CLOEXEC
	for ours, theirs := range map[sys.Oflag]int{
		sys.O_RDWR: syscall.O_RDWR, sys.O_WRONLY: syscall.O_WRONLY, sys.O_APPEND: syscall.O_APPEND, sys.O_CREAT: syscall.O_CREAT,
		sys.O_DIRECTORY: syscall.O_DIRECTORY, sys.O_EXCL: syscall.O_EXCL, sys.O_NOFOLLOW: syscall.O_NOFOLLOW, sys.O_TRUNC: syscall.O_TRUNC,
	} {
		if flag&ours != 0 {
			f |= theirs
		}
	}
	fd, err := syscall.Open(d.at(path), f, uint32(perm))
	return diskFile{fd: fd}, sys.UnwrapOSError(err)
}

func (d disk) Stat(path string) (wasys.Stat_t, sys.Errno) {
	var st syscall.Stat_t
	err := syscall.Stat(d.at(path), &st)
	return converted(&st, err)
}

func (d disk) Lstat(path string) (wasys.Stat_t, sys.Errno) {
	var st syscall.Stat_t
	err := syscall.Lstat(d.at(path), &st)
	return converted(&st, err)
}

func converted(st *syscall.Stat_t, err error) (wasys.Stat_t, sys.Errno) {
	if err != nil {
		return wasys.Stat_t{}, sys.UnwrapOSError(err)
	}
	out := wasys.Stat_t{Nlink: uint64(st.Nlink), Size: st.Size}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		out.Mode = fs.ModeDir
	case syscall.S_IFLNK:
		out.Mode = fs.ModeSymlink
	}
	return out, 0
}

func (d disk) Mkdir(path string, perm fs.FileMode) sys.Errno {
	return sys.UnwrapOSError(syscall.Mkdir(d.at(path), uint32(perm)))
}
func (d disk) Rmdir(path string) sys.Errno  { return sys.UnwrapOSError(syscall.Rmdir(d.at(path))) }
func (d disk) Unlink(path string) sys.Errno { return sys.UnwrapOSError(syscall.Unlink(d.at(path))) }
func (d disk) Rename(from, to string) sys.Errno {
	return sys.UnwrapOSError(syscall.Rename(d.at(from), d.at(to)))
}

func (d disk) Link(old, path string) sys.Errno {
	return sys.UnwrapOSError(syscall.Link(d.at(old), d.at(path)))
}

func (d disk) Symlink(target, path string) sys.Errno {
	return sys.UnwrapOSError(syscall.Symlink(target, d.at(path)))
}

func (d disk) Readlink(path string) (string, sys.Errno) {
	p := make([]byte, 4096)
	n, err := syscall.Readlink(d.at(path), p)
	return string(p[:max(0, n)]), sys.UnwrapOSError(err)
}

func (d disk) Utimens(path string, atim, _ int64) sys.Errno {
	times := []syscall.Timespec{syscall.NsecToTimespec(atim), syscall.NsecToTimespec(atim)}
	return sys.UnwrapOSError(syscall.UtimesNano(d.at(path), times))
}

func counted(n int, err error) (int, sys.Errno) { return max(0, n), sys.UnwrapOSError(err) }

func (h diskFile) Read(p []byte) (int, sys.Errno) { return counted(syscall.Read(h.fd, p)) }
func (h diskFile) Pread(p []byte, at int64) (int, sys.Errno) {
	return counted(syscall.Pread(h.fd, p, at))
}
func (h diskFile) Write(p []byte) (int, sys.Errno) { return counted(syscall.Write(h.fd, p)) }
func (h diskFile) Pwrite(p []byte, at int64) (int, sys.Errno) {
	return counted(syscall.Pwrite(h.fd, p, at))
}

func (h diskFile) Truncate(size int64) sys.Errno {
	return sys.UnwrapOSError(syscall.Ftruncate(h.fd, size))
}
func (h diskFile) Close() sys.Errno { return sys.UnwrapOSError(syscall.Close(h.fd)) }

func (h diskFile) Seek(offset place64, whence int) (int64, sys.Errno) {
	at, err := syscall.Seek(h.fd, offset, whence)
	return max(0, at), sys.UnwrapOSError(err)
}

func (h diskFile) Stat() (wasys.Stat_t, sys.Errno) {
	var st syscall.Stat_t
	err := syscall.Fstat(h.fd, &st)
	return converted(&st, err)
}

func (h diskFile) IsDir() (bool, sys.Errno) {
	st, errno := h.Stat()
	return st.Mode.IsDir(), errno
}

func (h diskFile) Readdir(int) ([]sys.Dirent, sys.Errno) {
	var out []sys.Dirent
	for p := make([]byte, 1<<16); ; {
		n, err := syscall.ReadDirent(h.fd, p)
		if err != nil || n == 0 {
			return out, sys.UnwrapOSError(err)
		}
		_, _, names := syscall.ParseDirent(p[:n], -1, nil)
		for _, name := range names {
			out = append(out, sys.Dirent{Name: name})
		}
	}
}

// compare does the same on Linux's file system, in the folder root, and on this one, and
// then once more on this one after a Reset.
func compare(t *testing.T, root string, ops []byte) {
	f := New(Options{Now: func() time.Time { return time.Unix(1, 0) }})
	if err := errors.Join(f.AddFolder("/", true), f.AddFolder(nested, true), os.MkdirAll(root+"/"+nested, 0o755)); err != nil {
		t.Fatal(err)
	}
	f.Mark()
	want := (&driver{fs: disk{root: root}, below: nested, bytes: ops}).run()
	for range 2 {
		got := (&driver{fs: f, below: nested, bytes: ops}).run()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: Linux (-), memfs (+):\n%s\nall of Linux:\n%s", ops, diff, strings.Join(want, "\n"))
		}
		checkUsage(t, f)
		if ended := f.Reset(); ended != 0 {
			t.Errorf("%d handles are open in the end", ended)
		}
		checkUsage(t, f)
	}
	if err := os.RemoveAll(root + "/w"); err != nil {
		t.Fatal(err)
	}
}

// TestLikeLinux compares random operations.
func TestLikeLinux(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	root := t.TempDir()
	for range 200 {
		ops := make([]byte, 4*mostOps)
		for i := range ops {
			ops[i] = byte(random.Uint32())
		}
		compare(t, root, ops)
	}
}

func FuzzLikeLinux(f *testing.F) {
	f.Add([]byte{0, 0, 3, 1, 0, 2})
	f.Fuzz(func(t *testing.T, ops []byte) { compare(t, t.TempDir(), ops) })
}
