package wire_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

func TestPlainJSON(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, want := range map[string]bool{
		`1`: true, `"é"`: true, `[1, 2.5e3, {"a": [null, true]}]`: true, `"\u00e9\\ud800"`: true, `"\ud83d\ude00"`: true, `""`: true, ` [] `: true,
		deep(wire.MaxDepth): true, strings.Repeat("9", wire.MaxDigits): true,
		"": false, `1 2`: false, `[1`: false, `{"a" 1}`: false, "\"\xff\"": false, "{\"\xed\xa0\x80\": 1}": false,
		`"\ud800"`: false, `"\udc00"`: false, `"\ud800\ud800"`: false, `"\ud800x"`: false, `"\uDFFF"`: false,
		`1e999`: false, `-1e999999999`: false, deep(wire.MaxDepth + 1): false, strings.Repeat("9", wire.MaxDigits+1): false, `NaN`: false,
	} {
		if got := wire.PlainJSON([]byte(text)); got != want {
			t.Errorf("%.40q: got %v", text, got)
		}
	}
}

// FuzzPlainJSON: what is plain is JSON that Go can write, too.
func FuzzPlainJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "\ud83d\ude00"]}`, `"\ud800"`, `[[`, `1e5`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wire.PlainJSON([]byte(text)) && strings.ToValidUTF8(text, "") != text {
			t.Errorf("%q", text)
		}
	})
}
