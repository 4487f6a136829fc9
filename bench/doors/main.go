// Command doors measures calls of an echo tool over the doors of a gateway: MCP
// with sessions (2025-11-25), MCP without (2026-07-28) and HTTP, with three
// policy rules judged, arguments validated and every call recorded on disk.
// Beside it stand a bare server of mark3labs/mcp-go and a bare one of the official
// go-sdk, which do none of that.
//
//	go -C bench/doors run .
//
// Every server is a process of its own. One generator of load, which speaks HTTP
// over plain connections and checks that each answer holds what was sent, asks
// all of them in turn, in one run, so that what else the machine does falls on
// all. What it prints first are ratios: to mcp-go in the same era, and to go-sdk.
// HTTP, which has no peer, is held against mcp-go with sessions, the fastest of
// the bare ones. Generator and servers share the machine, so that ratios come out
// closer to 1 than they are; the processor time of a call does not.
//
// With -proxy there is one hop more on every side: a gateway whose tool is a request to an
// API, and a proxy of mcp-go, whose tool is a call of another MCP server, that of mcp-go.
// What stands behind each is called by itself, too, so that what is added by the
// gateway and by the proxy can be told.
//
// With -memory nothing is held against the clock: what the servers hold of memory with
// so many tools, at rest and after calls.
//
// With -list the tools are listed instead, of which there are so many; then a file
// with the same list, served by net/http alone, stands beside the others, too.
//
// With -cpuprofile only the gateway is called, by the door that -only names.
// Linux is assumed for the processor time and the memory of servers, which are
// left out elsewhere.
//
// It is a module of its own, so that mcp-go is no dependency of the gateway.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// options are what the command line says.
type options struct {
	turn    time.Duration // one side is called at a time
	rounds  int
	clients []int
	list    int    // tools, which are listed; 0 to call one
	proxy   bool   // one hop more on every side
	memory  []int  // tools, with which memory is measured; nil to measure calls
	json    string // file of the figures; empty for none
	only    string // the sides whose name holds this
	gateway string // the program; empty to build it
	profile string // file of the CPU profile; empty for none
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 {
		if serve, ok := bare[os.Args[1]]; ok {
			log.Fatal(serve(os.Args[2]))
		}
	}
	opts, err := parse()
	if err == nil {
		err = run(&opts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse() (options, error) {
	o := options{}
	flag.DurationVar(&o.turn, "turn", 500*time.Millisecond, "how long one side is called before the next one is")
	flag.IntVar(&o.rounds, "rounds", 10, "how many turns each side has with each number of clients")
	clients := flag.String("clients", "1,8,64", "how many clients call at once, one number after the other")
	flag.IntVar(&o.list, "list", 0, "list this many tools instead of calling one")
	flag.BoolVar(&o.proxy, "proxy", false, "call through one hop more: a gateway before an API, and a proxy of mcp-go before an MCP server")
	memory := flag.String("memory", "", "measure memory with each of these `numbers` of tools, such as 10,1000,10000")
	flag.StringVar(&o.json, "json", "", row.Usage)
	flag.StringVar(&o.only, "only", "", "call only the sides whose name holds this `text`, such as modern")
	flag.StringVar(&o.gateway, "gateway", "", "the `program` to measure; by default the one of this checkout is built")
	flag.StringVar(&o.profile, "cpuprofile", "", "call only the gateway and write its CPU profile to this `file`")
	flag.Parse()
	var err error
	if o.clients, err = numbers("-clients", *clients); err != nil {
		return o, err
	}
	if *memory != "" {
		o.memory, err = numbers("-memory", *memory)
	}
	return o, err
}

// numbers reads those of a flag.
func numbers(flag, text string) (all []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		var n int
		if _, err := fmt.Sscan(part, &n); err != nil || n < 1 {
			return nil, fmt.Errorf("%s: %q is no number above 0", flag, part)
		}
		all = append(all, n)
	}
	return all, nil
}

// others is how many tools there are beside echo. The gateway lists one of its own.
func (o *options) others() int { return max(o.list-2, 0) }

func run(opts *options) (err error) {
	rows, err := row.Create(opts.json)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if opts.memory != nil {
		return memory(os.Stdout, rows, opts)
	}
	return calls(rows, opts)
}

func calls(rows *row.File, opts *options) (err error) {
	dir, err := os.MkdirTemp("", "doors")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	servers, err := start(dir, opts)
	defer func() { err = errors.Join(err, servers.stop()) }()
	if err != nil {
		return err
	}
	if opts.profile != "" {
		return profile(servers["gateway"], opts)
	}
	found, err := measure(sides(servers, opts), opts)
	if err != nil {
		return err
	}
	report(os.Stdout, found, opts)
	found.write(rows, opts)
	return nil
}
