package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
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
	"github.com/toolgate/toolgate/gateway/tool"
)

// build compiles a command of this module as users get it, without the race
// detector, and returns its path.
func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// process is a started server and the address it told.
type process struct {
	cmd *exec.Cmd
	url string
}

// start runs a server until the test ends and waits for the line in which it
// tells its address.
func start(t *testing.T, bin string, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, args...)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = reader.Close()
	})
	address := regexp.MustCompile(`http://[0-9.]+:[0-9]+`)
	lines := bufio.NewScanner(reader)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, reader) }()
			return &process{cmd, url}
		}
	}
	t.Fatalf("%s told no address: %v", bin, lines.Err())
	return nil
}

const killConfig = `
version: 1
server: {listen: "127.0.0.1:0"}
tools:
  read: {description: Read., tags: [read_only], expr: '"ok"'}
  write: {description: Write., parameters: {type: object, properties: {n: {type: integer}}}, expr: args.n + 1}
  stuck: {description: Never end., command: {argv: [sleep, "60"]}}
policy: {default: allow}
`

// answers collects the identifiers of the calls that were answered.
type answers struct {
	mu  sync.Mutex
	ids []string
}

func (a *answers) add(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids = append(a.ids, id)
}

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ids)
}

// TestKill kills the server under 100 concurrent calls: every call that was
// answered is in the journal, and one that was running is found interrupted.
func TestKill(t *testing.T) {
	bin := build(t, "github.com/toolgate/toolgate/cmd/gateway")
	const rounds = 5
	for round := range rounds {
		t.Run(fmt.Sprintf("round %d", round), func(t *testing.T) { killOnce(t, bin) })
	}
}

func killOnce(t *testing.T, bin string) {
	config := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(config, []byte(killConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, bin, "serve", "--config", config)
	const clients = 100
	answered := &answers{}
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	var group sync.WaitGroup
	group.Go(func() { callOnce(client, server.url, "stuck", answered) })
	for i := range clients {
		group.Go(func() {
			name := []string{"read", "write"}[i%2]
			for callOnce(client, server.url, name, answered) {
				continue
			}
		})
	}
	for answered.count() < 4*clients {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
	if err := server.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	_ = server.cmd.Wait()
	checkJournal(t, config, answered.ids)
}

// callOnce makes a call and reports whether it was answered.
func callOnce(client *http.Client, url, name string, answered *answers) bool {
	resp, err := client.Post(url+"/v1/tools/"+name+"/call", "application/json", strings.NewReader(`{"n": 1}`))
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	var result struct {
		CallID string `json:"call_id"`
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(bytes.TrimSpace(body), &result) != nil || result.CallID == "" {
		return false
	}
	answered.add(result.CallID)
	return true
}

func checkJournal(t *testing.T, config string, answered []string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(config), "gateway.db.journal")
	entries, stats, err := runlog.Read(dir, runlog.Query{Limit: runlog.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]runlog.Status, len(entries))
	interrupted := 0
	for i := range entries {
		found[entries[i].CallID] = entries[i].Status
		if entries[i].Status == runlog.StatusInterrupted {
			interrupted++
			if entries[i].Code != tool.Interrupted {
				t.Errorf("an interrupted call has code %q", entries[i].Code)
			}
		}
	}
	for _, id := range answered {
		if found[id] != runlog.StatusOK {
			t.Errorf("answered call %s is in the journal as %q", id, found[id])
		}
	}
	if interrupted == 0 {
		t.Error("the call that was running is not found interrupted")
	}
	t.Logf("%d answered, %d recorded, %d interrupted, %d torn", len(answered), len(entries), interrupted, stats.Broken)
}
