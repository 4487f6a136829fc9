package batch_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/tool"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random batches; 0 for a new one")

// TestAgainstReference runs random batches, each as it is and cancelled after
// each thing that happens in it, and compares them with the reference.
func TestAgainstReference(t *testing.T) {
	const batches = 500
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	runs := 0
	for n := range batches {
		plans, o := random(rand.New(rand.NewPCG(seed, uint64(n))))
		for _, cancel := range cancels(plans, o) {
			runs++
			synctest.Test(t, func(t *testing.T) { tryBatch(t, plans, o, cancel) })
			if t.Failed() {
				t.Fatalf("batch %d, cancelled at %v, %+v, of %+v", n, cancel, o, plans)
			}
		}
	}
	t.Logf("%d batches, %d runs", batches, runs)
}

// cancels are the moments at which a batch is tried: never, before it begins,
// and shortly after each event.
func cancels(plans []plan, o batch.Options) []time.Duration {
	const shortly = 500 * time.Nanosecond
	all := []time.Duration{never, 0}
	for _, m := range moments(reference(plans, o, never)) {
		all = append(all, m+shortly)
	}
	return all
}

func tryBatch(t *testing.T, plans []plan, o batch.Options, cancel time.Duration) {
	h := newHouse(t, plans)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if cancel == 0 {
		end()
	} else if cancel < never {
		timer := time.AfterFunc(cancel, end)
		defer timer.Stop()
	}
	var told teller
	o.Finished = told.finished
	results, err := batch.Run(ctx, h, h.calls(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := reference(plans, o, cancel)
	h.checkAnswers(results, want, cancel)
	h.checkApart(o)
	if r, w := h.gate.Load(); r != 0 || w != 0 {
		t.Errorf("%d run and %d wait after the end", r, w)
	}
	told.check(t, results, want)
}

// checkAnswers compares what happened, and what was answered, with the
// reference.
func (h *house) checkAnswers(results []tool.Result, want []fate, cancel time.Duration) {
	if len(results) != len(want) {
		h.t.Fatalf("%d answers, want %d", len(results), len(want))
	}
	for i, r := range results {
		if r.Error != nil {
			h.fates[i].Code = r.Error.Code
		}
		if r.CallID != fmt.Sprintf("id_%d", i) || r.Output.Text() != fmt.Sprintf("batch %d", i) {
			h.t.Errorf("call %d has the answer %q of %s", i, r.Output.Text(), r.CallID)
		}
		if h.runs[i] != 1 {
			h.t.Errorf("call %d was called or refused %d times", i, h.runs[i])
		}
		if !want[i].Started && r.Error != nil {
			h.checkRefusal(i, r.Error.Message, cancel)
		}
	}
	if diff := cmp.Diff(want, h.fates); diff != "" {
		h.t.Errorf("-want +got:\n%s", diff)
	}
}

// checkRefusal holds that a call that was not started says why.
func (h *house) checkRefusal(i int, message string, cancel time.Duration) {
	why := "because an earlier call of the batch failed"
	if cancel <= time.Since(h.began) {
		why = "because its batch was given up"
	}
	if !strings.Contains(message, why) {
		h.t.Errorf("call %d was refused with %q", i, message)
	}
}

// teller notes what Finished is told.
type teller struct {
	order   []int // written without a lock: the race detector sees two at a time
	results []tool.Result
}

func (l *teller) finished(i int, r tool.Result) {
	l.order, l.results = append(l.order, i), append(l.results, r)
}

// check holds that each call was told of once, those that ran in the order they
// ended.
func (l *teller) check(t *testing.T, results []tool.Result, want []fate) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(l.order))
	if len(sorted) != len(want) || len(slices.Compact(sorted)) != len(want) {
		t.Fatalf("Finished was told of %v, want each of %d calls once", l.order, len(want))
	}
	var last time.Duration
	for n, i := range l.order {
		if l.results[n].CallID != results[i].CallID {
			t.Errorf("Finished was told of %s as call %d", l.results[n].CallID, i)
		}
		if want[i].Started && want[i].End < last {
			t.Errorf("Finished was told of %v, which is not the order they ended in", l.order)
		}
		if want[i].Started {
			last = want[i].End
		}
	}
}

// TestOverlap holds that safe calls really run at the same time, up to the
// bound and no further.
func TestOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, bound = 6, 4
		b := &barrier{here: make(chan string, calls), pass: make(chan struct{})}
		done := make(chan []tool.Result)
		go func() {
			results, err := batch.Run(t.Context(), b, make([]tool.Call, calls), batch.Options{Parallel: bound})
			if err != nil {
				t.Error(err)
			}
			done <- results
		}()
		synctest.Wait()
		for passed := range calls {
			if n := len(b.here); n != min(calls, passed+bound) {
				t.Errorf("%d were started after %d had ended", n, passed)
			}
			b.pass <- struct{}{}
			synctest.Wait()
		}
		if n := len(<-done); n != calls {
			t.Errorf("%d answers", n)
		}
	})
}

// barrier is a house in which each call waits to be let pass.
type barrier struct {
	here chan string
	pass chan struct{}
}

func (b *barrier) Safe(tool.Call) bool { return true }

func (b *barrier) Call(context.Context, tool.Call) tool.Result {
	b.here <- ""
	<-b.pass
	return tool.Result{}
}

func (b *barrier) Refuse(context.Context, tool.Call, *tool.Error) tool.Result { return tool.Result{} }

// TestVia holds that a call keeps its way and else came by batch, and that the
// caller's own list is left as it is.
func TestVia(t *testing.T) {
	h := newHouse(t, make([]plan, 2))
	calls := h.calls()
	calls[1].Via = "code"
	results, err := batch.Run(t.Context(), h, calls, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{results[0].Output.Text(), results[1].Output.Text(), string(calls[0].Via)}
	if diff := cmp.Diff([]string{"batch 0", "code 1", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedAsAWhole(t *testing.T) {
	cases := []struct {
		name  string
		calls int
		on    batch.StopOn
		text  string
	}{
		{"none", 0, batch.StopError, ""},
		{"most", batch.MaxCalls, batch.StopNever, ""},
		{"too many", batch.MaxCalls + 1, "", "Error: a batch has at most 128 calls, and this one has 129\nNone of them was run. Send fewer calls at a time."},
		{"unknown way", 1, "first", "Error: \"first\" is not a way to stop a batch\nNone of the calls was run. stop_on is one of never, fatal and error."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, make([]plan, c.calls))
			results, err := batch.Run(t.Context(), h, h.calls(), batch.Options{StopOn: c.on})
			text := ""
			if e, ok := errors.AsType[*tool.Error](err); ok {
				text = e.Text()
			}
			if text != c.text {
				t.Errorf("got %v, want %s", err, c.text)
			}
			ran := slices.Repeat([]int{1}, c.calls)
			if c.text != "" {
				ran = make([]int, c.calls)
			}
			if !slices.Equal(h.runs, ran) || (err == nil) != (len(results) == c.calls) {
				t.Errorf("%d answers, runs %v", len(results), h.runs)
			}
		})
	}
}
