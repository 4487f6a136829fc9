package secret_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// BenchmarkHostile masks 8 MB of texts made for secrets that repeat a letter.
func BenchmarkHostile(b *testing.B) {
	const size = 8 << 20
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for _, key := range []struct{ name, text string }{
		{"23a+b", strings.Repeat("a", 23) + "b"},
		{"12ab", strings.Repeat("ab", 12)},
		{"30A+B", strings.Repeat("A", 30) + "B"},
		{"backslashes", strings.Repeat(`\`, 20) + "x"},
	} {
		m := secret.NewMasker(secret.NewValue(key.text))
		for _, bb := range []struct{ name, unit string }{
			{"continued", "a\\\n"},
			{"percent", "%61"},
			{"entity", "&#97;"},
			{"bad-entity", "&#9x;"},
			{"u", `\u0061`},
			{"runs", strings.Repeat("a", 23) + " "},
			{"a", "a"},
			{"lines", "a\n"},
			{"backslashes", `\`},
			{"json", `["` + strings.Repeat("a", 22) + `"],`},
			{"short-json", `"` + `%61%61%61` + `",`},
			{"base64", base64.StdEncoding.EncodeToString(noise)},
		} {
			text := strings.Repeat(bb.unit, size/len(bb.unit)+1)[:size]
			if strings.HasSuffix(bb.name, "json") {
				text = "[" + text[:strings.LastIndex(text, ",")] + "]"
			}
			b.Run(key.name+"/"+bb.name, func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					m.Text(text)
				}
			})
		}
	}
}
