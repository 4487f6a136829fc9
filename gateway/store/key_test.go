package store_test

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/gateway/store"
)

// TestKey holds that a key is made once, whoever asks for it first, and is another
// one under another name.
func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gateway.db")
	const processes = 4
	var keys [processes][]byte
	var group sync.WaitGroup
	for i := range processes {
		s, err := store.Open(t.Context(), path, store.Options{})
		must(t, err)
		defer func() { must(t, s.Close()) }()
		group.Go(func() {
			key, err := s.Key(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	group.Wait()
	s, err := store.Open(t.Context(), path, store.Options{}) // as after a restart
	must(t, err)
	defer func() { must(t, s.Close()) }()
	again, err := s.Key(t.Context(), "a")
	must(t, err)
	other, err := s.Key(t.Context(), "b")
	must(t, err)
	for i, key := range keys {
		if len(key) != store.KeySize || !bytes.Equal(key, again) {
			t.Errorf("process %d has %x, and later it is %x", i, key, again)
		}
	}
	if len(other) != store.KeySize || bytes.Equal(other, again) {
		t.Errorf("two names have the keys %x and %x", again, other)
	}
	must(t, s.Close())
	if _, err := s.Key(t.Context(), "a"); err == nil {
		t.Error("a closed store gives a key")
	}
}
