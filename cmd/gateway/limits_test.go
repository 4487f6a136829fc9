package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
)

// Of limitConfig: 20 callers share one limit of the tool shared, and each has one
// of its own of the tool own.
const (
	limitCallers = 20
	limitShared  = 9
	limitOwn     = 2
	limitPer     = 600 * time.Millisecond
	limitConfig  = `
version: 1
server: {listen: "127.0.0.1:0", callers: {%s}}
secrets: {%s}
tools:
  shared: {description: Shared., tags: [read_only], expr: '"ok"'}
  own: {description: Own., tags: [read_only], expr: '"ok"'}
policy:
  rules:
    - {name: shared, tools: [shared], action: allow, rate_limit: {calls: %d, per: %v, by: tool}}
    - {name: own, tools: [own], action: allow, rate_limit: {calls: %d, per: %v, by: caller}}
`
)

// through is a call that was let through, at a time between the two.
type through struct{ sent, received time.Time }

// rush is many callers who call as often as they can, at two servers.
type rush struct {
	t      *testing.T
	client *http.Client
	urls   [2]atomic.Pointer[string]
	over   chan struct{} // closed when they are to stop

	mu      sync.Mutex // guards what follows
	through map[string][]through
	refused int
	odd     []string // answers that nobody should get
}

func limitToken(i int) string { return fmt.Sprintf("token-of-caller-number-%02d", i) }

func limitFile(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	var callers, secrets []string
	for i := range limitCallers {
		callers = append(callers, fmt.Sprintf(`c%d: {token: "${secret.s%d}"}`, i, i))
		secrets = append(secrets, fmt.Sprintf(`s%d: {file: s%d}`, i, i))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("s", i)), []byte(limitToken(i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(dir, "tools.yaml")
	text := fmt.Sprintf(limitConfig, strings.Join(callers, ", "), strings.Join(secrets, ", "), limitShared, limitPer, limitOwn, limitPer)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLimits has 20 callers call at once, at two servers on one store, one of which
// is killed and started again in the middle: of no time as long as the limit says
// more calls are let through than it allows.
func TestLimits(t *testing.T) {
	t.Parallel()
	path, bin := limitFile(t), build(t, "github.com/toolgate/toolgate/cmd/gateway")
	transport := &http.Transport{MaxIdleConnsPerHost: limitCallers}
	defer transport.CloseIdleConnections()
	r := &rush{t: t, client: &http.Client{Transport: transport, Timeout: time.Minute}, over: make(chan struct{}), through: map[string][]through{}}
	killed := start(t, bin, "serve", "--config", path)
	r.urls[0].Store(&killed.url)
	r.urls[1].Store(&start(t, bin, "serve", "--config", path).url)
	var all sync.WaitGroup
	for i := range limitCallers {
		all.Go(func() { r.run(i) })
	}
	r.await(3 * limitShared)
	_ = killed.cmd.Process.Signal(syscall.SIGKILL)
	_ = killed.cmd.Wait()
	r.urls[0].Store(&start(t, bin, "serve", "--config", path).url)
	r.await(r.count("shared") + 3*limitShared)
	close(r.over)
	all.Wait()
	r.check(filepath.Join(filepath.Dir(path), "gateway.db"))
}

// run calls as one caller, at both servers in turn.
func (r *rush) run(caller int) {
	for n := 0; ; n++ {
		select {
		case <-r.over:
			return
		default:
		}
		name := []string{"shared", "own"}[n/2%2]
		if !r.call(caller, *r.urls[n%2].Load(), name) {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// call reports whether a call was let through. Of one that a killed server did not
// answer nobody can tell.
func (r *rush) call(caller int, url, name string) bool {
	req, err := http.NewRequest(http.MethodPost, url+"/v1/tools/"+name+"/call", strings.NewReader("{}"))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+limitToken(caller))
	c := through{sent: time.Now()}
	resp, err := r.client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return false
	}
	c.received = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "own" {
		name = fmt.Sprint("own of ", caller)
	}
	switch after := resp.Header.Get("Retry-After"); {
	case resp.StatusCode == http.StatusOK:
		r.through[name] = append(r.through[name], c)
	case resp.StatusCode == http.StatusTooManyRequests && after == "1" && strings.Contains(string(body), `"retry_after":1}`):
		r.refused++
	case strings.Contains(string(body), `"retryable":true`): // a machine that is slow may let nothing through
	default:
		r.odd = append(r.odd, fmt.Sprintf("%d, Retry-After %q: %s", resp.StatusCode, after, body))
	}
	return resp.StatusCode == http.StatusOK
}

func (r *rush) count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.through[name])
}

// await waits until so many calls of the shared tool were let through.
func (r *rush) await(n int) {
	for r.count("shared") < n {
		time.Sleep(time.Millisecond)
	}
}

// check looks for a window with too many calls, and holds what the callers were told
// against what the store has counted since the first start.
func (r *rush) check(store string) {
	for _, text := range r.odd {
		r.t.Error(text)
	}
	total := 0
	for name, calls := range r.through {
		total += len(calls)
		most := limitOwn
		if name == "shared" {
			most = limitShared
		}
		for _, last := range calls {
			if n := surely(calls, last); n > most {
				r.t.Errorf("%s: %d calls within %v, and %d are allowed", name, n, limitPer, most)
			}
		}
	}
	if len(r.through) < 2 || r.refused == 0 {
		r.t.Errorf("%d limits let calls through, and %d calls were refused", len(r.through), r.refused)
	}
	db, err := driver.Open("file:" + store)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var counted int
	if err := db.QueryRowContext(r.t.Context(), `SELECT SUM(newest) FROM limit_keys`).Scan(&counted); err != nil {
		r.t.Fatal(err)
	}
	if lost := counted - total; lost < 0 || lost > limitCallers {
		r.t.Errorf("%d calls were let through and %d were counted", total, counted)
	}
	r.t.Logf("%d calls let through, %d refused", total, r.refused)
}

// surely is how many calls were let through within the time that ends with one of
// them, whenever exactly each was.
func surely(calls []through, last through) (n int) {
	for _, c := range calls {
		if !c.received.After(last.received) && last.received.Sub(c.sent) < limitPer {
			n++
		}
	}
	return n
}
