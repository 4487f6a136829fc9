package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

// maxRealHeap is how much memory the tools of four large documents may take once
// they are served, in bytes.
const maxRealHeap = 100 << 20

// TestRealDocuments makes tools of four large documents, which lie in the folder
// TG_TESTDATA: all at once, and within their memory, whether they are read anew or
// were kept.
func TestRealDocuments(t *testing.T) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	text := "version: 1\nsources:\n"
	for name, file := range map[string]string{"github": "github.json", "stripe": "stripe.json", "dd": "datadog-v2.yaml", "k8s": "kubernetes-v2.json"} {
		text += fmt.Sprintf("  %s: {openapi: {spec: %q, base_url: https://api.example}}\n", name, filepath.Join(folder, "openapi", "specs", file))
	}
	cache := t.TempDir()
	for _, when := range []string{"anew", "kept"} {
		cfg, problems := config.Parse("tools.yaml", []byte(text))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, CacheDir: cache})
		if err := cfg.Problems().Err(); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		cfg.Forget()
		a.Forget()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%s: %d tools in %v, %d MiB", when, len(a.Generation.Tools.All()), took, m.HeapAlloc>>20)
		if n := len(a.Generation.Tools.All()); n < 4_500 || m.HeapAlloc > maxRealHeap {
			t.Errorf("%s: %d tools take %d MiB", when, n, m.HeapAlloc>>20)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
