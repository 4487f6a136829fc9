package batch_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/tool"
)

// house runs planned calls, named by their place in the batch, and notes what
// happened to each.
type house struct {
	t     *testing.T
	plans []plan
	gate  *admission.Gate
	began time.Time

	mu      sync.Mutex // guards all below
	fates   []fate
	runs    []int          // how often each was called or refused
	holders map[string]int // of each key
}

func newHouse(t *testing.T, plans []plan) *house {
	return &house{
		t: t, plans: plans, gate: admission.New(admission.Options{Longest: time.Hour}), began: time.Now(),
		fates: make([]fate, len(plans)), runs: make([]int, len(plans)), holders: map[string]int{},
	}
}

// calls are the calls of the house's plans.
func (h *house) calls() []tool.Call {
	calls := make([]tool.Call, len(h.plans))
	for i := range calls {
		name := strconv.Itoa(i)
		calls[i] = tool.Call{ID: "id_" + name, Tool: name, Arguments: json.RawMessage(name)}
	}
	return calls
}

func (h *house) Safe(call tool.Call) bool { return h.plans[h.place(call.Tool)].safe }

func (h *house) place(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil {
		h.t.Error(err)
	}
	return i
}

func (h *house) Call(ctx context.Context, call tool.Call) tool.Result {
	i := h.place(call.Tool)
	h.note(i, func(f *fate) { f.Started, f.Start = true, time.Since(h.began); h.runs[i]++ })
	err := h.run(ctx, &h.plans[i])
	h.note(i, func(f *fate) { f.End = time.Since(h.began) })
	return h.result(call, err)
}

func (h *house) Refuse(_ context.Context, call tool.Call, err *tool.Error) tool.Result {
	h.note(h.place(call.Tool), func(*fate) { h.runs[h.place(call.Tool)]++ })
	return h.result(call, err)
}

func (h *house) note(i int, what func(*fate)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	what(&h.fates[i])
}

func (h *house) run(ctx context.Context, p *plan) *tool.Error {
	time.Sleep(p.before)
	ctx, leave, err := h.gate.Enter(ctx, p.key, false)
	defer leave()
	if err != nil {
		return tool.AsError(err)
	}
	defer h.hold(p.key)()
	select {
	case <-time.After(p.takes):
	case <-ctx.Done():
		time.Sleep(p.lasts)
		return tool.Ended(ctx)
	}
	if p.fails {
		err := tool.Errorf(tool.UpstreamError, "it failed")
		err.Fatal = p.fatal
		return err
	}
	return nil
}

// hold checks that a key has one holder.
func (h *house) hold(key string) (done func()) {
	if key == "" {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holders[key]++; h.holders[key] > 1 {
		h.t.Errorf("%d calls hold the key %s", h.holders[key], key)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.holders[key]--
	}
}

// result is an answer that tells which call it belongs to.
func (h *house) result(call tool.Call, err *tool.Error) tool.Result {
	r := tool.Result{CallID: call.ID, Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(string(call.Via) + " " + string(call.Arguments))}
	if err != nil {
		r.Status, r.Error = tool.StatusError, err
	}
	return r
}

// checkApart holds what is true of every batch, however it was planned: one
// that is not safe overlaps nothing, and no more than the bound run at a time.
func (h *house) checkApart(o batch.Options) {
	most := cmp.Or(o.Parallel, batch.DefaultParallel)
	for i := range h.fates {
		f, beside := &h.fates[i], 0
		if !f.Started {
			continue
		}
		for j := range h.fates {
			g := &h.fates[j]
			if i == j || !g.Started || g.Start >= f.End || f.Start >= g.End {
				continue
			}
			if !h.plans[i].safe || slices.ContainsFunc(h.plans[min(i, j):max(i, j)], func(p plan) bool { return !p.safe }) {
				h.t.Errorf("calls %d and %d overlap", i, j)
			}
			if g.Start <= f.Start && g.End > f.Start {
				beside++
			}
		}
		if beside >= most {
			h.t.Errorf("call %d ran beside %d others, and %d may run", i, beside, most)
		}
	}
}
