package wasm

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDamagedCache: code that is not as it was written is compiled anew, and the cache
// is good again.
func TestDamagedCache(t *testing.T) {
	cache := t.TempDir()
	compile := func() {
		t.Helper()
		c, err := Compile(t.Context(), counter(), Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	compile()
	files, err := filepath.Glob(filepath.Join(cache, "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{len(whole) / 2, len(whole) - 5} {
		code := append([]byte{}, whole...)
		code[at] ^= 1
		if err := os.WriteFile(files[0], code, 0o600); err != nil {
			t.Fatal(err)
		}
		compile()
		if now, err := os.ReadFile(files[0]); err != nil || string(now) != string(whole) {
			t.Errorf("byte %d: the cache has %d bytes, %v", at, len(now), err)
		}
	}
}
