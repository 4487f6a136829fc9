package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/gateway/store"
)

// TestPresence announces one server in a folder that is made, removed and closed
// again; cmd/gateway starts two.
func TestPresence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	p := store.Announce(dir)
	alone := func(what string) {
		t.Helper()
		if others, err := p.Others(); others || err != nil {
			t.Errorf("%s: %v, %v", what, others, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "serving")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", what, info, err)
		}
	}
	alone("at first")
	must(t, os.RemoveAll(dir))
	alone("when the folder was removed")
	must(t, p.Close())
	must(t, p.Close())
	if _, err := p.Others(); err == nil {
		t.Error("a presence that ended tells of others")
	}
}

// TestFolderIsRefused does not take a folder for a store.
func TestFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, readOnly := range []bool{false, true} {
		_, err := store.Open(t.Context(), dir, store.Options{ReadOnly: readOnly})
		if want := "the store " + dir + " cannot be used: it failed: it is a folder: name a file in it under store.url, such as sqlite:" + dir +
			"/gateway.db; nothing in it was changed"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
