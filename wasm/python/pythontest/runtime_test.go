package pythontest_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/python/pythontest"
)

// TestRuntime compiles the interpreter for test binaries, which takes its time once: the
// code is kept.
func TestRuntime(t *testing.T) {
	installed := pythontest.Runtime(t)
	module, err := installed.Load()
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := wasm.Compile(context.Background(), module, wasm.Options{Cache: installed.Compiled, Workers: runtime.NumCPU()})
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
