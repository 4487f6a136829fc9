package secret_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// words are what the prose of the benchmarks is made of.
const words = `the of and to in a is that for it was on are as with his they at be this have from or one had by not but what all were
	when we there can an your which their said if do will each about how up out them then she many some so these would other into has more
	her two like him see time could no make than first been its who now people my made over did down only way find use may water long little
	very after words called just where most know customer invoice Monday payment service London request answer quickly because "however" don't`

// ordinary gives texts of a size as tools give them, none of which holds a
// secret.
func ordinary(size int) []struct{ name, text string } {
	r := rand.New(rand.NewPCG(5, 6))
	list := strings.Fields(words)
	prose := func() string {
		var b strings.Builder
		for b.Len() < 80 {
			b.WriteString(list[r.IntN(len(list))])
			b.WriteString([]string{" ", " ", " ", " ", " ", " ", ", ", ". ", ".\n"}[r.IntN(9)])
		}
		return b.String()
	}
	fill := func(begin, end string, next func() string) string {
		const unit = 1 << 20
		var b strings.Builder
		for b.Len() < min(size, unit) {
			b.WriteString(next())
		}
		part := b.String()
		return begin + strings.Repeat(part, max(1, size/len(part))) + end
	}
	record := func() string {
		return fmt.Sprintf("{\"id\": %d, \"name\": %q, \"amount\": %.2f, \"tags\": [\"x\", \"y\"], \"note\": %q},\n", r.IntN(1e6), list[r.IntN(len(list))], r.Float64()*1000, prose())
	}
	line := func() string {
		return fmt.Sprintf("2026-01-%02dT10:%02d:%02d.123Z INFO http GET /v1/%s/%d?limit=10&page=%d status=200 took=%dms caller=%016x\n",
			1+r.IntN(30), r.IntN(60), r.IntN(60), list[r.IntN(len(list))], r.IntN(1e6), r.IntN(10), r.IntN(500), r.Uint64())
	}
	encoded := func() string {
		raw := make([]byte, 57)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return base64.StdEncoding.EncodeToString(raw) + "\n"
	}
	return []struct{ name, text string }{
		{"prose", fill("", "", prose)},
		{"json", fill("[", `{}]`, record)},
		{"log", fill("", "", line)},
		{"base64", fill("", "", encoded)},
	}
}

// keys are secrets as services hand them out.
func keys(n int) []secret.Value {
	r := rand.New(rand.NewPCG(7, 8))
	values := make([]secret.Value, n)
	for i := range values {
		raw := make([]byte, 24)
		for j := range raw {
			raw[j] = byte(r.Uint32())
		}
		values[i] = secret.NewValue([]string{"sk-live-", "ghp_", "", "Bearer-", "xoxb-"}[i%5] + base64.RawURLEncoding.EncodeToString(raw))
	}
	return values
}

// BenchmarkOrdinary masks texts that hold no secret. The goals are 200 MB/s for
// one secret and 50 MB/s for 20.
func BenchmarkOrdinary(b *testing.B) {
	for _, size := range []int{1 << 20, 8 << 20, 200 << 20} {
		for _, tt := range ordinary(size) {
			for _, n := range []int{0, 1, 20} {
				m, data := secret.NewMasker(keys(n)...), []byte(tt.text)
				for _, form := range []struct {
					name string
					mask func()
				}{{"text", func() { m.Text(tt.text) }}, {"bytes", func() { m.Bytes(data) }}} {
					b.Run(fmt.Sprintf("%dMB/%s/%d/%s", size>>20, tt.name, n, form.name), func(b *testing.B) {
						b.SetBytes(int64(len(tt.text)))
						b.ReportAllocs()
						for b.Loop() {
							form.mask()
						}
					})
				}
			}
		}
	}
}
