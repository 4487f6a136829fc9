package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder writes files into a new folder and makes it the working one.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRelativePaths looks at what relative paths become: each belongs to the
// folder of the file it stands in, and those of no file to that of the first.
func TestRelativePaths(t *testing.T) {
	dir := folder(t, map[string]string{
		"main/tools.yaml":  "version: 1\ninclude: [../crm/*.yaml]\nsecrets: {own: {file: own.token}}\n",
		"crm/secrets.yaml": "secrets: {crm: {file: crm.token}, moved: {file: a}}\n",
		"prod/prod.yaml":   "secrets: {moved: {file: moved.token}}\n",
	})
	c, problems := Load(Options{
		Files: []string{"main/tools.yaml", "prod/prod.yaml"},
		Env:   []string{"TOOLGATE_SECRETS__ENV__FILE=env.token", "TOOLGATE_TOKEN=x", "OTHER=1", "broken"},
		Set:   []string{"secrets.set.file=set.token"},
	})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"store": c.Store.URL, "dir": c.Dir()}
	for name, s := range c.Secrets {
		got[name] = s.File
	}
	want := map[string]string{
		"store": "sqlite:" + dir + "/main/gateway.db", "dir": dir + "/main",
		"own": dir + "/main/own.token", "crm": dir + "/crm/crm.token", "moved": dir + "/prod/moved.token",
		"env": dir + "/main/env.token", "set": dir + "/main/set.token",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// TestIncludeOnDisk includes what only a real file system has.
func TestIncludeOnDisk(t *testing.T) {
	folder(t, map[string]string{
		"tools.yaml":          "version: 1\ninclude: [link.yaml, 'f*', d, '\\[odd\\]/\\[a\\].yaml', f, fifo]\n",
		"[odd]/[a].yaml":      "include: ['b*.yaml']\n",
		"[odd]/b.yaml":        "version: 1\n",
		"f/inside/a.yaml":     "",
		"unrelated/tools.txt": "",
	})
	if err := os.Symlink("tools.yaml", "link.yaml"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	_, problems := LoadFile("tools.yaml")
	want := `tools.yaml:2:11: include.0: the file includes itself (keep included files in a folder of their own)
tools.yaml:2:22: include.1: warning: no file matches this pattern (patterns belong to the folder of the file they stand in)
tools.yaml:2:28: include.2: there is no file d (create it, or correct the path; it belongs to the folder of this file)
tools.yaml:2:53: include.4: f cannot be included: it is a folder, a pipe or a device, not a file
tools.yaml:2:56: include.5: fifo cannot be included: it is a folder, a pipe or a device, not a file`
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestManyFiles passes the limits on the number of files and on their size.
func TestManyFiles(t *testing.T) {
	files := memory{"tools.yaml": "version: 1\ninclude: ['d/*']\n"}
	for i := range maxFiles + 3 {
		files[fmt.Sprintf("d/%03d.yaml", i)] = "tools: {}\n"
	}
	opts := Options{Files: []string{"tools.yaml"}}
	_, problems := load(files, opts)
	if want := "tools.yaml:2:11: include.0: with this file there are more than 256 (d/255.yaml)"; problems.Error() != want {
		t.Errorf("got %s, want %s", problems, want)
	}
	for i := range 4 {
		delete(files, fmt.Sprintf("d/%03d.yaml", i))
	}
	if _, problems := load(files, opts); problems.Err() != nil {
		t.Errorf("as many as there may be: %v", problems)
	}
}

// TestLargeFiles passes the limit on the size of all files together.
func TestLargeFiles(t *testing.T) {
	files := memory{"a.yaml": "version: 1\n", "b.yaml": "tools: {}\n"}
	l := newLoader(files)
	l.bytes = maxTotalSize - len(files["a.yaml"])
	l.main("a.yaml")
	l.main("b.yaml")
	want := "b.yaml: with this file the configuration is larger than 64 MiB"
	if got := l.findings.report.Problems().Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNothingPrivateIsShown sets values that may be secrets, in all the wrong
// ways.
func TestNothingPrivateIsShown(t *testing.T) {
	files := memory{"t.yaml": "version: 1\nsecrets: {crm: {env: CRM}}\ntools: {a: {description: A., http: {url: 'https://example.com', headers: {Authorization: x}}}}\n"}
	for _, setting := range []string{
		`secrets.crm=hunter2`, `secrets.crm.env="hunter2`, `secrets.crm.value=hunter2`, `secrets.crm.env=[hunter2]`, `secrets.crm.env=[*hunter2]`,
		`secrets=hunter2`, `tools.a.http.headers="hunter2`, `tools.a.http.headers.Authorization=["hunter2"]`, `tools.a.http.headers.Authorization.x=hunter2`,
	} {
		key, value, _ := strings.Cut(setting, "=")
		name := EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", envSeparator))
		for _, opts := range []Options{{Set: []string{setting}}, {Env: []string{name + "=" + value}}} {
			opts.Files = []string{"t.yaml"}
			if _, problems := load(files, opts); problems.Err() == nil || strings.Contains(problems.Error(), "hunter2") {
				t.Errorf("%s: %v", setting, problems)
			}
		}
	}
}

// TestChainOfIncludes has files that include two more each: every file is read
// once, and the depth is bounded by the number of files.
func TestChainOfIncludes(t *testing.T) {
	files := memory{"tools.yaml": "version: 1\ninclude: [0a, 0b]\n"}
	const last = (maxFiles - 1) / 2
	for i := range last {
		next := fmt.Sprintf("include: [%da, %db]\n", i+1, i+1)
		if i == last-1 {
			next = "tools: {}\n"
		}
		files[fmt.Sprintf("%da", i)], files[fmt.Sprintf("%db", i)] = next, next
	}
	if _, problems := load(files, Options{Files: []string{"tools.yaml"}}); problems.Err() != nil {
		t.Error(problems)
	}
}

// TestNoFile is a configuration of nothing.
func TestNoFile(t *testing.T) {
	if c, problems := Load(Options{Set: []string{"version=1"}}); c != nil || problems.Error() != "no configuration file is named (name one with --config)" {
		t.Errorf("got %v, %v", c, problems)
	}
}

// TestFirstFileAgain names a file that was included already: then it is a
// layer above the one that included it.
func TestFirstFileAgain(t *testing.T) {
	files := memory{
		"tools.yaml": "version: 1\ninclude: [more.yaml]\ndefaults: {timeout: 1s}\n",
		"more.yaml":  "defaults: {timeout: 2s}\n",
	}
	for want, names := range map[string][]string{"1s": {"tools.yaml"}, "2s": {"tools.yaml", "more.yaml"}} {
		c, problems := load(files, Options{Files: names})
		if problems.Err() != nil || c.Defaults.Timeout.String() != want {
			t.Errorf("%v: %v, want %s", names, problems, want)
		}
	}
}

// TestDeepSetting has keys inside one another beyond the limit.
func TestDeepSetting(t *testing.T) {
	files := memory{"t.yaml": "version: 1\n"}
	deep := strings.Repeat("a.", maxDepth)
	for _, set := range []string{deep + "a=1", strings.Repeat("a.", maxDepth-3) + "a=[[[[[1]]]]]"} {
		_, problems := load(files, Options{Files: []string{"t.yaml"}, Set: []string{set}})
		if !strings.Contains(problems.Error(), "more than 100 levels deep") {
			t.Errorf("%s: %v", set, problems)
		}
	}
}

// BenchmarkLayers measures what an overlay and settings cost beside the parsing
// of 10,000 tools.
func BenchmarkLayers(b *testing.B) {
	const tools = 10000
	overlay := "tools:\n"
	for i := range tools {
		overlay += fmt.Sprintf("  tool_%d: {timeout: 5s, http: {url: \"https://prod.example.com\"}}\n", i)
	}
	files := memory{"tools.yaml": string(manyTools(tools)), "overlay.yaml": overlay}
	for name, opts := range map[string]Options{
		"file":    {Files: []string{"tools.yaml"}},
		"overlay": {Files: []string{"tools.yaml", "overlay.yaml"}},
		"setting": {Files: []string{"tools.yaml"}, Set: []string{"server.listen=localhost:1"}, Env: []string{"TOOLGATE_TOOLS__TOOL_7__TIMEOUT=5s"}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, problems := load(files, opts); problems.Err() != nil {
					b.Fatal(problems)
				}
			}
			perTool(b, tools)
		})
	}
}
