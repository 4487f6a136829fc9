package assembly

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls f with all numbers from 0 to n-1, several at a time, and returns when
// all calls have. When one of them panics, so does each, in the goroutine of the
// caller, who may know what to do about it; other calls may be left out then.
func each(n int, f func(i int)) {
	var (
		next  atomic.Int64
		fault atomic.Pointer[any]
		work  sync.WaitGroup
	)
	one := func() {
		defer func() {
			if r := recover(); r != nil {
				fault.Store(&r)
			}
		}()
		for fault.Load() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(i)
		}
	}
	for range min(runtime.GOMAXPROCS(0), n) {
		work.Go(one)
	}
	work.Wait()
	if r := fault.Load(); r != nil {
		panic(*r)
	}
}
