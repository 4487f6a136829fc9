package assembly_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

// TestOpenAPIMistakes lints configurations with sources: a case is a file of
// testdata/openapi-bad with tools.yaml, documents beside it, and the problems
// (golden).
func TestOpenAPIMistakes(t *testing.T) {
	t.Parallel()
	testProblems(t, "testdata/openapi-bad", 15)
}

// TestDiscoveryProblems lints what configurations say of finding tools, as
// TestOpenAPIMistakes does. What is searched for has one word or more in common with
// one tool only, so that no case hangs on how tools are ranked.
func TestDiscoveryProblems(t *testing.T) {
	t.Parallel()
	testProblems(t, "testdata/discovery", 5)
}

func testProblems(t *testing.T, folder string, least int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) < least {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			last := len(archive.Files) - 1
			for _, f := range archive.Files[:last] {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cfg, problems := config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}})
			if cfg != nil {
				if err := assembly.BuildWith(cfg, assembly.Options{Documents: assembly.DocumentsKept, Strict: true, Searches: true}).Close(); err != nil {
					t.Fatal(err)
				}
				problems = cfg.Problems()
			}
			got := strings.ReplaceAll(problems.Error(), dir+"/", "") + "\n"
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
