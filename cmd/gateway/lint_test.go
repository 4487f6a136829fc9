package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestLintBad runs lint on every bad file there is. Each archive holds the file
// and the exact lines that lint prints about it.
func TestLintBad(t *testing.T) {
	const configs = "../../gateway/config/testdata"
	bad, err := filepath.Glob(filepath.Join(configs, "bad", "*.txtar"))
	if err != nil || len(bad) < 25 {
		t.Fatalf("%d files, %v", len(bad), err)
	}
	assembled, err := filepath.Glob(filepath.Join(configs, "bad-assembly", "*.txtar"))
	if err != nil || len(assembled) == 0 {
		t.Fatalf("%d files, %v", len(assembled), err)
	}
	for _, path := range append(bad, assembled...) {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { lintBad(t, absolute) })
	}
}

func lintBad(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, problems := &archive.Files[0], &archive.Files[1]
	t.Chdir(t.TempDir()) // so that places read as they do for a user
	if err := os.WriteFile(file.Name, file.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	err = run(t.Context(), []string{"gateway", "lint", "--config", file.Name}, streams{http.NoBody, &out, &talk})
	exit, ok := errors.AsType[*exitError](err)
	if !ok || exit.code != exitUsage || report(&talk, err) != exitUsage || talk.Len() > 0 {
		t.Errorf("error %v, talk %q", err, talk.String())
	}
	if *update {
		problems.Data = out.Bytes()
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(problems.Data), out.String()); d != "" {
		t.Error(d)
	}
}
