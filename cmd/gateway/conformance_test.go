package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestBaselinesOnlyShrink compares the conformance suite's lists of expected
// failures with those this gateway began with: nothing may be added.
func TestBaselinesOnlyShrink(t *testing.T) {
	t.Parallel()
	data := os.Getenv("TG_TESTDATA")
	if data == "" {
		t.Skip("needs TG_TESTDATA")
	}
	for _, name := range []string{"baseline-2025-11-25.yml", "baseline-2026-07-28.yml"} {
		first := lines(t, filepath.Join(data, "conformance", name))
		for _, line := range lines(t, filepath.Join("../../testdata/conformance", name)) {
			if !slices.Contains(first, line) {
				t.Errorf("%s: %s was not expected to fail before", name, line)
			}
		}
	}
}

// lines are those of a file, without comments.
func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range bytes.Lines(data) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, string(line))
		}
	}
	return out
}
