//go:build unix

package document_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
)

// TestNoOrdinaryFile opens nothing but ordinary files: a pipe without another end
// would be waited for, and a device read without end.
func TestNoOrdinaryFile(t *testing.T) {
	dir := write(t, map[string]string{"main.yaml": "a: 1", "folder/x": ""})
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600), os.Symlink("pipe.yaml", filepath.Join(dir, "link.yaml"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pipe.yaml", "link.yaml", "folder"} {
		refused(t, filepath.Join(dir, path))
		if diff := cmp.Diff("unreadable-file: "+path+": "+path+": it is not a file", findText(t, open(t, filepath.Join(dir, "main.yaml")), nil, path)); diff != "" {
			t.Error(diff)
		}
	}
	refused(t, os.DevNull)
}

func refused(t *testing.T, path string) {
	t.Helper()
	_, err := document.Read(t.Context(), document.Options{Path: path})
	if e, ok := errors.AsType[*fs.PathError](err); !ok || e.Err.Error() != "it is not a file" {
		t.Errorf("%s: %v", path, err)
	}
}
