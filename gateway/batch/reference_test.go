package batch_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/tool"
)

// plan is one call of a random batch and the tool it calls.
type plan struct {
	safe   bool
	key    string        // exclusive
	takes  time.Duration // to run
	lasts  time.Duration // from when it is cancelled until it has ended
	fails  bool
	fatal  bool
	before time.Duration // from when it is called until it asks for its key
}

// ends reports whether the call's failure ends a batch.
func (p *plan) ends(on batch.StopOn) bool {
	return p.fails && (on == batch.StopError || on == batch.StopFatal && p.fatal)
}

// random makes a batch. Times are odd enough for no two things to happen at the
// same moment, except that calls start when others end.
func random(rng *rand.Rand) ([]plan, batch.Options) {
	plans := make([]plan, 1+rng.IntN(12))
	mostlySafe := rng.IntN(3) > 0
	for i := range plans {
		plans[i] = plan{
			safe:   rng.IntN(3) == 0 != mostlySafe,
			key:    []string{"", "", "", "disk", "tape"}[rng.IntN(5)],
			takes:  time.Millisecond + time.Duration(rng.Int64N(int64(time.Minute))),
			lasts:  time.Duration(rng.Int64N(int64(time.Minute))),
			fails:  rng.IntN(4) == 0,
			fatal:  rng.IntN(2) == 0,
			before: time.Duration(i + 1),
		}
	}
	return plans, batch.Options{
		Parallel: []int{0, 1, 2, 3, 5}[rng.IntN(5)],
		StopOn:   []batch.StopOn{"", batch.StopNever, batch.StopFatal, batch.StopError}[rng.IntN(4)],
	}
}

// fate is what becomes of a call: when it starts and ends, counted from the
// start of the batch, and the code of its failure.
type fate struct {
	Started bool
	Start   time.Duration
	End     time.Duration
	Code    tool.Code // empty for an answer
}

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// reference says, by going through the calls once in their order, what becomes
// of each when the batch is cancelled at the given time.
func reference(plans []plan, o batch.Options, cancel time.Duration) []fate {
	slots := o.Parallel
	if slots == 0 {
		slots = batch.DefaultParallel
	}
	fates, keys, stop := make([]fate, len(plans)), map[string]time.Duration{}, cancel
	lanes := make([]time.Duration, slots) // when each of those that run side by side is free
	for i := range plans {
		p := &plans[i]
		if i > 0 && (!p.safe || !plans[i-1].safe) { // a new stage starts when all have ended
			last := slices.Max(lanes)
			for l := range lanes {
				lanes[l] = last
			}
		}
		lane := slices.Index(lanes, slices.Min(lanes))
		start := lanes[lane]
		if start >= stop {
			fates[i].Code = tool.Cancelled
			continue
		}
		fates[i] = p.run(start, cancel, keys)
		lanes[lane] = fates[i].End
		if fates[i].Code != tool.Cancelled && p.ends(o.StopOn) {
			stop = min(stop, fates[i].End)
		}
	}
	return fates
}

// run is what becomes of a call that starts.
func (p *plan) run(start, cancel time.Duration, keys map[string]time.Duration) fate {
	f := fate{Started: true, Start: start}
	begin := start + p.before
	if p.key != "" {
		begin = max(begin, keys[p.key])
	}
	switch f.End = begin + p.takes; {
	case cancel <= begin: // it never got its key
		f.End, f.Code = max(cancel, start+p.before), tool.Cancelled
	case cancel < f.End:
		f.End, f.Code = cancel+p.lasts, tool.Cancelled
	case p.fails:
		f.Code = tool.UpstreamError
	}
	if p.key != "" {
		keys[p.key] = f.End
	}
	return f
}

// moments are the times at which something happens to a batch.
func moments(fates []fate) []time.Duration {
	var all []time.Duration
	for _, f := range fates {
		if f.Started {
			all = append(all, f.Start, f.End)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
