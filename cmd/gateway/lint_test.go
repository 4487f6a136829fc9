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

// TestLintBadLayers runs lint on layers with mistakes: the files of an archive
// in their order, or those that its section "order" names, with the environment
// and the settings of its sections "env" and "set".
func TestLintBadLayers(t *testing.T) {
	paths, err := filepath.Glob("../../gateway/config/testdata/bad-layers/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { lintLayers(t, archive) })
	}
}

func lintLayers(t *testing.T, archive *txtar.Archive) {
	t.Chdir(t.TempDir())
	sections := map[string]string{}
	var order []string
	for _, f := range archive.Files {
		if sections[f.Name] = string(f.Data); filepath.Ext(f.Name) == "" {
			continue // a section, not a file
		}
		order = append(order, f.Name)
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if sections["yaml"] != "" {
		return // what a Go program brings; no command line has it
	}
	if named := strings.Fields(sections["order"]); len(named) > 0 {
		order = named
	}
	args := []string{"gateway", "lint"}
	for _, file := range order {
		args = append(args, "--config", file)
	}
	for setting := range strings.Lines(sections["set"]) {
		args = append(args, "--set", strings.TrimSuffix(setting, "\n"))
	}
	for variable := range strings.Lines(sections["env"]) {
		name, value, _ := strings.Cut(strings.TrimSuffix(variable, "\n"), "=")
		t.Setenv(name, value)
	}
	var out bytes.Buffer
	err := run(t.Context(), args, streams{http.NoBody, &out, &out})
	if exit, ok := errors.AsType[*exitError](err); !ok || exit.code != exitUsage {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(sections["problems"], out.String()); d != "" {
		t.Error(d)
	}
}
