package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/store"
)

// TestHalfMade goes on where a process was killed while it made the file.
func TestHalfMade(t *testing.T) {
	for name, sql := range map[string]string{
		"nothing": ``,
		"header":  `PRAGMA auto_vacuum = incremental; PRAGMA journal_mode = wal`,
		"version": `PRAGMA auto_vacuum = incremental; PRAGMA journal_mode = delete; PRAGMA user_version = 0; VACUUM`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "gateway.db")
			must(t, os.WriteFile(path, nil, 0o600))
			db := outside(t, path)
			_, err := db.ExecContext(t.Context(), sql)
			must(t, errors.Join(err, db.Close()))
			if _, err := store.Open(t.Context(), path, store.Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("opened for reading: %v", err)
			}
			s, err := store.Open(t.Context(), path, store.Options{})
			must(t, err)
			must(t, errors.Join(s.Check(t.Context()), s.Close()))
		})
	}
}

// TestMadeTogether lets several servers make the file at the same time.
func TestMadeTogether(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "folder", "gateway.db")
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				s, err := store.Open(t.Context(), path, store.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
}

// TestMadeByAnother waits for whoever makes the file, and not for ever.
func TestMadeByAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	lock, err := os.Create(path + ".making")
	must(t, err)
	must(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "another process makes it or changes its format, and has held "+path+".making for") {
		t.Errorf("held by another: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = lock.Close() })
	must(t, s.Check(t.Context()))
}
