package runlog

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestLockedFromTheStart looks at files as they appear: none may count as one whose
// process is gone, which would be removed.
func TestLockedFromTheStart(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		known := map[string]bool{}
		for {
			names, err := journalNames(dir)
			for _, name := range names {
				if known[name] || err != nil {
					continue
				}
				known[name] = true
				o, err := openOne(dir, name)
				if err != nil || !o.live {
					t.Errorf("%s: lives: %v, error: %v", name, o.live, err)
					continue
				}
				closeAll([]opened{o})
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	var all []*Journal
	for range 300 {
		j, err := Open(dir, Options{})
		must(t, err)
		must(t, j.End(full()))
		all = append(all, j)
	}
	close(done)
	watch.Wait()
	for _, j := range all {
		must(t, j.Close())
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"+newSuffix))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestErrorNamesTheFile is about a file that cannot be written: the error says which.
func TestErrorNamesTheFile(t *testing.T) {
	j, err := Open(t.TempDir(), Options{})
	must(t, err)
	must(t, j.file.File.Close())
	_, err = j.file.Write([]byte("x"))
	if failed := (*os.PathError)(nil); !errors.As(j.file.named(err), &failed) || failed.Path != j.file.path {
		t.Errorf("%v does not name %s", err, j.file.path)
	}
}
