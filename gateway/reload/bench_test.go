package reload_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// many is a configuration of n tools, in version v.
func many(n, v int) map[string]string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  tool_%d: {description: Tool %d in version %d., parameters: {type: object, properties: {a: {type: string, enum: [x, y]}, n: {type: integer, minimum: 0, maximum: %d}, list: {type: array, items: {type: string}}}, required: [n]}, expr: args.n}\n", i, i, v, i+10)
	}
	return tools(b.String())
}

// BenchmarkReload is one reload of 1,000 tools, all of which differ.
func BenchmarkReload(b *testing.B) {
	h := opened(b, many(1000, 0))
	for v := 1; b.Loop(); v++ {
		h.write(many(1000, v))
		if res := h.reload(); !strings.Contains(res, `"list_changed":true`) {
			b.Fatal(res)
		}
	}
}

// BenchmarkCallsWhileReloading reports how long calls take that come one every
// millisecond at each of four clients, while 1,000 tools are reloaded twice a
// second and while they are not.
func BenchmarkCallsWhileReloading(b *testing.B) {
	h := opened(b, many(1000, 0))
	for b.Loop() {
		quiet := h.latencies(4 * time.Second)
		ctx, stop := context.WithCancel(b.Context())
		var work sync.WaitGroup
		work.Go(func() {
			for v := 1; ctx.Err() == nil; v++ {
				h.write(many(1000, v))
				h.reload()
				time.Sleep(500 * time.Millisecond)
			}
		})
		busy := h.latencies(4 * time.Second)
		stop()
		work.Wait()
		for name, took := range map[string][]time.Duration{"quiet": quiet, "busy": busy} {
			for _, at := range []int{50, 99} {
				b.ReportMetric(float64(took[len(took)*at/100].Microseconds()), fmt.Sprintf("%s-p%d-µs", name, at))
			}
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), name+"-most-µs")
		}
	}
}

// latencies are how long calls took, sorted.
func (h *house) latencies(during time.Duration) []time.Duration {
	var (
		mu   sync.Mutex
		all  []time.Duration
		work sync.WaitGroup
	)
	end := time.Now().Add(during)
	for range 4 {
		work.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				began := time.Now()
				res := h.gateway.Call(h.t.Context(), tool.Call{Tool: fmt.Sprintf("tool_%d", n%1000), Arguments: []byte(`{"n": 3}`)})
				took := time.Since(began)
				if res.Error != nil {
					h.t.Error(res.Error)
				}
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				time.Sleep(time.Millisecond)
			}
		})
	}
	work.Wait()
	slices.Sort(all)
	return all
}

// BenchmarkRegister is one tool of the program that comes and goes beside 1,000 of a
// file with a hundred rules; alone, and as one of 50 that do so at the same time.
func BenchmarkRegister(b *testing.B) {
	files := many(1000, 0)
	var rules strings.Builder
	for i := range 100 {
		fmt.Fprintf(&rules, "  - {name: rule_%d, tools: [\"tool_%d*\"], when: args.n > %d, action: deny}\n", i, i, i)
	}
	files["tools.yaml"] = strings.Replace(files["tools.yaml"], "policy: {default: allow}\n", "policy:\n  default: allow\n  rules:\n"+rules.String(), 1)
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprintf("at-once=%d", n), func(b *testing.B) {
			h := opened(b, files)
			for b.Loop() {
				var work sync.WaitGroup
				for i := range n {
					work.Go(func() {
						undo, err := h.r.Register(b.Context(), brought(fmt.Sprintf("own_%d", i)))
						if err != nil {
							b.Error(err)
							return
						}
						undo()
					})
				}
				work.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n*2), "µs/change")
		})
	}
}
