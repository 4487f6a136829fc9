package wasm_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/wasm"
)

// head begins every module.
const head = "\x00asm\x01\x00\x00\x00"

func TestStrip(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ name, module, want, problem string }{
		{"an empty module", head, head, ""},
		{"no custom section", head + "\x01\x02ab", head + "\x01\x02ab", ""},
		{"custom sections around another", head + "\x00\x03abc\x01\x02ab\x00\x00", head + "\x01\x02ab", ""},
		{"a length of two bytes", head + "\x01\xac\x02" + long, head + "\x01\xac\x02" + long, ""},
		{"a custom section of two bytes' length", head + "\x00\xac\x02" + long + "\x01\x00", head + "\x01\x00", ""},
		{"nothing", "", "", "version 1"},
		{"a text", "hello, world", "", "version 1"},
		{"a shared object", "\x7fELF\x02\x01\x01\x00", "", "version 1"},
		{"a later version", "\x00asm\x0d\x00\x01\x00", "", "version 1"},
		{"a preamble that is cut off", head[:6], "", "version 1"},
		{"a section without a length", head + "\x01", "", "byte 8"},
		{"a section that is cut off", head + "\x01\x00\x01\x05ab", "", "byte 10"},
		{"a length without an end", head + "\x01" + strings.Repeat("\xff", 12), "", "byte 8"},
		{"a length beyond all", head + "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "", "byte 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wasm.Strip([]byte(c.module))
			if c.problem != "" {
				if !errors.Is(err, wasm.ErrNotModule) || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("got %v, want %s", err, c.problem)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// FuzzStrip: what is kept has nothing more to strip.
func FuzzStrip(f *testing.F) {
	f.Add([]byte(head + "\x00\x03abc\x01\x02ab"))
	f.Add([]byte(head + "\x01\xac\x02"))
	f.Fuzz(func(t *testing.T, module []byte) {
		once, err := wasm.Strip(module)
		if err != nil {
			return
		}
		twice, err := wasm.Strip(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%q: then %q, %v", once, twice, err)
		}
	})
}
