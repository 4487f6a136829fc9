package main

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// sayVersion is a module that says it is CPython 3.13.0, and nothing else.
const sayVersion = "AGFzbQEAAAABDAJgBH9/f38Bf2AAAAIjARZ3YXNpX3NuYXBzaG90X3ByZXZpZXcxCGZkX3dyaXRlAAADAgEBBQMBAAEHEwIGbWVtb3J5AgAGX3N0YXJ0AAEKEAEOAEEBQQBBAUGgHxAAGgsLJAEAQQALHggAAAAWAAAAMy4xMy4wIChtYWluKSBbQ2xhbmddCg=="

func TestPythonInstall(t *testing.T) {
	root := t.TempDir()
	from, into := filepath.Join(root, "python.wasm"), filepath.Join(root, "into")
	module, err := base64.StdEncoding.DecodeString(sayVersion)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(from, module, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--from", from}, `^Python 3\.13\.0 is installed in \S+/into\n  from    \S+python\.wasm\n  sha256  [0-9a-f]{64}\n$`},
		{nil, `^Python 3\.13\.0 \(\S+python\.wasm\) is installed and whole in \S+/into; --force installs it again\n$`},
		{[]string{"--from", from, "--force"}, `^Python 3\.13\.0 is installed in `},
		{[]string{"--json"}, `"already_installed": true`},
	} {
		out, err := gatewayOutput(t, append([]string{"python", "install", "--into", into}, c.flags...)...)
		if err != nil || !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%q: %q, %v, want %s", c.flags, out, err, c.want)
		}
	}
	out, err := gatewayOutput(t, "python", "install", "--into", into, "--json")
	var got installedJSON
	if err != nil || json.Unmarshal([]byte(out), &got) != nil || got.Folder != into || got.Version != "3.13.0" || got.Source != from {
		t.Errorf("%s, %v", out, err)
	}
}
