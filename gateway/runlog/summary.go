package runlog

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Summary is what is known of the calls of one tool that have ended.
type Summary struct {
	Tool     string
	Count    int
	Errors   int               // calls that did not go well
	Codes    map[tool.Code]int // how many ended so; CodeOK for those that went well
	P50, P95 time.Duration     // of how long they took, within 1 %; zero when it is not known
}

// MarshalJSON writes the summary as one object; durations are in milliseconds.
func (s Summary) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Tool   string            `json:"tool"`
		Count  int               `json:"count"`
		Errors int               `json:"errors"`
		Codes  map[tool.Code]int `json:"codes"`
		P50    float64           `json:"p50_ms"`
		P95    float64           `json:"p95_ms"`
	}{s.Tool, s.Count, s.Errors, s.Codes, milliseconds(s.P50), milliseconds(s.P95)})
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxSummaries is how many tools a summary tells apart; names that no tool has
// come from models, and there is no end to them.
const maxSummaries = 1000

// OtherTools is what the calls of further tools are summarised under.
const OtherTools = "(other names)"

// Summarise counts the calls that [Find] would find without a limit, those that
// run apart, by tool: the ones called most come first.
func Summarise(ctx context.Context, dir string, archive Archive, q Query) ([]Summary, Stats, error) {
	q.Limit, q.Before = 0, Cursor{}
	m, err := newMatcher(q)
	if err != nil {
		return nil, Stats{}, err
	}
	t := tally{}
	v := view{open: map[string]started{}, ended: func(e *Entry) {
		if e.Status != StatusRunning && m.matches(e) {
			t.add(Ending{Tool: e.Tool, Code: cmp.Or(e.Code, CodeOK), Duration: e.Duration})
		}
	}}
	err = v.read(ctx, dir, func() (Snapshot, error) {
		if archive == nil {
			return Snapshot{}, nil
		}
		return archive.Tally(ctx, q, t.add)
	})
	return t.summaries(), v.stats, err
}

// tally counts calls by tool.
type tally map[string]*count

type count struct {
	codes map[tool.Code]int
	times histogram
}

func (t tally) add(e Ending) {
	c := t[e.Tool]
	if c == nil && len(t) >= maxSummaries {
		e.Tool = OtherTools
		c = t[e.Tool]
	}
	if c == nil {
		c = &count{codes: map[tool.Code]int{}, times: histogram{}}
		t[e.Tool] = c
	}
	c.codes[e.Code]++
	if e.Code != tool.Interrupted { // how long that took nobody knows
		c.times.add(e.Duration)
	}
}

func (t tally) summaries() []Summary {
	out := make([]Summary, 0, len(t))
	for name, c := range t {
		s := Summary{Tool: name, Codes: c.codes, P50: c.times.quantile(0.5), P95: c.times.quantile(0.95)}
		for _, n := range maps.All(c.codes) {
			s.Count += n
		}
		s.Errors = s.Count - c.codes[CodeOK]
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Summary) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Tool, b.Tool)) })
	return out
}

// histogram counts durations in buckets that are at most 1/64 of their values
// wide: the middle of a bucket is within 1 % of all that is in it.
type histogram map[int]int

const fine = 6 // bits of a value that tell its bucket, below the highest one

func (h histogram) add(d time.Duration) {
	h[bucketOf(max(0, d.Microseconds()))]++
}

// bucketOf numbers buckets by size: exact ones first, then 64 for each doubling.
func bucketOf(us int64) int {
	shift := max(0, bits.Len64(uint64(us))-fine-1)
	return shift<<fine + int(us>>shift)
}

func middleOf(bucket int) time.Duration {
	shift := max(0, bucket>>fine-1)
	low := int64(bucket-shift<<fine) << shift
	return time.Duration(low+(1<<shift)/2) * time.Microsecond
}

// quantile is the duration that a share of all are not longer than.
func (h histogram) quantile(share float64) time.Duration {
	total := 0
	for _, n := range h {
		total += n
	}
	rank := int(math.Ceil(share * float64(total)))
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank <= 0 {
			return middleOf(bucket)
		}
	}
	return 0
}
