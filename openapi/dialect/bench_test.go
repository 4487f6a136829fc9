package dialect

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkReal converts every schema of a document, for both sides.
func BenchmarkReal(b *testing.B) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		b.Skip("needs TG_TESTDATA")
	}
	for _, name := range []string{"github.json", "stripe.json", "kubernetes-v2.json"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile(filepath.Join(folder, "openapi", "specs", name))
			if err != nil {
				b.Fatal(err)
			}
			file := parse(b, name, string(text))
			b.ReportAllocs()
			for b.Loop() {
				for _, side := range []Side{Input, Output} {
					c := New(oneFile{}, versionOf(file), side)
					list := file.Root.Get("components").Get("schemas")
					if list == nil {
						list = file.Root.Get("definitions")
					}
					for i := range list.Members {
						c.Schema(file, &list.Members[i].Value)
					}
				}
			}
		})
	}
}
