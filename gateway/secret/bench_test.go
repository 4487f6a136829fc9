package secret_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// BenchmarkMasker masks 1 MB of text with 20 secrets: prose, JSON, base64, and
// texts made to be slow.
func BenchmarkMasker(b *testing.B) {
	const size = 1_000_000
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]secret.Value, 0, 20)
	for i := range 18 {
		values = append(values, secret.NewValue(fmt.Sprintf("sk-live-%02d-%016x/+%%", i, r.Uint64())))
	}
	key := make([]byte, 1200)
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	values = append(values,
		secret.NewValue("-----BEGIN PRIVATE KEY-----\n"+base64.StdEncoding.EncodeToString(key)+"\n-----END PRIVATE KEY-----\n"),
		secret.NewValue(strings.Repeat("a", 60)+"b"))
	m := secret.NewMasker(values...)
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for _, bb := range []struct{ name, unit string }{
		{"prose", "The quick brown fox jumps over the lazy dog, and 1,234 others do. "},
		{"json", `{"id": 12345, "name": "Ann Lee", "tags": ["x", "y"], "text": "one\ntwo <b>three</b>"},` + "\n"},
		{"list", `{"id": 12345, "name": "Ann Lee", "tags": ["x", "y"], "text": "one\ntwo <b>three</b>"},` + "\n"},
		{"form", "a=1&name=Ann+Lee&city=S%C3%A3o%20Paulo&"},
		{"base64", base64.StdEncoding.EncodeToString(noise)},
		{"prefixes", strings.Repeat("a", 59)},
		{"spelled-prefixes", strings.Repeat("%61", 59)},
		{"backslashes", `\`},
		{"percents", `%25`},
		{"sk", "sk-live-"},
		{"secrets", values[0].Reveal()},
	} {
		text := strings.Repeat(bb.unit, size/len(bb.unit)+1)[:size]
		if bb.name == "list" {
			text = "[" + text[:strings.LastIndex(text, ",")] + "]"
		}
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				m.Text(text)
			}
		})
	}
}

// BenchmarkOddSecret masks texts made for a secret that is made of escapes, the
// worst there is for the bound on the work at one place.
func BenchmarkOddSecret(b *testing.B) {
	const size = 1_000_000
	for _, unit := range []string{`\`, `\\n`, "%25", "&amp;", "%0A+%20", "\uFFFD"} {
		m := secret.NewMasker(secret.NewValue(strings.Repeat(unit, 20)+"é<"), secret.NewValue(strings.Repeat("é", 30)))
		text := strings.Repeat(unit, size/len(unit))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Text(text)
			}
		})
	}
}

// BenchmarkLargestSecret makes a Masker of a secret of the largest size and
// masks the end of a text with it.
func BenchmarkLargestSecret(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	key := make([]byte, secret.MaxLength)
	for i := range key {
		key[i] = '!' + byte(r.IntN(90))
	}
	v := secret.NewValue(string(key))
	m := secret.NewMasker(v)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			secret.NewMasker(v)
		}
	})
	text := string(key[1000:9000])
	b.Run("tail", func(b *testing.B) {
		for b.Loop() {
			if out := m.Tail(text); len(out) > 20 {
				b.Fatal(out)
			}
		}
	})
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20_000)
	b.Run("prose", func(b *testing.B) {
		b.SetBytes(int64(len(prose)))
		for b.Loop() {
			m.Text(prose)
		}
	})
}
