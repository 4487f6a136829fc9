package assembly_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

// TestAddressesAtOnce asks all addresses at once, and says which are waited for: no
// document comes before all are asked for and all are said to be slow.
func TestAddressesAtOnce(t *testing.T) {
	t.Parallel()
	const n = 5
	var all sync.WaitGroup
	all.Add(2 * n)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Done()
		all.Wait()
		_, _ = fmt.Fprintf(w, `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "/v1"}],
			"paths": {"/x": {"get": {"operationId": "x", "responses": {"200": {"description": "ok"}}}}}}`)
	}))
	defer web.Close()
	text := "version: 1\nnetworks: {allow: [127.0.0.0/8]}\npolicy: {default: allow}\nsources:\n"
	for i := range n {
		text += fmt.Sprintf("  s%d: {openapi: {spec: %q}}\n", i, fmt.Sprintf("%s/%d.json", web.URL, i))
	}
	cfg, problems := config.Parse("tools.yaml", []byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var slow []string
	a := assembly.BuildWith(cfg, assembly.Options{Slow: func(name string) {
		mu.Lock()
		defer mu.Unlock()
		slow = append(slow, name)
		all.Done()
	}})
	defer func() { _ = a.Close() }()
	if n := len(ofFile(a)); n != 5 {
		t.Errorf("%d tools: %s", n, cfg.Problems())
	}
	slices.Sort(slow)
	if got := strings.Join(slow, " "); got != "s0 s1 s2 s3 s4" {
		t.Errorf("slow: %s", got)
	}
}
