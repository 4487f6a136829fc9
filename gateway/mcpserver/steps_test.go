package mcpserver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestSteps(t *testing.T) {
	const soon = stepInterval / 10
	tests := []struct {
		name  string
		steps []tool.Step
		pause time.Duration // before each
		want  []tool.Step
	}{
		{"none", nil, 0, nil},
		{"one", []tool.Step{{Done: 0, Total: 2}}, 0, []tool.Step{{Done: 0, Total: 2}}},
		{"slow ones", []tool.Step{{Done: 1}, {Done: 2, Message: "m"}, {Done: 2.5}}, 2 * stepInterval, []tool.Step{{Done: 1}, {Done: 2, Message: "m"}, {Done: 2.5}}},
		{"fast ones", []tool.Step{{Done: 1}, {Done: 2}, {Done: 3}, {Done: 4}}, soon, []tool.Step{{Done: 1}, {Done: 4}}},
		{"back, of a total", []tool.Step{{Done: 2, Total: 9}, {Done: 1, Total: 9}, {Done: 2, Total: 9}}, stepInterval, []tool.Step{{Done: 2, Total: 9}}},
		{"messages only", []tool.Step{{Message: "a"}, {Message: "b"}, {Message: "c"}}, 2 * stepInterval, []tool.Step{{Message: "a"}, {Done: 1, Message: "b"}, {Done: 2, Message: "c"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []tool.Step
				s := &steps{send: func(step tool.Step) { got = append(got, step) }}
				for _, step := range tt.steps {
					time.Sleep(tt.pause)
					s.take(step)
					synctest.Wait()
				}
				s.end()
				s.take(tool.Step{Done: 99})
				time.Sleep(time.Second)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestStepsAreSpaced holds that a tool that says much is passed on seldom, and
// that a client that reads slowly does not hold it up.
func TestStepsAreSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		s := &steps{send: func(tool.Step) {
			at = append(at, time.Now())
			time.Sleep(stepInterval)
		}}
		began := time.Now()
		for i := range 1000 {
			s.take(tool.Step{Done: float64(i)})
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("the tool took %v, want 1s", took)
		}
		s.end()
		for i := 1; i < len(at)-1; i++ {
			if gap := at[i].Sub(at[i-1]); gap < stepInterval {
				t.Errorf("step %d came after %v", i, gap)
			}
		}
		if len(at) < 5 || len(at) > 21 {
			t.Errorf("%d steps of 1000 were sent", len(at))
		}
	})
}
