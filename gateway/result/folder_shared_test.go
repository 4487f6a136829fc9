package result_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/result"
)

// TestFolderSurvivesKill kills a process while it keeps a result: what it had
// kept before is there, of the other one nothing is but a leftover, which goes
// when it is an hour old.
func TestFolderSurvivesKill(t *testing.T) {
	if dir := os.Getenv("RESULT_TEST_DIR"); dir != "" {
		putForever(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFolderSurvivesKill$")
	cmd.Env = append(os.Environ(), "RESULT_TEST_DIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	var handle string
	for lines.Scan() && lines.Text() != "writing" {
		handle = lines.Text()
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed

	c := &clock{t: time.Now()}
	f := open(t, dir, result.Options{Now: c.Now})
	if _, text, err := get(f, "ann", handle); text != "kept" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("want the result and a leftover, got %v", got)
	}
	c.pass(59 * time.Minute)
	open(t, dir, result.Options{Now: c.Now})
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("what may still be written was removed: %v", got)
	}
	c.pass(2 * time.Minute)
	open(t, dir, result.Options{Now: c.Now})
	if diff := cmp.Diff([]string{handle}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// putForever keeps one result, prints its handle, and is about to keep another
// one for as long as the process lives.
func putForever(t *testing.T, dir string) {
	f := open(t, dir, result.Options{})
	fmt.Println(put(t, f, "ann", "kept").Handle)
	r, w := io.Pipe()
	go func() {
		for n := 0; ; n++ {
			_, _ = w.Write(make([]byte, 100<<10))
			if n == 2 {
				fmt.Println("writing")
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, _ = f.Put(t.Context(), result.Meta{Owner: "ann"}, r)
}

// TestFoldersShared has several stores put into, read from and clean one
// folder at once.
func TestFoldersShared(t *testing.T) {
	dir := t.TempDir()
	c := &clock{t: time.Now()}
	var all sync.WaitGroup
	for i := range 8 {
		f := open(t, dir, result.Options{Now: c.Now, Most: 300_000, Keep: 15 * time.Minute})
		all.Go(func() {
			owner := fmt.Sprint("owner ", i)
			for n := range 40 {
				text := strings.Repeat(fmt.Sprint(i, ".", n, " "), 100*(n%7))
				m := put(t, f, owner, text)
				c.pass(10 * time.Second)
				_, got, err := get(f, owner, m.Handle)
				if err == nil && got != text {
					t.Errorf("%s read %d bytes of %d", owner, len(got), len(text))
				}
				if err != nil && !errors.Is(err, result.ErrNone) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func FuzzHandle(f *testing.F) {
	dir := f.TempDir()
	store, err := result.OpenFolder(dir, result.Options{})
	if err != nil {
		f.Fatal(err)
	}
	m, err := store.Put(f.Context(), result.Meta{Owner: "ann"}, strings.NewReader("x"))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "r_", m.Handle, "../" + m.Handle, "r_aaaaaaaaaaaaaaaaaaaaaaaaaa", "r_AAAAAAAAAAAAAAAAAAAAAAAAAA", "r_/../../../../../../../../."} {
		f.Add("ann", s)
		f.Add("bob", s)
	}
	f.Fuzz(func(t *testing.T, owner, handle string) {
		_, blob, err := store.Open(t.Context(), owner, handle)
		if mine := owner == "ann" && handle == m.Handle; mine != (err == nil) {
			t.Fatalf("%q, %q: %v", owner, handle, err)
		}
		if err == nil {
			_ = blob.Close()
		} else if err != result.ErrNone { // the very same answer
			t.Fatal(err)
		}
		if result.ValidHandle(handle) && filepath.Base(handle) != handle {
			t.Fatalf("%q is not one name", handle)
		}
	})
}
