package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAlienFilesAreNotShown names files that are no configurations, with
// --config and in an include: what they hold appears in no problem.
func TestAlienFilesAreNotShown(t *testing.T) {
	for name, text := range map[string]string{
		"passwd":     "root:s3cr3t:0:0\nbin:s3cr3t:1:1\n",
		"one":        "s3cr3t\n",
		"number":     "5318008\n",
		"alias":      "*s3cr3t\n",
		"list":       "- s3cr3t\n",
		"env":        "export TOKEN=s3cr3t\nA: b: s3cr3t\n",
		"when":       "when: s3cr3t ? a: b\n",
		"template":   "{a: ${s3cr3t}}\n",
		"comment":    "[s3cr3t #]\n]\n",
		"keys":       "s3cr3t: 1\nother: s3cr3t\n",
		"twice":      "s3cr3t: 1\ns3cr3t: 2\n",
		"tag":        "a: !s3cr3t 1\n",
		"quoted":     "'s3cr3t'\n",
		"key":        "-----BEGIN PRIVATE KEY-----\ns3cr3t\n",
		"a.json":     "s3cr3t",
		"b.json":     `"s3cr3t"`,
		"c.json":     `{"s3cr3t": 1}`,
		"d.json":     `{"a": "\\s3cr3t"}`,
		"documents":  "s3cr3t\n---\ns3cr3t: s3cr3t: s3cr3t\n",
		"directives": "%s3cr3t\n---\n",
	} {
		files := memory{name: text, "tools.yaml": "version: 1\ninclude: ['" + name + "']\n"}
		for _, main := range []string{name, "tools.yaml"} {
			_, problems := load(files, Options{Files: []string{main}})
			got := problems.Error()
			if problems.Err() == nil || strings.Contains(got, "s3cr3t") || strings.Contains(got, "5318008") {
				t.Errorf("%s by %s: %s", name, main, got)
			}
		}
	}
}

// TestPipes names what a program could wait for without an end.
func TestPipes(t *testing.T) {
	folder(t, map[string]string{"tools.yaml": "version: 1\ninclude: ['*/*/x', '*']\n", "f/a/x": "tools: {}\n"})
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("fifo", "link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "link", "/dev/null", "f"} {
		want := name + ": the file cannot be read: it is a folder, a pipe or a device, not a file"
		if _, problems := LoadFile(name); problems.Error() != want {
			t.Errorf("got %s, want %s", problems, want)
		}
	}
	if _, err := (disk{}).glob("fifo/*"); err != nil {
		t.Error(err)
	}
}

// TestStreams are the pipes that may be a configuration.
func TestStreams(t *testing.T) {
	for path, want := range map[string]bool{
		"/dev/stdin": true, "/dev/fd/63": true, "/dev//fd/0": true,
		"/dev/fd/": false, "/dev/fd/../tty": false, "/dev/zero": false, "dev/stdin": false,
	} {
		if isStream(path) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}

// TestGlobs looks for files as filepath.Glob does, and no further than a limit.
func TestGlobs(t *testing.T) {
	dir := folder(t, map[string]string{"a/x.yaml": "", "a/y.yaml": "", "b/x.yaml": "", "b/[c]/z": ""})
	t.Chdir("a")
	for _, pattern := range []string{
		"*", "./*.yaml", "../*/x.yaml", "../b/\\[c\\]/*", dir + "/*/*.yaml", dir + "/a/x.yaml", "/*", "nothing/*", "../a/../*/[xy].yaml", "[",
	} {
		want, wantErr := filepath.Glob(pattern)
		for i := range want {
			want[i] = filepath.Clean(want[i])
		}
		got, err := globWithin(pattern, 1000)
		if strings.Join(got, " ") != strings.Join(want, " ") || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: got %v, %v, want %v, %v", pattern, got, err, want, wantErr)
		}
	}
	if got, err := globWithin("../*/*", 4); err == nil || err.Error() != "the pattern looks at more than 4 files and folders" {
		t.Errorf("beyond the limit: %v, %v", got, err)
	}
}
