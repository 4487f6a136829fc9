package host

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serving are the options of a server on a file.
func serving(file string) Options {
	return Options{Config: config.Options{Files: []string{file}}, Use: assembly.Options{Access: true}}
}

// writeConfig writes a configuration into a folder of its own.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// lines are those of a log that several write.
type lines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
