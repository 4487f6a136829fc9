package discovery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSearch searches 10,000 tools, with words that were searched before.
func BenchmarkSearch(b *testing.B) {
	docs, asked := invented(10000)
	scope := mustBuild(b, docs).Scope(func(int) bool { return true })
	search := func(i int) {
		if _, err := scope.Search(context.Background(), Query{Text: asked[i%len(asked)]}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range asked {
		search(i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		search(i)
	}
}

// BenchmarkScope makes the scope of a caller.
func BenchmarkScope(b *testing.B) {
	docs, _ := invented(10000)
	x := mustBuild(b, docs)
	b.ReportAllocs()
	for b.Loop() {
		x.Scope(func(i int) bool { return i%10 != 0 })
	}
}

// BenchmarkBuild indexes 1,000 tools.
func BenchmarkBuild(b *testing.B) {
	docs, _ := invented(1000)
	b.ReportAllocs()
	for b.Loop() {
		x, err := Build(context.Background(), docs)
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// invented are tools and queries of words that are as unevenly frequent as those of a
// language.
func invented(n int) (docs []Document, asked []string) {
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 8, 8000)
	text := func(words int) (out string) {
		for range words {
			k := zipf.Uint64()
			out += string([]byte{'a' + byte(k%26), 'a' + byte(k/26%26), 'a' + byte(k/676%26), 'o', ' '})
		}
		return out
	}
	for i := range n {
		docs = append(docs, Document{
			Name: fmt.Sprint(text(3), i), Description: text(10 + r.IntN(40)), Tags: []string{text(1)},
			Parameters: []byte(`{"properties":{"` + text(2) + `":{"description":"` + text(8+r.IntN(30)) + `"}}}`),
		})
	}
	for range 200 {
		asked = append(asked, text(3+r.IntN(30)))
	}
	return docs, asked
}
