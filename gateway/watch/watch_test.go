package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var disk = Disk{MaxFile: 1 << 20, Glob: filepath.Glob}

// must fails the test for the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// configMap makes what Kubernetes makes of a ConfigMap: a file that is a link
// into ..data, which is a link to a dated folder.
func configMap(dir, version, text string) error {
	dated := filepath.Join(dir, "..2026_"+version)
	return errors.Join(os.MkdirAll(dated, 0o700), write(filepath.Join(dated, "tools.yaml"), text))
}

// swapConfigMap is how the kubelet updates one: a new link is renamed onto ..data,
// and the old folder removed.
func swapConfigMap(dir, old, version, text string) error {
	return errors.Join(
		configMap(dir, version, text),
		os.Symlink("..2026_"+version, filepath.Join(dir, "..data_tmp")),
		os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")),
		os.RemoveAll(filepath.Join(dir, "..2026_"+old)),
	)
}

// changes are ways in which a file, tools.yaml in the folder, or its neighbours
// become others. Before makes them; then the same files are watched, and each
// step must be told.
var changes = map[string]struct {
	before func(dir string) error
	steps  []func(dir string) error
}{
	"written in place": {
		func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		[]func(string) error{
			func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "2") },
			func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "3") },
		},
	},
	"renamed over, as editors do": {
		func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		[]func(string) error{replace("2"), replace("3"), replace("4")},
	},
	"moved away and written anew": {
		func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		[]func(string) error{anew("2"), anew("3")},
	},
	"a ConfigMap": {
		func(dir string) error {
			return errors.Join(
				configMap(dir, "1", "1"),
				os.Symlink("..2026_1", filepath.Join(dir, "..data")),
				os.Symlink("..data/tools.yaml", filepath.Join(dir, "tools.yaml")),
			)
		},
		[]func(string) error{
			func(dir string) error { return swapConfigMap(dir, "1", "2", "two") },
			func(dir string) error { return swapConfigMap(dir, "2", "3", "three") },
			func(dir string) error { return swapConfigMap(dir, "3", "4", "four") },
		},
	},
	"a link to another folder, whose file is written": {
		func(dir string) error {
			return errors.Join(
				os.Mkdir(filepath.Join(dir, "real"), 0o700), write(filepath.Join(dir, "real", "a.yaml"), "1"),
				os.Symlink("real/a.yaml", filepath.Join(dir, "tools.yaml")),
			)
		},
		[]func(string) error{
			func(dir string) error { return write(filepath.Join(dir, "real", "a.yaml"), "2") },
			func(dir string) error { return write(filepath.Join(dir, "real", "a.yaml"), "3") },
		},
	},
	"a link to a link, in the middle of which one is swapped": {
		func(dir string) error {
			return errors.Join(
				os.Mkdir(filepath.Join(dir, "a"), 0o700), os.Mkdir(filepath.Join(dir, "b"), 0o700),
				write(filepath.Join(dir, "a", "x.yaml"), "1"), write(filepath.Join(dir, "b", "x.yaml"), "2"),
				os.Symlink("a", filepath.Join(dir, "now")), os.Symlink("now", filepath.Join(dir, "here")),
				os.Symlink("here/x.yaml", filepath.Join(dir, "tools.yaml")),
			)
		},
		[]func(string) error{relink("b"), relink("a")},
	},
	"gone, and back": {
		func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		[]func(string) error{
			func(dir string) error { return os.Remove(filepath.Join(dir, "tools.yaml")) },
			func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		},
	},
	"a new file of a pattern, changed and gone": {
		func(dir string) error {
			return errors.Join(write(filepath.Join(dir, "tools.yaml"), "1"), os.Mkdir(filepath.Join(dir, "tools.d"), 0o700))
		},
		[]func(string) error{
			func(dir string) error { return write(filepath.Join(dir, "tools.d", "new.yaml"), "1") },
			func(dir string) error { return write(filepath.Join(dir, "tools.d", "new.yaml"), "2") },
			func(dir string) error { return os.Remove(filepath.Join(dir, "tools.d", "new.yaml")) },
		},
	},
	"the folder of a pattern comes": {
		func(dir string) error { return write(filepath.Join(dir, "tools.yaml"), "1") },
		[]func(string) error{
			func(dir string) error {
				return errors.Join(
					os.Mkdir(filepath.Join(dir, "later"), 0o700), write(filepath.Join(dir, "later", "new.yaml"), "1"),
					os.Rename(filepath.Join(dir, "later"), filepath.Join(dir, "tools.d")),
				)
			},
			func(dir string) error { return write(filepath.Join(dir, "tools.d", "more.yaml"), "1") },
		},
	},
}

func replace(text string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, "tools.yaml")
		return errors.Join(write(path+".swp", text), os.Rename(path+".swp", path))
	}
}

func anew(text string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, "tools.yaml")
		return errors.Join(os.Rename(path, path+"~"), write(path, text))
	}
}

func relink(target string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, "now")
		return errors.Join(os.Symlink(target, path+"_tmp"), os.Rename(path+"_tmp", path))
	}
}

// read is how the files of a folder are when they are loaded.
func read(dir string) State {
	s := State{
		Files:    map[string]Digest{filepath.Join(dir, "tools.yaml"): {}},
		Patterns: map[string][]string{filepath.Join(dir, "tools.d", "*.yaml"): nil},
	}
	s = disk.Look(s)
	for _, found := range s.Patterns {
		for _, path := range found {
			s.Files[path] = disk.Digest(path)
		}
	}
	return s
}

// TestChangesByEvents: every way of changing a file is told by an event, long
// before anyone looks.
func TestChangesByEvents(t *testing.T) {
	t.Parallel()
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, c.before(dir))
			w := Open(Options{Disk: disk})
			defer func() { must(t, w.Close()) }()
			if w.notify == nil {
				t.Skip("no events here")
			}
			for i, step := range c.steps {
				w.Expect(read(dir))
				told := make(chan error, 1)
				ctx, stop := context.WithTimeout(t.Context(), pollInterval-time.Second/2)
				go func() { told <- w.Wait(ctx) }()
				waitUntilWatched(t, w, dir)
				must(t, step(dir))
				if err := <-told; err != nil {
					t.Errorf("step %d: %v", i, err)
				}
				stop()
			}
		})
	}
}

// waitUntilWatched returns when the folder is watched.
func waitUntilWatched(t *testing.T, w *Watcher, dir string) {
	t.Helper()
	for range 100 {
		if len(w.notify.WatchList()) > 0 {
			time.Sleep(20 * time.Millisecond) // the last of them
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing is watched in " + dir)
}

// TestChangesByLooking: and without events by looking.
func TestChangesByLooking(t *testing.T) {
	t.Parallel()
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, c.before(dir))
			synctest.Test(t, func(t *testing.T) {
				w := newWatcher(Options{Disk: disk})
				for i, step := range c.steps {
					w.Expect(read(dir))
					told := make(chan error, 1)
					ctx, stop := context.WithTimeout(t.Context(), 3*pollInterval)
					go func() { told <- w.Wait(ctx) }()
					time.Sleep(pollInterval / 2)
					must(t, step(dir))
					if err := <-told; err != nil {
						t.Errorf("step %d: %v", i, err)
					}
					stop()
				}
			})
		})
	}
}

// TestSettling: what is told and when, while things happen after one another. At
// zero the files are as expected; every 10 ms from then on the scene is asked
// what it writes, nothing where it gives an empty text, "-" removes the file.
func TestSettling(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		scene func(at time.Duration) string
		from  time.Duration // told between these; not at all when both are zero
		to    time.Duration
	}{
		"one save":              {once(map[time.Duration]string{1 * time.Second: "2"}), pollInterval, pollInterval + 3*settleTime},
		"many saves in a row":   {saves(pollInterval-time.Second, pollInterval+time.Second), pollInterval + time.Second, pollInterval + time.Second + 3*settleTime},
		"saves without end":     {saves(time.Second, time.Hour), pollInterval + maxSettle, pollInterval + maxSettle + 2*settleTime},
		"gone for a moment":     {once(map[time.Duration]string{pollInterval - 50*time.Millisecond: "-", pollInterval + absence/2: "1"}), 0, 0},
		"gone, then another":    {once(map[time.Duration]string{pollInterval - 50*time.Millisecond: "-", pollInterval + absence/2: "2"}), pollInterval + absence/2, pollInterval + absence/2 + 3*settleTime},
		"gone for good":         {once(map[time.Duration]string{time.Second: "-"}), pollInterval + absence, pollInterval + absence + 2*settleTime},
		"changed and undone":    {once(map[time.Duration]string{pollInterval - 50*time.Millisecond: "2", pollInterval + 50*time.Millisecond: "1"}), 0, 0},
		"written with the same": {once(map[time.Duration]string{time.Second: "1", 5 * time.Second: "1"}), 0, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tools.yaml")
			must(t, write(path, "1"))
			synctest.Test(t, func(t *testing.T) {
				w := newWatcher(Options{Disk: disk})
				w.Expect(disk.Look(State{Files: map[string]Digest{path: {}}}))
				ctx, stop := context.WithTimeout(t.Context(), 10*pollInterval)
				defer stop()
				began := time.Now()
				told := make(chan error, 1)
				go func() { told <- w.Wait(ctx); stop() }()
				play(t, ctx, path, c.scene)
				err, took := <-told, time.Since(began)
				if (c.to == 0) != (err != nil) || c.to > 0 && (took < c.from || took > c.to) {
					t.Errorf("told after %v: %v", took, err)
				}
			})
		})
	}
}

func once(texts map[time.Duration]string) func(time.Duration) string {
	return func(at time.Duration) string { return texts[at] }
}

func saves(from, to time.Duration) func(time.Duration) string {
	return func(at time.Duration) string {
		if at < from || at > to {
			return ""
		}
		return fmt.Sprint("saved at ", at)
	}
}

func play(t *testing.T, ctx context.Context, path string, scene func(time.Duration) string) {
	const step = 10 * time.Millisecond
	for at := time.Duration(0); ctx.Err() == nil; at += step {
		switch text := scene(at); text {
		case "":
		case "-":
			must(t, os.Remove(path))
		default:
			must(t, write(path+".new", text), os.Rename(path+".new", path)) // at once, as time stands still meanwhile
		}
		time.Sleep(step)
	}
}

// TestBusyNeighbour: a database in the same folder, written to all the time, is
// no reason to look.
func TestBusyNeighbour(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, write(filepath.Join(dir, "tools.yaml"), "1"))
	looks := 0
	counting := disk
	counting.Glob = func(pattern string) ([]string, error) { looks++; return filepath.Glob(pattern) }
	w := Open(Options{Disk: counting})
	defer func() { must(t, w.Close()) }()
	s := read(dir)
	s.Patterns[filepath.Join(dir, "*.yaml")] = []string{filepath.Join(dir, "tools.yaml")}
	w.Expect(s)
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	told := make(chan error, 1)
	go func() { told <- w.Wait(ctx) }()
	waitUntilWatched(t, w, dir)
	for i := range 100 {
		must(t, write(filepath.Join(dir, "gateway.db"), fmt.Sprint(i)))
	}
	if err := <-told; !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if most := 3 * len(s.Patterns); looks > most { // at the start, and once it was poked
		t.Errorf("looked %d times at patterns, want at most %d", looks, most)
	}
}

// TestUnreadable: what is no ordinary file has no content, and of a file that is
// too long the start counts.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	must(t, write(long, "0123456789abc"))
	for _, path := range []string{dir, filepath.Join(dir, "absent"), os.DevNull} {
		if got := disk.Digest(path); got != (Digest{}) {
			t.Errorf("%s: %x", path, got)
		}
	}
	short := Disk{MaxFile: 9}
	if short.Digest(long) == disk.Digest(long) {
		t.Error("more was read of a file than one byte beyond the limit")
	}
}

// TestMemory holds when a file is read again: not as long as all its marks are the
// same and it was not changed right before, and else always.
func TestMemory(t *testing.T) {
	t.Parallel()
	marker := Digest{1}
	for name, c := range map[string]struct {
		read, now time.Duration // since the file was written
		change    func(path string) error
		again     bool
	}{
		"nothing changed":           {time.Hour, time.Hour + pollInterval, nil, false},
		"read a minute ago":         {time.Hour, time.Hour + rehashInterval, nil, true},
		"read right after a change": {freshTime / 2, time.Hour, nil, true},
		"read in the future":        {2 * time.Hour, time.Hour, nil, true},
		"another file":              {time.Hour, time.Hour + pollInterval, func(path string) error { return errors.Join(write(path+".new", "2"), os.Rename(path+".new", path)) }, true},
		"longer":                    {time.Hour, time.Hour + pollInterval, func(path string) error { return write(path, "12") }, true},
		"another date":              {time.Hour, time.Hour + pollInterval, func(path string) error { return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) }, true},
		"other permissions":         {time.Hour, time.Hour + pollInterval, func(path string) error { return os.Chmod(path, 0o644) }, true},
		"gone":                      {time.Hour, time.Hour + pollInterval, os.Remove, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.yaml")
			must(t, write(path, "1"))
			info, err := os.Stat(path)
			must(t, err)
			if c.change != nil {
				must(t, c.change(path))
			}
			now := info.ModTime().Add(c.now)
			m := memory{
				disk: &disk, clock: func() time.Time { return now },
				files: map[string]memo{path: {info, info.ModTime().Add(c.read), marker}},
			}
			want := marker
			if c.again {
				want = disk.Digest(path)
			}
			s := State{Files: map[string]Digest{path: {}}}
			if got := m.look(s).Files[path]; got != want {
				t.Errorf("%x", got)
			}
			if c.again && m.files[path].digest != want {
				t.Error("what was read is not known")
			}
			if m.look(State{}); len(m.files) > 0 {
				t.Error("what nobody asks for is still known")
			}
		})
	}
}
