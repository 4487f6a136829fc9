package assembly

import (
	"sync/atomic"
	"testing"
)

func TestEachCallsForEveryNumberOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		each(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("of %d: %d calls for %d", n, got, i)
			}
		}
	}
}

// TestEachPanicsWhereItWasCalled lets who called it recover.
func TestEachPanicsWhereItWasCalled(t *testing.T) {
	t.Parallel()
	defer func() {
		if got := recover(); got != "of 7" {
			t.Errorf("recovered %v", got)
		}
	}()
	each(100, func(i int) {
		if i == 7 {
			panic("of 7")
		}
	})
	t.Error("it returned")
}
