// Command discover measures searches of tools: the whole path, beside bleve's own
// search of the same query in an index of the same tools, with its scoring model and its
// analyzer for English. The two take turns in one run, so that what else the machine does
// falls on both.
//
//	go run ./bench/discover
//
// It prints for 500, 2,500 and 10,000 tools how long an index takes to build and how much
// memory it holds, and the median and the 99th percentile of queries, each by the quickest of
// its searches. The tools and the
// queries are made up, of as many words as real ones have; with TG_TESTDATA they are those
// of the folder discovery in it, repeated under other names where there are too few. -tools
// and -queries say how many there are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
	"github.com/toolgate/toolgate/discovery"
)

const (
	rounds = 4 // of all queries by both sides; the first is not counted
	limit  = 5 // tools that a search gives
)

// options are what the command line says.
type options struct {
	tools   []int
	queries int    // asked at each size
	json    string // file of the rows; empty for none
}

func main() {
	log.SetFlags(0)
	opts, err := parse()
	if err == nil {
		err = run(&opts, os.Getenv("TG_TESTDATA"))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse() (options, error) {
	o := options{}
	tools := flag.String("tools", "500,2500,10000", "how many tools there are, one number after the other")
	flag.IntVar(&o.queries, "queries", 500, "how many queries are asked at each size")
	flag.StringVar(&o.json, "json", "", row.Usage)
	flag.Parse()
	if o.queries < 1 {
		return o, fmt.Errorf("-queries: at least one query is asked, and this is %d", o.queries)
	}
	for text := range strings.SplitSeq(*tools, ",") {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
			return o, fmt.Errorf("-tools: %q is no number of tools", text)
		}
		o.tools = append(o.tools, n)
	}
	return o, nil
}

func run(opts *options, folder string) (err error) {
	all, asked, err := material(folder, opts.queries)
	if err != nil {
		return err
	}
	rows, err := row.Create(opts.json)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	fmt.Printf("%7s %-9s %10s %10s %10s %10s %12s\n", "tools", "", "build", "heap", "p50", "p99", "allocs/query")
	for _, n := range opts.tools {
		if err := compare(multiply(all, n), asked, rows); err != nil {
			return err
		}
	}
	return nil
}

// side is one way to search.
type side struct {
	name   string
	search func(query string) error
	built  time.Duration
	heap   uint64          // bytes
	took   []time.Duration // by query, the quickest
	count  uint64          // of searches that were counted
	allocs uint64
}

func compare(docs []discovery.Document, asked []string, rows *row.File) error {
	var sides [2]*side
	for i, open := range []func([]discovery.Document) (*side, func() error, error){ours, theirs} {
		before, start := heap(), time.Now()
		s, stop, err := open(docs)
		if err != nil {
			return err
		}
		defer func() { _ = stop() }() // in memory
		s.built = time.Since(start)
		s.heap = max(heap(), before) - before
		sides[i] = s
	}
	for round := range rounds {
		for i := range asked {
			for k := range sides {
				if err := sides[(k+i+round)%2].measure(asked, i, round > 0); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range sides {
		s.print(len(docs))
	}
	add(rows, len(docs), sides[0], sides[1])
	return nil
}

// add adds what was found to the rows.
func add(rows *row.File, tools int, own, other *side) {
	for _, f := range []struct {
		what, unit string
		of         func(*side) float64
	}{
		{"search", "µs p50", func(s *side) float64 { return micros(s.quantile(.5)) }},
		{"search", "µs p99", func(s *side) float64 { return micros(s.quantile(.99)) }},
		{"search", "allocations", func(s *side) float64 { return float64(s.allocs) / float64(s.count) }},
		{"build", "ms", func(s *side) float64 { return micros(s.built) / 1000 }},
		{"index", "MiB", func(s *side) float64 { return float64(s.heap) / (1 << 20) }},
	} {
		rows.Add(row.Row{
			Bench: "discover", What: fmt.Sprintf("%s, %d tools, %s", f.what, tools, f.unit),
			Ours: f.of(own), Reference: f.of(other), Unit: f.unit, Note: "bleve, BM25, its analyzer for English",
		})
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// measure asks one of the queries.
func (s *side) measure(asked []string, i int, count bool) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := s.search(asked[i])
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if s.took == nil {
		s.took = slices.Repeat([]time.Duration{time.Hour}, len(asked))
	}
	if count {
		s.took[i] = min(s.took[i], took)
		s.count++
		s.allocs += after.Mallocs - before.Mallocs
	}
	return err
}

func (s *side) print(tools int) {
	fmt.Printf("%7d %-9s %10v %7.1f MB %10v %10v %12d\n", tools, s.name, s.built.Round(time.Millisecond),
		float64(s.heap)/(1<<20), s.quantile(.5).Round(time.Microsecond), s.quantile(.99).Round(time.Microsecond), s.allocs/s.count)
}

// quantile is the time that such a share of the queries did not take longer than.
func (s *side) quantile(share float64) time.Duration {
	slices.Sort(s.took)
	return s.took[int(share*float64(len(s.took)-1))]
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func ours(docs []discovery.Document) (*side, func() error, error) {
	ctx := context.Background()
	x, err := discovery.Build(ctx, docs)
	if err != nil {
		return nil, nil, err
	}
	scope := x.Scope(func(int) bool { return true })
	return &side{name: "discovery", search: func(query string) error {
		_, err := scope.Search(ctx, discovery.Query{Text: query, Limit: limit})
		return err
	}}, x.Close, nil
}
