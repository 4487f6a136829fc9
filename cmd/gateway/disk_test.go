package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

const diskConfig = `
version: 1
server: {listen: "127.0.0.1:0"}
defaults: {log: {results: full}}
tools:
  echo: {description: Echo., parameters: {type: object, properties: {text: {type: string}}}, expr: args.text}
policy: {default: allow}
`

// lockedBuffer keeps what a program says.
type lockedBuffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

// smallDisk gives a folder on a disk of its own of 1 MiB where that can be made,
// and else what to start a program with so that no file of it grows over 512 KiB.
func smallDisk(t *testing.T) (dir string, within []string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Logf("no disk of its own (%v): files are limited instead", err)
		return dir, []string{"bash", "-c", `ulimit -f 512; exec "$@"`, "limited"}
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return dir, nil
}

func TestDisk(t *testing.T) {
	t.Parallel()
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	t.Run("full", func(t *testing.T) { diskFull(t, bin) })
	t.Run("read-only folder", func(t *testing.T) { readOnlyFolder(t, bin) })
	t.Run("read-only store", func(t *testing.T) { readOnlyStore(t, bin) })
}

// diskFull calls until nothing can be recorded any more: what was answered is in
// the log, what was not says why, and it is all delivered when there is room.
func diskFull(t *testing.T, bin string) {
	dir, within := smallDisk(t)
	config := filepath.Join(dir, "tools.yaml")
	if err := os.WriteFile(config, []byte(diskConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append(within, bin, "serve", "--config", config)
	var talk lockedBuffer
	server := startCommand(t, &talk, exec.CommandContext(t.Context(), argv[0], argv[1:]...))
	answered, refused := fillDisk(t, server.url)
	if !strings.Contains(refused, "the call's record could not be written") {
		t.Errorf("refused with %s", refused)
	}
	if status, body := ask(t, http.MethodGet, server.url+"/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "the record of calls cannot be written") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if within == nil { // where files are limited, that of the store has room when the journal's has none
		waitFor(t, &talk, "its disk is full")
		waitFor(t, &talk, "records of calls stay in the journals until they can be delivered")
		if status, body := ask(t, http.MethodGet, server.url+"/readyz", ""); !strings.Contains(body, `"name":"store","status":"note"`) {
			t.Errorf("readyz: %d %s", status, body)
		}
	}
	_ = server.cmd.Process.Signal(syscall.SIGTERM)
	_ = server.cmd.Wait()
	checkDelivered(t, dir, answered)
}

// fillDisk calls until a call is not answered, and tells which were and how it ended.
func fillDisk(t *testing.T, url string) (answered []string, refused string) {
	t.Helper()
	body := `{"text": "` + strings.Repeat("x", 5000) + `"}`
	for range 1000 {
		resp, err := http.Post(url+"/v1/tools/echo/call", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var result struct {
			CallID string `json:"call_id"`
			Status string `json:"status"`
		}
		if err != nil || json.Unmarshal(data, &result) != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if result.Status != "ok" {
			return answered, string(data)
		}
		answered = append(answered, result.CallID)
	}
	t.Fatal("the disk is never full")
	return nil, ""
}

// checkDelivered takes the state to a disk with room, delivers the journals there
// and looks for the calls.
func checkDelivered(t *testing.T, from string, answered []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(dir, "gateway.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	shipper := runlog.NewShipper(filepath.Join(dir, "gateway.db.journal"), s, runlog.ShipperOptions{})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	shipper.Run(ctx)
	if state := shipper.State(); state.Err != nil {
		t.Error(state.Err)
	}
	found, err := s.Find(t.Context(), runlog.Query{Limit: runlog.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]runlog.Status{}
	for i := range found.Ended {
		in[found.Ended[i].CallID] = found.Ended[i].Status
	}
	for _, id := range answered {
		if in[id] != runlog.StatusOK {
			t.Errorf("call %s was answered and is in the log as %q", id, in[id])
		}
	}
	t.Logf("%d answered, %d in the log", len(answered), len(in))
}

// readOnlyFolder starts where nothing may be written.
func readOnlyFolder(t *testing.T, bin string) {
	dir := t.TempDir()
	config := filepath.Join(dir, "tools.yaml")
	if err := os.WriteFile(config, []byte(diskConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--config", config)
	asNobody(t, cmd, dir)
	out, err := cmd.CombinedOutput()
	want := regexp.MustCompile(`(?m)^gateway: the call log cannot be opened: .*gateway\.db\.journal: permission denied`)
	if err == nil || !want.Match(out) {
		t.Errorf("%v: %s", err, out)
	}
}

// readOnlyStore serves with a store that may not be written: calls are answered
// and recorded, and it is told that they stay in the journal.
func readOnlyStore(t *testing.T, bin string) {
	dir := t.TempDir()
	config, journal := filepath.Join(dir, "tools.yaml"), filepath.Join(dir, "gateway.db.journal")
	for _, folder := range []string{journal, filepath.Join(dir, "gateway.db.results")} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o777); err != nil { // also for another user, whatever the umask
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(config, []byte(diskConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	var talk lockedBuffer
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--config", config)
	asNobody(t, cmd, dir)
	server := startCommand(t, &talk, cmd)
	waitFor(t, &talk, "records of calls stay in the journals until they can be delivered")
	waitFor(t, &talk, "its folder or file may not be written")
	if status, body := ask(t, http.MethodGet, server.url+"/readyz", ""); status != http.StatusOK || !strings.Contains(body, "is kept in the journal") {
		t.Errorf("readyz: %d %s", status, body)
	}
	resp, err := http.Post(server.url+"/v1/tools/echo/call", "application/json", strings.NewReader(`{"text": "hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !bytes.Contains(data, []byte("hello")) {
		t.Errorf("%d %s", resp.StatusCode, data)
	}
	_ = server.cmd.Process.Kill()
	_ = server.cmd.Wait()
	if entries, _, err := runlog.Read(journal, runlog.Query{}); err != nil || len(entries) != 1 {
		t.Errorf("%d calls are in the journal, %v", len(entries), err)
	}
}

// asNobody lets a program run as a user to whom modes mean something, and who may
// enter the folders of the test.
func asNobody(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	for _, inner := range []string{dir, filepath.Dir(cmd.Path)} {
		if err := os.Chmod(filepath.Dir(inner), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func waitFor(t *testing.T, talk *lockedBuffer, text string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(talk.String(), text) {
			return
		}
	}
	t.Errorf("it is not told that %q:\n%s", text, talk.String())
}
