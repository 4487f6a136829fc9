package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

const killConfig = `
version: 1
server: {listen: "127.0.0.1:0"}
tools:
  read: {description: Read., tags: [read_only], expr: '"ok"'}
  write: {description: Write., parameters: {type: object, properties: {n: {type: string}}}, expr: args.n}
  mark: {description: Leave a mark., parameters: {type: object, properties: {n: {type: string}}}, command: {argv: [touch, --, "marks/${args.n}"]}}
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

// TestKill kills the server under 200 concurrent calls, again and again over one
// store: every call that was answered is in the log, every mark that was left
// belongs to a call that is there as ended or interrupted, and delivering what the
// journals hold, as the next server does, changes nothing of that.
func TestKill(t *testing.T) {
	const rounds = 20
	k := &killing{t: t, bin: build(t, "github.com/toolgate/toolgate/cmd/gateway"), dir: t.TempDir()}
	k.config = filepath.Join(k.dir, "tools.yaml")
	if err := errors.Join(os.WriteFile(k.config, []byte(killConfig), 0o600), os.Mkdir(filepath.Join(k.dir, "marks"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		k.round(round)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d answered, %d in the log", rounds, k.answered.count(), k.logged)
}

// killing is a server that is killed and started again.
type killing struct {
	t                *testing.T
	bin, dir, config string
	answered         answers
	started          int // calls that had to be interrupted
	logged           int
}

func (k *killing) round(round int) {
	const clients = 200
	server := start(k.t, k.bin, "serve", "--config", k.config)
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	before := k.answered.count()
	var group sync.WaitGroup
	group.Go(func() { callOnce(client, server.url, "stuck", "", &k.answered) })
	k.started++
	for i := range clients - 1 {
		group.Go(func() {
			name := []string{"read", "write", "read", "write", "mark"}[i%5]
			for n := 0; callOnce(client, server.url, name, fmt.Sprintf("%d-%d-%d", round, i, n), &k.answered); n++ {
				continue
			}
		})
	}
	for k.answered.count() < before+2*clients {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
	if err := server.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		k.t.Fatal(err)
	}
	group.Wait()
	_ = server.cmd.Wait()
	k.check(round)
}

// check reads the log before the journals are delivered, after that, and after
// they were delivered a second time from their start.
func (k *killing) check(round int) {
	k.t.Helper()
	before := k.settled()
	k.missing(before)
	journals := k.copyJournals()
	k.deliver()
	after := k.log()
	if diff := cmp.Diff(before, after); diff != "" {
		k.t.Errorf("round %d: delivered, the log is another one:\n%s", round, diff)
	}
	for name, data := range journals {
		if err := os.WriteFile(filepath.Join(k.dir, "gateway.db.journal", "again-"+name), data, 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
	k.deliver()
	if diff := cmp.Diff(after, k.log()); diff != "" {
		k.t.Errorf("round %d: delivered again, the log is another one:\n%s", round, diff)
	}
	k.logged = len(after)
}

// missing holds the log against what was answered and what was done.
func (k *killing) missing(log map[string]string) {
	k.t.Helper()
	marks := map[string]bool{}
	interrupted := 0
	for _, line := range log {
		status, mark, _ := strings.Cut(line, " ")
		marks[mark] = true
		if status == string(runlog.StatusInterrupted) {
			interrupted++
		} else if status != string(runlog.StatusOK) && status != string(runlog.StatusError) {
			k.t.Errorf("a call of a server that was killed stands as %s", line)
		}
	}
	for _, id := range k.answered.ids {
		if !strings.HasPrefix(log[id], string(runlog.StatusOK)) {
			k.t.Errorf("answered call %s is in the log as %q", id, log[id])
		}
	}
	if interrupted < k.started {
		k.t.Errorf("%d calls are found interrupted, want at least %d", interrupted, k.started)
	}
	files, err := os.ReadDir(filepath.Join(k.dir, "marks"))
	if err != nil {
		k.t.Fatal(err)
	}
	for _, f := range files {
		if !marks[f.Name()] {
			k.t.Errorf("the call that left the mark %s is not in the log", f.Name())
		}
	}
}

// settled is the log once no process holds the journals. A program that the server
// was about to start when it was killed does so until its own start is over.
func (k *killing) settled() map[string]string {
	k.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		log := k.log()
		held := false
		for _, line := range log {
			held = held || strings.HasPrefix(line, string(runlog.StatusRunning))
		}
		if !held || time.Now().After(end) {
			return log
		}
	}
}

// log is how each call stands and which mark it leaves, by its identifier. A call
// that is found twice fails the test.
func (k *killing) log() map[string]string {
	k.t.Helper()
	s, err := store.Open(k.t.Context(), filepath.Join(k.dir, "gateway.db"), store.Options{ReadOnly: true})
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	entries, _, err := runlog.Find(k.t.Context(), filepath.Join(k.dir, "gateway.db.journal"), s, runlog.Query{Limit: runlog.MaxLimit})
	if err != nil {
		k.t.Fatal(err)
	}
	log := make(map[string]string, len(entries))
	for i := range entries {
		e := &entries[i]
		if log[e.CallID] != "" {
			k.t.Errorf("call %s is in the log twice", e.CallID)
		}
		var args struct{ N string }
		_ = json.Unmarshal(e.Arguments, &args) // some have none
		log[e.CallID] = string(e.Status) + " " + args.N
	}
	return log
}

// deliver does what the next server does with the journals, and checks the store.
func (k *killing) deliver() {
	k.t.Helper()
	s, err := store.Open(k.t.Context(), filepath.Join(k.dir, "gateway.db"), store.Options{})
	if err != nil {
		k.t.Fatal(err)
	}
	shipper := runlog.NewShipper(filepath.Join(k.dir, "gateway.db.journal"), s, runlog.ShipperOptions{})
	ctx, stop := context.WithCancel(k.t.Context())
	stop()
	shipper.Run(ctx)
	if err := errors.Join(shipper.State().Err, s.Check(k.t.Context()), s.Close()); err != nil {
		k.t.Fatal(err)
	}
	if left := k.copyJournals(); len(left) > 0 {
		k.t.Errorf("%d journals are left", len(left))
	}
}

func (k *killing) copyJournals() map[string][]byte {
	k.t.Helper()
	names, err := filepath.Glob(filepath.Join(k.dir, "gateway.db.journal", "*.jsonl"))
	if err != nil {
		k.t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			k.t.Fatal(err)
		}
		all[filepath.Base(name)] = data
	}
	return all
}

// callOnce makes a call and reports whether it was answered.
func callOnce(client *http.Client, url, name, n string, answered *answers) bool {
	resp, err := client.Post(url+"/v1/tools/"+name+"/call", "application/json", strings.NewReader(`{"n": "`+n+`"}`))
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
