package tooltest

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// after is how long the suite listens for steps of a run that is over.
const after = 250 * time.Millisecond

// listener keeps the steps it is told of.
type listener struct {
	t *testing.T

	busy sync.Mutex // held while it is told a step: nobody else may tell one

	mu    sync.Mutex // guards what follows
	steps []tool.Step
	over  bool
}

func (l *listener) step(s tool.Step) {
	if !l.busy.TryLock() {
		l.t.Error("two steps were reported at once")
		return
	}
	defer l.busy.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		l.t.Errorf("the step %+v was reported after the run", s)
	}
	l.steps = append(l.steps, s)
}

// end says that the run is over and gives its steps.
func (l *listener) end() []tool.Step {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	return l.steps
}

func steps(t *testing.T, r tool.Runner) {
	l := &listener{t: t}
	if _, err := r.Run(tool.WithProgress(t.Context(), l.step), Input("x")); err != nil {
		t.Error(err)
	}
	told := l.end()
	time.Sleep(after)
	if len(told) < 2 {
		t.Errorf("got the steps %+v, want at least two", told)
	}
	if !slices.IsSortedFunc(told, func(a, b tool.Step) int { return cmp.Compare(a.Done, b.Done) }) {
		t.Errorf("the steps %+v are not in order", told)
	}
	if _, err := r.Run(t.Context(), Input("x")); err != nil {
		t.Errorf("where nobody listens: %v", err)
	}
}
