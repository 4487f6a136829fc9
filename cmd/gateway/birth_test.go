package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// birthplace is a folder with a file of tools and no store yet.
func birthplace(t *testing.T) (config string) {
	t.Helper()
	config = filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(config, []byte(killConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// TestKilledAtBirth kills servers that make their store: the next one starts.
func TestKilledAtBirth(t *testing.T) {
	const kills, most = 30, 60 * time.Millisecond
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	half := 0
	for range kills {
		config := birthplace(t)
		cmd := exec.CommandContext(t.Context(), bin, "serve", "--config", config)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(most))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if info, err := os.Stat(filepath.Join(filepath.Dir(config), "gateway.db")); err == nil && info.Size() < 16<<10 {
			half++
		}
		next := start(t, bin, "serve", "--config", config)
		_ = next.cmd.Process.Kill()
	}
	t.Logf("%d of %d were killed while they made the store", half, kills)
}

// TestBornTogether starts servers on one new store at the same time.
func TestBornTogether(t *testing.T) {
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	for range 10 {
		config := birthplace(t)
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				server := start(t, bin, "serve", "--config", config)
				_ = server.cmd.Process.Kill()
			})
		}
		group.Wait()
	}
}
