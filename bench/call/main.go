// Command call measures what the gateway adds to a call of an HTTP tool: the
// whole path, with arguments validated, three policy rules judged and the call
// recorded in a journal on disk, beside the same HTTP client that asks the same
// upstream for the same answer. The two take turns, in one run, so that what else
// the machine does falls on both.
//
//	go run ./bench/call
//
// It prints the median time at one caller, and calls per second at 32 callers,
// each with their ratio.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	rounds   = 20                     // of each side, taking turns
	turn     = 250 * time.Millisecond // length of one
	callers  = 32                     // at once, for throughput
	upstream = "-upstream"            // the argument with which the program is the upstream
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

// answer is what the upstream says, about 1 KB.
var answer = []byte(`{"customer":{"id":"7","name":"Ada","notes":"` + strings.Repeat("x", 950) + `"}}`)

func main() {
	profile := flag.String("cpuprofile", "", "write a CPU profile of the gateway's side to this `file`")
	if len(os.Args) > 1 && os.Args[1] == upstream {
		log.Fatal(serve())
	}
	flag.Parse()
	if err := run(*profile); err != nil {
		log.Fatal(err)
	}
}

// serve is the upstream, a process of its own.
func serve() error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	go func() { // it ends with the one who started it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	server := http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})}
	return server.Serve(listener)
}

func run(profile string) (err error) {
	address, stop, err := start()
	if err != nil {
		return err
	}
	defer stop()
	direct, err := bare(address)
	if err != nil {
		return err
	}
	gated, closeHouse, err := house(address)
	if err != nil {
		return err
	}
	defer closeHouse()
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		direct = gated // nothing else is in the profile
	}
	return report(direct, gated)
}

// start starts the upstream.
func start() (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, upstream)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	if _, err := fmt.Fscanln(out, &address); err != nil {
		return "", nil, err
	}
	return address, func() { _ = in.Close(); _ = cmd.Wait() }, nil
}

// customer is the answer as a program that calls the upstream itself reads it.
type customer struct {
	Customer struct{ ID, Name, Notes string }
}

// bare is the call without a gateway: the same client, request and reading of
// the answer, which is decoded, since the gateway checks its JSON too.
func bare(address string) (func() error, error) {
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
		var c customer
		return json.Unmarshal(body, &c)
	}, nil
}

// house is the gateway with all it has.
func house(address string) (call func() error, stop func(), err error) {
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
	g := gateway.New(a.Generation, journal, gateway.Options{Results: results})
	args := json.RawMessage(`{"id": "7"}`)
	call = func() error {
		r := g.Call(context.Background(), tool.Call{Tool: "find_customer", Arguments: args, Caller: tool.Caller{ID: "bench", Name: "bench", Kind: tool.KindGo}})
		if r.Error != nil {
			return r.Error
		}
		return nil
	}
	return call, func() { _, _, _ = a.Close(), journal.Close(), os.RemoveAll(dir) }, nil
}

// report measures both sides and prints what it found.
func report(direct, gated func() error) error {
	var times [2][]time.Duration // of each call with one caller
	var calls [2]int             // with all callers
	var spent [2]time.Duration
	sides := [2]func() error{direct, gated}
	for round := range rounds {
		for i := range sides {
			side := (i + round) % 2 // neither is always the first
			own, _, err := measure(sides[side], 1)
			if err != nil {
				return err
			}
			all, took, err := measure(sides[side], callers)
			if err != nil {
				return err
			}
			if round == 0 {
				continue // connections are opened, code is warm
			}
			times[side] = append(times[side], own...)
			calls[side] += len(all)
			spent[side] += took
		}
	}
	bare, ours := quantiles(times[0]), quantiles(times[1])
	fmt.Printf("%-34s %12s %12s %8s\n", "", "direct", "gateway", "ratio")
	fmt.Printf("%-34s %12v %12v %8.2f\n", "median time, 1 caller", bare[0], ours[0], float64(ours[0])/float64(bare[0]))
	fmt.Printf("%-34s %12v %12v %8.2f\n", "99th percentile, 1 caller", bare[1], ours[1], float64(ours[1])/float64(bare[1]))
	rate := func(i int) float64 { return float64(calls[i]) / spent[i].Seconds() }
	fmt.Printf("%-34s %12.0f %12.0f %8.2f\n", fmt.Sprintf("calls per second, %d callers", callers), rate(0), rate(1), rate(1)/rate(0))
	return nil
}

// measure calls for one turn, with so many callers at once, and gives how long
// each call took and how long it all took.
func measure(call func() error, callers int) (times []time.Duration, took time.Duration, err error) {
	var mu sync.Mutex // guards times and err
	var all sync.WaitGroup
	began := time.Now()
	for range callers {
		all.Go(func() {
			var own []time.Duration
			var failed error
			for time.Since(began) < turn && failed == nil {
				start := time.Now()
				failed = call()
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
			if failed != nil {
				err = failed
			}
		})
	}
	all.Wait()
	return times, time.Since(began), err
}

// quantiles are the median and the 99th percentile.
func quantiles(times []time.Duration) [2]time.Duration {
	slices.Sort(times)
	return [2]time.Duration{times[len(times)/2], times[len(times)*99/100]}
}
