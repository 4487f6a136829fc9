package gateway_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/metrics"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// BenchmarkCall compares the whole path of a call, with validation, policy and
// a journal on disk, with the runner alone. What is between them is the cost
// of the gate.
func BenchmarkCall(b *testing.B) {
	answer := func(context.Context, tool.Input) (tool.Output, error) { return tool.TextOutput("done"), nil }
	runners := map[string]runnerFunc{"pay": answer, "read": answer}
	args := `{"amount": 12.5, "note": "for tea"}`
	b.Run("runner", func(b *testing.B) {
		in := tool.Input{Args: map[string]any{"amount": json.Number("12.5")}}
		for b.Loop() {
			if _, err := answer(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
	journal, err := runlog.Open(b.TempDir(), runlog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = journal.Close() })
	for _, bb := range []struct {
		name, tool string
		log        gateway.Log
		watched    bool
	}{
		{"read-no-journal", "read", nowhere{}, false},
		{"read", "read", journal, false},
		{"read-watched", "read", journal, true},
		{"write", "pay", journal, false},
	} {
		b.Run(bb.name, func(b *testing.B) {
			g := house(b, bb.log, runners)
			if bb.watched {
				defer g.Watch(metrics.New(g, metrics.Options{}))()
			}
			b.ReportAllocs()
			for b.Loop() {
				if r := g.Call(b.Context(), call(bb.tool, args)); r.Error != nil {
					b.Fatal(r.Error)
				}
			}
		})
	}
}

// nowhere is a log that keeps nothing.
type nowhere struct{}

func (nowhere) Start(runlog.Record) error { return nil }
func (nowhere) End(runlog.Record) error   { return nil }
