package pythontest

import (
	"os"
	"testing"

	"github.com/toolgate/toolgate/wasm/python/cpython"
)

// Runtime is the interpreter in the folder that TG_PYTHON names, as gateway python install
// --into makes one. A test that needs it is not run without it, which scripts/test counts.
func Runtime(t testing.TB) *cpython.Runtime {
	t.Helper()
	folder := os.Getenv("TG_PYTHON")
	if folder == "" {
		t.Skip("needs TG_PYTHON, the folder of an installed interpreter")
	}
	r, err := cpython.Find(cpython.Places{Configured: folder})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
