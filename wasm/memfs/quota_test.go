package memfs

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero/experimental/sys"
)

const (
	reads   = sys.O_RDONLY
	creates = sys.O_RDWR | sys.O_CREAT
)

// small is a tree as a worker prepares it, with narrow limits.
func small(t *testing.T) *FS {
	t.Helper()
	f := New(Options{Bytes: 1000, FileBytes: 600, Files: 6, Handles: 3, Name: 10, Path: 40})
	for _, err := range []error{
		f.AddFolder("/out", true), f.AddFolder("/tmp", true),
		f.AddFile("/files/a.txt", []byte("hello"), false), f.AddFile("/tmp/mine", []byte(strings.Repeat("m", 300)), true),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f.Mark()
	return f
}

func must(t *testing.T, f *FS, path string, flag sys.Oflag) sys.File {
	t.Helper()
	h, errno := f.OpenFile(path, flag, 0o600)
	if errno != 0 {
		t.Fatalf("open %s: %s", path, Text(errno))
	}
	return h
}

// write opens, writes at an offset and closes.
func write(t *testing.T, f *FS, path string, n int, at int64) (int, sys.Errno) {
	t.Helper()
	h := must(t, f, path, creates)
	defer h.Close()
	return h.Pwrite(make([]byte, n), at)
}

func TestBytes(t *testing.T) {
	steps := []struct {
		name string
		path string
		n    int
		at   int64
		want int
		err  sys.Errno
		used int64
	}{
		{"as long as a file may be", "/out/a", 600, 0, 600, 0, 600},
		{"longer", "/out/a", 1, 600, 0, EFBIG, 600},
		{"over the end of what may be", "/out/a", 10, 595, 5, 0, 600},
		{"a part, up to all bytes", "/out/b", 600, 0, 400, 0, 1000},
		{"nothing any more", "/out/b", 1, 400, 0, ENOSPC, 1000},
		{"over what is there", "/out/b", 400, 0, 400, 0, 1000},
		{"a hole of a gibibyte", "/out/b", 1, 1 << 30, 0, EFBIG, 1000},
		{"a hole that ends at the end of all offsets", "/out/b", 8, 1<<63 - 1, 0, EFBIG, 1000},
		{"the host's bytes do not count", "/tmp/mine", 300, 0, 300, 0, 1000},
		{"more than those do", "/tmp/mine", 1, 300, 0, ENOSPC, 1000},
	}
	f := small(t)
	for _, s := range steps {
		n, errno := write(t, f, s.path, s.n, s.at)
		if n != s.want || errno != s.err || f.used.bytes != s.used || f.Refused() != s.err {
			t.Errorf("%s: %d %s, %d bytes in use; want %d %s, %d", s.name, n, Text(errno), f.used.bytes, s.want, Text(s.err), s.used)
		}
		checkUsage(t, f)
	}
}

func TestTruncateLimits(t *testing.T) {
	f := small(t)
	h := must(t, f, "/out/a", creates)
	for _, s := range []struct {
		size int64
		want sys.Errno
	}{{600, 0}, {601, EFBIG}, {1 << 62, EFBIG}, {-1, sys.EINVAL}, {0, 0}, {600, 0}} {
		if errno := h.Truncate(s.size); errno != s.want {
			t.Errorf("to %d: %s, want %s", s.size, Text(errno), Text(s.want))
		}
	}
	if errno := must(t, f, "/out/b", creates).Truncate(500); errno != ENOSPC {
		t.Errorf("a hole beyond the limit: %s", Text(errno))
	}
}

// TestOpenWithoutName: bytes of a file without a name count until it is closed.
func TestOpenWithoutName(t *testing.T) {
	f := small(t)
	h := must(t, f, "/out/a", creates)
	if _, errno := h.Write([]byte("still here")); errno != 0 {
		t.Fatal(errno)
	}
	if errno := f.Unlink("/out/a"); errno != 0 {
		t.Fatal(errno)
	}
	p := make([]byte, 100)
	n, errno := h.Pread(p, 0)
	if got := string(p[:n]); got != "still here" || errno != 0 || f.used != (usage{bytes: 10}) {
		t.Errorf("%q, %s, in use: %+v", got, Text(errno), f.used)
	}
	if h.Close(); f.used != (usage{}) {
		t.Errorf("in use after it is closed: %+v", f.used)
	}
}

func TestNames(t *testing.T) {
	f := small(t)
	for _, s := range []struct {
		name string
		got  sys.Errno
		want sys.Errno
	}{
		{"folder", f.Mkdir("/out/d", 0), 0},
		{"folder in it", f.Mkdir("/out/d/e", 0), 0},
		{"symbolic link", f.Symlink("d/e", "/out/s"), 0},
		{"hard link", f.Link("/tmp/mine", "/out/l"), 0},
		{"longest", f.Mkdir("/out/"+strings.Repeat("n", 10), 0), 0},
		{"too long", f.Mkdir("/out/"+strings.Repeat("n", 11), 0), sys.ENAMETOOLONG},
		{"too long on the way", f.Mkdir("/out/"+strings.Repeat("n", 11)+"/a", 0), sys.ENAMETOOLONG},
		{"path too long", f.Mkdir("/out/"+strings.Repeat("./", 20), 0), sys.ENAMETOOLONG},
		{"target too long", f.Symlink(strings.Repeat("a", 41), "/out/t"), sys.ENAMETOOLONG},
		{"NUL", f.Mkdir("/out/a\x00b", 0), sys.EINVAL},
		{"last that is left", f.Mkdir("/out/f", 0), 0},
		{"one more folder", f.Mkdir("/out/g", 0), ENOSPC},
		{"one more link", f.Link("/tmp/mine", "/out/g"), ENOSPC},
		{"one more symbolic link", f.Symlink("a", "/out/g"), ENOSPC},
		{"renamed", f.Rename("/out/f", "/out/g"), 0},
		{"removed", f.Rmdir("/out/g"), 0},
		{"again", f.Mkdir("/out/g", 0), 0},
	} {
		if s.got != s.want {
			t.Errorf("%s: %s, want %s", s.name, Text(s.got), Text(s.want))
		}
	}
	if _, errno := f.OpenFile("/out/h", creates, 0); errno != ENOSPC {
		t.Errorf("one more file: %s", Text(errno))
	}
	checkUsage(t, f)
}

func TestHandles(t *testing.T) {
	f := small(t)
	root := must(t, f, ".", reads) // as wazero does for the mount: it is not counted
	for range 3 {
		must(t, f, "/files/a.txt", reads)
	}
	if _, errno := f.OpenFile("/out/new", creates, 0); errno != EMFILE {
		t.Errorf("a fourth: %s", Text(errno))
	}
	if _, errno := f.Stat("/out/new"); errno != sys.ENOENT {
		t.Errorf("and yet it was made: %s", Text(errno))
	}
	if ended := f.Reset(); ended != 3 {
		t.Errorf("%d handles ended, want 3", ended)
	}
	must(t, f, "/files/a.txt", reads)
	if dir, errno := root.IsDir(); !dir || errno != 0 {
		t.Errorf("the mount's handle after a Reset: %v %s", dir, Text(errno))
	}
}

// TestReadOnly is what the host's places answer.
func TestReadOnly(t *testing.T) {
	f := small(t)
	open := func(path string, flag sys.Oflag) sys.Errno {
		_, errno := f.OpenFile(path, flag, 0)
		return errno
	}
	for _, s := range []struct {
		name string
		got  sys.Errno
		want sys.Errno
	}{
		{"write", open("/files/a.txt", sys.O_WRONLY), sys.EROFS},
		{"truncate", open("/files/a.txt", sys.O_TRUNC), sys.EROFS},
		{"create", open("/files/b", creates), sys.EROFS},
		{"create what is there", open("/files/a.txt", creates|sys.O_EXCL), sys.EEXIST},
		{"create in the root", open("/b", creates), sys.EROFS},
		{"mkdir", f.Mkdir("/files/d", 0), sys.EROFS},
		{"unlink", f.Unlink("/files/a.txt"), sys.EROFS},
		{"remove a place", f.Rmdir("/out"), sys.EROFS},
		{"move a place", f.Rename("/out", "/tmp/out"), sys.EROFS},
		{"move out", f.Rename("/files/a.txt", "/out/a"), sys.EROFS},
		{"move in", f.Rename("/tmp/mine", "/files/a"), sys.EROFS},
		{"link out", f.Link("/files/a.txt", "/out/a"), sys.EROFS},
		{"link in", f.Link("/tmp/mine", "/files/a"), sys.EROFS},
		{"symlink", f.Symlink("a", "/files/b"), sys.EROFS},
		{"utimens", f.Utimens("/files/a.txt", 1, 1), sys.EROFS},
		{"write through a link", f.Symlink("/files/a.txt", "/out/s"), 0},
		{"write through the link", open("/out/s", sys.O_WRONLY), sys.EROFS},
		{"remove the root", f.Rmdir("/"), EBUSY},
		{"move the root", f.Rename("/", "/tmp/r"), EBUSY},
		{"chmod", f.Chmod("/tmp/mine", 0o600), sys.ENOSYS},
		{"read", open("/out/s", reads), 0},
	} {
		if s.got != s.want {
			t.Errorf("%s: %s, want %s", s.name, Text(s.got), Text(s.want))
		}
	}
}

// TestReaddir: an entry that stays is listed exactly once, whatever comes and goes.
func TestReaddir(t *testing.T) {
	f := New(Options{})
	if err := f.AddFolder("/", true); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		f.Mkdir("/"+string(rune('A'+i)), 0)
	}
	h := must(t, f, "/", reads)
	var got []string
	for {
		entries, errno := h.Readdir(3)
		if errno != 0 {
			t.Fatal(errno)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name, "new") {
				continue
			}
			if got = append(got, e.Name); len(got)%2 == 0 { // each second one goes, and something else comes
				f.Rmdir("/" + e.Name)
				f.Mkdir("/new"+e.Name, 0)
			}
		}
		if len(entries) < 3 {
			break
		}
	}
	var want []string
	for i := range 60 {
		want = append(want, string(rune('A'+i)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, errno := h.Seek(0, io.SeekStart); errno != 0 {
		t.Fatal(errno)
	}
	if again, _ := h.Readdir(-1); len(again) != 60 {
		t.Errorf("%d entries in the end, want 60", len(again))
	}
}

func TestPrepareErrors(t *testing.T) {
	f := small(t)
	for name, err := range map[string]error{
		"memory file system: /files/a.txt: file exists":                                                  f.AddFile("/files/a.txt", nil, false),
		"memory file system: /: file exists":                                                             f.AddFile("/", nil, false),
		"memory file system: /files/aaaaaaaaaaa: filename too long":                                      f.AddFile("files/aaaaaaaaaaa", nil, false),
		`memory file system: /files/a.txt/b: "a.txt": not a directory or a symbolic link to a directory`: f.AddFolder("/files/a.txt/b", true),
		`memory file system: /aaaaaaaaaaa: "aaaaaaaaaaa": filename too long`:                             f.AddFolder("/aaaaaaaaaaa", true),
		`memory file system: /files/a.txt: "a.txt": not a directory or a symbolic link to a directory`:   f.AddFile("/files/a.txt/b", nil, true),
	} {
		if err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

func TestFiles(t *testing.T) {
	f := small(t)
	f.Mkdir("/out/d", 0)
	for path, n := range map[string]int{"/out/d/x": 30, "/out/b": 50, "/out/a": 5} {
		write(t, f, path, n, 0)
	}
	f.Symlink("a", "/out/link")
	for _, c := range []struct {
		most Most
		want string
		left int
	}{
		{Most{Files: 9, Bytes: 999}, "a:5 b:50 d/x:30", 0},
		{Most{Files: 2, Bytes: 999}, "a:5 b:50", 1},
		{Most{Files: 9, Bytes: 40}, "a:5 d/x:30", 1},
		{Most{}, "", 3},
	} {
		files, left := f.Files("/out", c.most)
		var got []string
		for _, file := range files {
			got = append(got, file.Name+":"+strings.TrimLeft(string(rune('0'+len(file.Data)/10))+string(rune('0'+len(file.Data)%10)), "0"))
		}
		if strings.Join(got, " ") != c.want || left != c.left {
			t.Errorf("%+v: %q, %d left; want %q, %d", c.most, got, left, c.want, c.left)
		}
	}
	if files, left := f.Files("/nowhere", Most{Files: 1}); files != nil || left != 0 {
		t.Errorf("a folder that is not there: %v %d", files, left)
	}
}
