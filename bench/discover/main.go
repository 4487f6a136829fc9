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
// of the folder discovery in it, repeated under other names where there are too few.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/toolgate/toolgate/discovery"
)

const (
	rounds  = 4   // of all queries by both sides; the first is not counted
	queries = 500 // asked at each size
	limit   = 5   // tools that a search gives
)

func main() {
	if err := run(os.Getenv("TG_TESTDATA")); err != nil {
		log.Fatal(err)
	}
}

func run(folder string) error {
	all, asked, err := material(folder)
	if err != nil {
		return err
	}
	fmt.Printf("%7s %-9s %10s %10s %10s %10s %12s\n", "tools", "", "build", "heap", "p50", "p99", "allocs/query")
	for _, n := range []int{500, 2500, 10000} {
		if err := compare(multiply(all, n), asked); err != nil {
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

func compare(docs []discovery.Document, asked []string) error {
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
	return nil
}

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
	slices.Sort(s.took)
	at := func(share float64) time.Duration { return s.took[int(share*float64(len(s.took)-1))] }
	fmt.Printf("%7d %-9s %10v %7.1f MB %10v %10v %12d\n", tools, s.name, s.built.Round(time.Millisecond),
		float64(s.heap)/(1<<20), at(.5).Round(time.Microsecond), at(.99).Round(time.Microsecond), s.allocs/s.count)
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
