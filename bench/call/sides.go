package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
	"github.com/toolgate/toolgate/gateway/tool"
)

// file is the configuration; %s is the upstream's address.
const file = `
version: 1
networks: {allow: [127.0.0.0/8]}
upstreams: {shop: {url: %q}}
tools:
  find_customer:
    description: Find a customer by id.
    tags: [read_only, network]
    parameters:
      type: object
      properties: {id: {type: string}, limit: {type: integer, minimum: 1, default: 20}}
      required: [id]
      additionalProperties: false
    http: {upstream: shop, path: "/customers/${args.id}", query: {limit: "${args.limit}"}}
policy:
  default: deny
  rules:
    - {name: no deletes, tags: [destructive], action: deny}
    - {name: not all at once, tags: [read_only], when: args.limit > 100, action: deny}
    - {name: reads, tags: [read_only], action: allow}
`

// customer is the answer as a program that calls the upstream itself reads it.
type customer struct {
	Customer struct{ ID, Name, Notes string }
}

// bare is the call without a gateway: the same client, request and reading of
// the answer, which is decoded, since the gateway checks its JSON too.
func bare(address string) func() error {
	client := httptool.NewClient([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	return func() error {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address+"/customers/7?limit=20", http.NoBody)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		var c customer
		return json.Unmarshal(body, &c)
	}
}

// house is the gateway with all it has, and with a store where ship says so.
func house(address string, ship bool) (call func() error, stop func(), err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	cfg, problems := config.Parse(filepath.Join(dir, "tools.yaml"), fmt.Appendf(nil, file, address))
	if err := problems.Err(); err != nil {
		return nil, nil, err
	}
	results, err := result.OpenFolder(filepath.Join(dir, "results"), result.Options{})
	if err != nil {
		return nil, nil, err
	}
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Results: results})
	if err := cfg.Problems().Err(); err != nil {
		return nil, nil, err
	}
	journal, err := runlog.Open(filepath.Join(dir, "journal"), runlog.Options{})
	if err != nil {
		return nil, nil, err
	}
	stop = func() { _, _, _ = a.Close(), journal.Close(), os.RemoveAll(dir) }
	if ship {
		stopShipping, err := deliver(dir)
		if err != nil {
			return nil, nil, err
		}
		closeAll := stop
		stop = func() { stopShipping(); closeAll() }
	}
	g := gateway.New(a.Generation, journal, gateway.Options{Results: results})
	args := json.RawMessage(`{"id": "7"}`)
	call = func() error {
		r := g.Call(context.Background(), tool.Call{Tool: "find_customer", Arguments: args, Caller: tool.Caller{ID: "bench", Name: "bench", Kind: tool.KindGo}})
		if r.Error != nil {
			return r.Error
		}
		return nil
	}
	return call, stop, nil
}

// deliver delivers records to a store until it is stopped.
func deliver(dir string) (stop func(), err error) {
	s, err := store.Open(context.Background(), filepath.Join(dir, "gateway.db"), store.Options{})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	shipper := runlog.NewShipper(filepath.Join(dir, "journal"), s, runlog.ShipperOptions{})
	var running sync.WaitGroup
	running.Go(func() { shipper.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
		state := shipper.State()
		fmt.Printf("%d records delivered, %v\n", state.Delivered, state.Err)
		_ = s.Close()
	}, nil
}
