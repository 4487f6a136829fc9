package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
)

// edition writes version n of a configuration. Every description names it, and
// so does the answer of say; the tools only_0 to only_2 take turns. It is laid
// out as a Kubernetes ConfigMap is.
func edition(t *testing.T, dir, upstream string, n int) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nserver: {listen: \"127.0.0.1:0\"}\nnetworks: {allow: [127.0.0.0/8]}\n"+
		"secrets: {key: {file: %s}}\n"+
		"upstreams: {far: {url: %q, auth: {bearer: \"${secret.key}\"}}}\n"+
		"policy: {default: deny, rules: [{name: all %d, tools: [\"*\"], action: allow}]}\ntools:\n", filepath.Join(dir, "key"), upstream, n)
	fmt.Fprintf(&b, "  say: {description: Say (%d)., parameters: {type: object, properties: {text: {type: string}}, required: [text]}, expr: '\"%d \" + args.text'}\n", n, n)
	fmt.Fprintf(&b, "  far: {description: Ask (%d)., tags: [read_only], http: {upstream: far, path: /%d}}\n", n, n)
	fmt.Fprintf(&b, "  only_%d: {description: Now and then (%d)., expr: \"1\"}\n", n%3, n)
	for i := range 20 {
		fmt.Fprintf(&b, "  more_%d: {description: More (%d)., parameters: {type: object, properties: {a: {type: string, enum: [x, y]}, n: {type: integer, minimum: %d}}}, expr: args.n}\n", i, n, i)
	}
	folder := filepath.Join(dir, fmt.Sprintf("..%d", n))
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "key.new"), fmt.Appendf(nil, "secret of edition %d", n), 0o600),
		os.Rename(filepath.Join(dir, "key.new"), filepath.Join(dir, "key")),
		os.Mkdir(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "tools.yaml"), []byte(b.String()), 0o600),
		os.Symlink(filepath.Base(folder), filepath.Join(dir, "..new")),
		os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")),
	)
	if err == nil && n == 0 {
		err = os.Symlink("..data/tools.yaml", filepath.Join(dir, "tools.yaml"))
	}
	if err == nil && n > 1 {
		err = os.RemoveAll(filepath.Join(dir, fmt.Sprintf("..%d", n-2)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// thinking is how long a client does nothing between two requests.
const thinking = 50 * time.Millisecond

// crowd are clients of both eras that list and call until they are told to stop.
type crowd struct {
	work                  sync.WaitGroup
	stop                  context.CancelFunc
	calls, lists, changes atomic.Int64
}

// gather starts the clients. Each goes on until the crowd is dissolved; what goes
// wrong is an error of the test.
func gather(t *testing.T, url string, clients int) *crowd {
	t.Helper()
	c := new(crowd)
	ctx, stop := context.WithCancel(t.Context())
	c.stop = stop
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	for i := range clients {
		era := []string{"2025-11-25", "2026-07-28"}[i%2]
		client := mcp.NewClient(&mcp.Implementation{Name: "crowd", Version: "0"}, &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changes.Add(1) },
		})
		session, err := client.Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: transport}},
			&mcp.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatal(err)
		}
		c.work.Go(func() {
			defer func() { _ = session.Close() }()
			for n := 0; ctx.Err() == nil; n++ {
				if err := c.round(t.Context(), session, n); err != nil {
					t.Errorf("client %d of %s, round %d: %v", i, era, n, err)
					return
				}
				time.Sleep(thinking)
			}
		})
	}
	t.Cleanup(transport.CloseIdleConnections)
	return c
}

func (c *crowd) dissolve() {
	c.stop()
	c.work.Wait()
}

func (c *crowd) round(ctx context.Context, session *mcp.ClientSession, n int) error {
	if n%4 == 0 {
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		c.lists.Add(1)
		return whole(list.Tools)
	}
	params := &mcp.CallToolParams{Name: "say", Arguments: map[string]any{"text": "hello"}}
	if n%4 == 1 {
		params = &mcp.CallToolParams{Name: "far"}
	}
	res, err := session.CallTool(ctx, params)
	if err != nil {
		return err
	}
	c.calls.Add(1)
	text, _ := json.Marshal(res.Content)
	if res.IsError || n%4 == 1 && !strings.Contains(string(text), "secret of") || n%4 != 1 && !strings.Contains(string(text), " hello") {
		return fmt.Errorf("%s answered %s", params.Name, text)
	}
	return nil
}

// whole says what is wrong with a list that is not wholly of one edition.
func whole(tools []*mcp.Tool) error {
	var edition string
	var names []string
	for _, t := range tools {
		_, rest, ok := strings.Cut(t.Description, "(")
		if !ok {
			continue // the gateway's own
		}
		of, _, _ := strings.Cut(rest, ")")
		if edition == "" {
			edition = of
		}
		if of != edition {
			return fmt.Errorf("torn: %s is of edition %s and others of %s", t.Name, of, edition)
		}
		names = append(names, t.Name)
	}
	n, err := strconv.Atoi(edition)
	if only := fmt.Sprintf("only_%d", n%3); err != nil || len(names) != 23 || !strings.Contains(strings.Join(names, " "), only) {
		return fmt.Errorf("of edition %q, and has %s", edition, names)
	}
	return nil
}

// upstream answers with whether the secret it was sent is that of an edition.
func upstream(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edition := strings.TrimPrefix(r.URL.Path, "/")
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer secret of edition ")
		was, err := strconv.Atoi(sent)
		is, _ := strconv.Atoi(edition)
		if err != nil || was < is { // the secret is written first, and may be read for the edition before
			http.Error(w, fmt.Sprintf("%s is not the secret of %s", sent, edition), http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("secret of " + edition))
	}))
	t.Cleanup(server.Close)
	return server
}

// TestReloadUnderLoad swaps generations in this process, of which the race
// detector and, at the end of all tests, goleak have something to say. Every fourth
// one comes by itself.
func TestReloadUnderLoad(t *testing.T) {
	const swaps, clients = 40, 50
	dir, far := t.TempDir(), upstream(t)
	edition(t, dir, far.URL, 0)
	h, err := open(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}, Set: []string{"store.url=sqlite:" + filepath.Join(t.TempDir(), "gateway.db")}}, discardLogger())
	if err != nil {
		t.Fatal(err)
	}
	s, log := host.NewServer(h, host.ServerOptions{}), newTalk(t.Output())
	wait := s.KeepLoaded(t.Context(), host.Reloads{Hide: log.hide})
	web := httptest.NewServer(s.Handler())
	defer func() {
		err := s.Close()
		web.Close()
		wait()
		if err := errors.Join(err, h.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	}()
	swap := func(from, to int) (left uint64) {
		c := gather(t, web.URL, clients)
		for n := from; n < to; n++ {
			edition(t, dir, far.URL, n)
			if n%4 != 0 {
				if _, err := s.Reloader.Reload(t.Context(), "test"); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, func() bool { return served(web.URL) == n })
		}
		c.dissolve()
		left = heap()
		t.Logf("%d swaps, %d calls, %d lists, %d times told of a change; then a heap of %d KiB", to-from, c.calls.Load(), c.lists.Load(), c.changes.Load(), left>>10)
		if c.calls.Load() == 0 || c.lists.Load() == 0 || c.changes.Load() == 0 {
			t.Error("the clients did nothing")
		}
		return left
	}
	if early, late := swap(1, swaps/4), swap(swaps/4, swaps); late > 2*early {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// eventually waits for something that takes a few seconds at most on its own.
func eventually(t *testing.T, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !happened(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen within 30 s")
		}
	}
}

// TestThousandSwaps does the same to the program itself, and holds its memory
// after all swaps to that after the first hundred.
func TestThousandSwaps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	const swaps, clients, most = 1000, 50, 1.2
	dir, far := t.TempDir(), upstream(t)
	edition(t, dir, far.URL, 0)
	server := start(t, build(t, "github.com/toolgate/toolgate/cmd/gateway"), "serve", "--config", filepath.Join(dir, "tools.yaml"),
		"--set", "store.url=sqlite:"+filepath.Join(t.TempDir(), "gateway.db"))
	c := gather(t, server.url, clients)
	var early int
	for n := 1; n <= swaps; n++ {
		edition(t, dir, far.URL, n)
		if err := server.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return served(server.url) == n })
		if n == 100 {
			early = resident(t, server.cmd.Process.Pid)
		}
	}
	late := resident(t, server.cmd.Process.Pid)
	c.dissolve()
	t.Logf("%d swaps, %d calls, %d lists, %d times told of a change, RSS %d KiB after 100 and %d KiB after all: %.2f",
		swaps, c.calls.Load(), c.lists.Load(), c.changes.Load(), early, late, float64(late)/float64(early))
	if float64(late) > most*float64(early) {
		t.Errorf("the memory grew from %d to %d KiB, to more than %v times", early, late, most)
	}
}

// served is the edition that answers calls.
func served(url string) int {
	resp, err := http.Post(url+"/v1/tools/say/call", "application/json", strings.NewReader(`{"text": ""}`))
	if err != nil {
		return -1
	}
	defer func() { _ = resp.Body.Close() }()
	var said struct {
		Content []struct{ Text string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil || len(said.Content) == 0 {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(said.Content[0].Text))
	if err != nil {
		return -1
	}
	return n
}

// resident is the memory of a process in KiB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("there is no /proc here")
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
