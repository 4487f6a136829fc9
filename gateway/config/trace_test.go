package config_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/config"
)

// TestTrace: whatever a load read, or would have read, is in the trace with what
// it gave, also when the configuration is refused.
func TestTrace(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		files    map[string]string
		read     string // with a ! behind what gave nothing
		patterns string
	}{
		{"one file", map[string]string{"tools.yaml": "version: 1\n"}, "tools.yaml", ""},
		{"no file", nil, "tools.yaml!", ""},
		{"a bad file", map[string]string{"tools.yaml": "version: [\n"}, "tools.yaml", ""},
		{
			"includes",
			map[string]string{"tools.yaml": "version: 1\ninclude: [a.yaml, 'd/*.yaml']\n", "a.yaml": "{}", "d/x.yaml": "{}", "d/y.yaml": "include: [../b.yaml]", "b.yaml": "{}"},
			"a.yaml b.yaml d/x.yaml d/y.yaml tools.yaml", "d/*.yaml=d/x.yaml,d/y.yaml",
		},
		{"an include that is not there", map[string]string{"tools.yaml": "version: 1\ninclude: [a.yaml, 'd/*.yaml']\n"}, "a.yaml! tools.yaml", "d/*.yaml="},
		{"a folder for a file", map[string]string{"tools.yaml": "version: 1\ninclude: [a]\n", "a/x": ""}, "a! tools.yaml", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			var trace config.Trace
			for range 2 { // a second load says the same
				_, _ = config.Load(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}, Trace: &trace})
			}
			var read, patterns []string
			for path, digest := range trace.Files() {
				name := strings.TrimPrefix(path, dir+"/")
				switch digest {
				case [sha256.Size]byte{}:
					name += "!"
				case sha256.Sum256([]byte(c.files[name])):
				default:
					t.Errorf("%s has another digest", name)
				}
				read = append(read, name)
			}
			for pattern, found := range trace.Patterns() {
				again, err := config.Glob(pattern)
				if err != nil || !slices.Equal(again, found) {
					t.Errorf("%s: %q, and later %q %v", pattern, found, again, err)
				}
				patterns = append(patterns, strings.ReplaceAll(fmt.Sprintf("%s=%s", pattern, strings.Join(found, ",")), dir+"/", ""))
			}
			slices.Sort(read)
			if diff := cmp.Diff([]string{c.read, c.patterns}, []string{strings.Join(read, " "), strings.Join(patterns, " ")}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTraceOfStream: what a stream gave is there for every load.
func TestTraceOfStream(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := w.WriteString("version: 1\ntools: {a: {description: A., expr: '1'}}\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var trace config.Trace
	for range 3 {
		cfg, problems := config.Load(config.Options{Files: []string{fmt.Sprintf("/dev/fd/%d", r.Fd())}, Trace: &trace})
		if err := problems.Err(); err != nil || len(cfg.Tools) != 1 {
			t.Fatal(err)
		}
	}
	if files := slices.Collect(maps.Keys(trace.Files())); len(files) > 0 {
		t.Error(files)
	}
}
