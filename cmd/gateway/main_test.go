package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
)

// TestMain lets scripts, and tests that need another process, run the program
// under the name gateway.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"gateway": main, "approver": approver})
}

// leakChecked fails the tests when they leave a goroutine behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	if dir, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		_ = os.Setenv("GOCACHE", filepath.Join(dir, "go-build")) // or each build would compile everything anew
	}
	cache, err := os.MkdirTemp("", "gateway-cache-*") // documents are not kept in the user's own
	if err != nil || os.Setenv("XDG_CACHE_HOME", cache) != nil {
		return 1
	}
	defer func() { _ = os.RemoveAll(cache) }()
	code := l.m.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true})
}

func discardLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// open opens a gateway for doors that listen.
func open(opts config.Options, logger *slog.Logger) (*host.House, error) {
	return openFor(opts, assembly.Options{Access: true}, logger)
}
