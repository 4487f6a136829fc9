package wasm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/wasmtest"
)

func compiled(t *testing.T, p wasmtest.Program) *wasm.Compiled {
	t.Helper()
	c, err := wasm.Compile(t.Context(), p.Module(), wasm.Options{Cache: t.TempDir(), Workers: 2, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestInspect(t *testing.T) {
	c := compiled(t, wasmtest.Program{Host: "env", Function: "help", Exports: []string{"memory", "go"}})
	defer func() { _ = c.Close(t.Context()) }()
	if diff := cmp.Diff([]string{"env.help"}, c.Imports()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"go", "memory"}, c.Exports()); diff != "" {
		t.Error(diff)
	}
}

func TestRunOnce(t *testing.T) {
	cases := []struct {
		name    string
		program wasmtest.Program
		out     string
		talk    string
		wrong   string // in the error
	}{
		{"output", wasmtest.Program{FD: 1, Text: "hello"}, "hello", "", ""},
		{"talk", wasmtest.Program{FD: 2, Text: "oh"}, "", "oh", ""},
		{"trap", wasmtest.Program{Body: []byte{0x00}}, "", "", "unreachable"},
		{"a function that WASI does not have", wasmtest.Program{Function: "fd_dance"}, "", "", "fd_dance"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := compiled(t, c.program)
			for range 2 { // every run is as the first
				var out, talk bytes.Buffer
				exit, err := m.RunOnce(t.Context(), wasm.Once{Args: []string{"x"}, Stdout: &out, Stderr: &talk})
				switch {
				case c.wrong == "" && (err != nil || exit != 0):
					t.Errorf("exit %d, %v", exit, err)
				case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
					t.Errorf("error %v, want %q in it", err, c.wrong)
				}
				if out.String() != c.out || talk.String() != c.talk {
					t.Errorf("output %q, talk %q", &out, &talk)
				}
			}
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRunOnceLeavesWhatDoesNotEnd ends the context of a program that waits for input.
func TestRunOnceLeavesWhatDoesNotEnd(t *testing.T) {
	m := compiled(t, wasmtest.Program{Function: "fd_read", Text: "room"})
	in, feed := io.Pipe()
	errEnough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := &asked{Reader: in, then: func() { cancel(errEnough) }}
	if _, err := m.RunOnce(ctx, wasm.Once{Stdin: waits}); !errors.Is(err, errEnough) {
		t.Errorf("error %v", err)
	}
	if err := m.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := feed.Close(); err != nil { // the program ends, in code that is still there
		t.Error(err)
	}
}

// asked tells when it is read.
type asked struct {
	io.Reader
	then func()
}

func (a *asked) Read(p []byte) (int, error) {
	a.then()
	return a.Reader.Read(p)
}
