// Command call measures what the gateway adds to a call of an HTTP tool: the
// whole path, with arguments validated, three policy rules judged and the call
// recorded in a journal on disk, beside the same HTTP client that asks the same
// upstream for the same answer. The two take turns, in one run, so that what else
// the machine does falls on both.
//
//	go run ./bench/call
//
// It prints the median time at one caller, and calls per second at 32 callers,
// each with their ratio; and what a call takes of the processor and of memory,
// which hangs less on what else the machine does. With -cpuprofile or -memprofile
// only the gateway is called, and -callers says by how many at once. With -ship
// its records are delivered to a store meanwhile, as by gateway serve.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

const (
	rounds   = 20                     // of each side, taking turns
	turn     = 250 * time.Millisecond // length of one
	callers  = 32                     // at once, for throughput
	upstream = "-upstream"            // the argument with which the program is the upstream
)

// answer is what the upstream says, about 1 KB.
var answer = []byte(`{"customer":{"id":"7","name":"Ada","notes":"` + strings.Repeat("x", 950) + `"}}`)

func main() {
	var p profiles
	flag.StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile of the gateway's side to this `file`")
	flag.StringVar(&p.memory, "memprofile", "", "write a profile of all allocations of the gateway's side to this `file`")
	flag.IntVar(&p.callers, "callers", callers, "how many call at once while a profile is made")
	ship := flag.Bool("ship", false, "deliver the records of calls to a store meanwhile")
	figures := flag.String("json", "", row.Usage)
	short := flag.Bool("short", false, "take two turns of each side, whose figures say that it runs and not much more")
	if len(os.Args) > 1 && os.Args[1] == upstream {
		log.Fatal(serve())
	}
	flag.Parse()
	turns := rounds
	if *short {
		turns = 2
	}
	if err := run(p, *ship, turns, *figures); err != nil {
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

func run(p profiles, ship bool, rounds int, figures string) (err error) {
	rows, err := row.Create(figures)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	p.prepare() // before anything is allocated
	address, stop, err := start()
	if err != nil {
		return err
	}
	defer stop()
	gated, closeHouse, err := house(address, ship)
	if err != nil {
		return err
	}
	defer closeHouse()
	if p.wanted() {
		return p.make(gated)
	}
	return report(bare(address), gated, rounds, rows)
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
