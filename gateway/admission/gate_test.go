package admission_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestPlaces(t *testing.T) {
	bubble(t, admission.Options{Running: 2}, func(_ *testing.T, d *desk) {
		a := d.enter(d.t.Context(), "a", "", false)
		b := d.enter(d.t.Context(), "b", "", false)
		c := d.enter(d.t.Context(), "c", "", false)
		e := d.enter(d.t.Context(), "e", "", false)
		d.want("a", "b")
		d.wantLoad(2, 2)
		b.leave()
		b.leave() // counts once
		d.want("a", "b", "c")
		a.leave()
		d.want("a", "b", "c", "e")
		c.leave()
		e.leave()
	})
}

func TestKeys(t *testing.T) {
	bubble(t, admission.Options{Running: 2}, func(_ *testing.T, d *desk) {
		a := d.enter(d.t.Context(), "a", "disk", false)
		b := d.enter(d.t.Context(), "b", "disk", false)
		c := d.enter(d.t.Context(), "c", "disk", false)
		other := d.enter(d.t.Context(), "other", "tape", false)
		d.want("a", "other") // those that wait for the disk hold no place
		last := d.enter(d.t.Context(), "last", "", false)
		a.leave()
		d.want("a", "other", "b")
		b.leave()
		d.want("a", "other", "b", "c")
		other.leave()
		d.want("a", "other", "b", "c", "last")
		c.leave()
		last.leave()
	})
}

// TestNested holds that nested calls need no place, wait for keys, and are
// never kept waiting by a call that waits for their parent's place.
func TestNested(t *testing.T) {
	bubble(t, admission.Options{Running: 1}, func(_ *testing.T, d *desk) {
		parent := d.enter(d.t.Context(), "parent", "", false)
		free := d.enter(parent.within, "free", "", true)
		d.want("parent", "free")
		waits := d.enter(d.t.Context(), "waits", "disk", false)
		first := d.enter(parent.within, "first", "disk", true)
		d.want("parent", "free", "first")
		second := d.enter(parent.within, "second", "disk", true)
		d.wantLoad(1, 2)
		first.leave()
		d.want("parent", "free", "first", "second")
		parent.leave()
		d.want("parent", "free", "first", "second")
		second.leave()
		free.leave()
		d.want("parent", "free", "first", "second", "waits")
		waits.leave()
	})
}

// TestWithinItself holds that a call does not wait for a key that is given
// back only when it ends.
func TestWithinItself(t *testing.T) {
	bubble(t, admission.Options{}, func(t *testing.T, d *desk) {
		outer := d.enter(t.Context(), "outer", "disk", false)
		middle := d.enter(outer.within, "middle", "tape", true)
		inner := d.enter(middle.within, "inner", "disk", true)
		want := "Error: this call may not run beside the call that it was made from, which has to finish first\n" +
			"Call the tool by itself, not from inside another call."
		wantError(t, inner.err, tool.Denied, want)
		inner.leave()
		inner.leave()
		other := d.enter(t.Context(), "other", "disk", false)
		d.wantLoad(1, 1)
		outer.leave()
		d.want("outer", "middle", "other")
		other.leave()
		again := d.enter(middle.within, "again", "disk", true)
		d.want("outer", "middle", "other", "again") // outer has given the key back
		again.leave()
		middle.leave()
	})
}

// TestOtherGate holds that a key of one gate says nothing about another one.
func TestOtherGate(t *testing.T) {
	a, b := admission.New(admission.Options{}), admission.New(admission.Options{})
	ctx, leave, err := a.Enter(t.Context(), "disk", false)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	_, leaveB, err := b.Enter(ctx, "disk", true)
	if err != nil {
		t.Fatal(err)
	}
	leaveB()
}

func TestFull(t *testing.T) {
	bubble(t, admission.Options{Running: 1, Waiting: 3, WaitingPerKey: 2}, func(t *testing.T, d *desk) {
		a := d.enter(t.Context(), "a", "disk", false)
		b := d.enter(t.Context(), "b", "disk", false)
		c := d.enter(t.Context(), "c", "disk", false)
		wantOverloaded(t, d.enter(t.Context(), "d", "disk", false).err, 5*time.Second,
			"Error: the tool is busy: 2 calls that may only run one at a time are waiting already, so this one was not run\n")
		e := d.enter(t.Context(), "e", "", false)
		wantOverloaded(t, d.enter(t.Context(), "f", "", false).err, 5*time.Second,
			"Error: the gateway is busy: 3 calls are waiting already, so this one was not run\n")
		for _, v := range []*visit{a, b, c, e} {
			synctest.Wait()
			v.leave()
		}
		d.want("a", "b", "c", "e")
	})
}

func TestLongest(t *testing.T) {
	bubble(t, admission.Options{Running: 1}, func(t *testing.T, d *desk) {
		a := d.enter(t.Context(), "a", "disk", false)
		b := d.enter(t.Context(), "b", "disk", false)
		time.Sleep(admission.DefaultLongest - 1)
		d.wantLoad(1, 1)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		wantOverloaded(t, b.err, admission.DefaultLongest, "Error: the call waited 30s for its turn and was not run\n")
		a.leave()
		d.want("a")
	})
}

// TestParentsCrossed is the one knot that nothing unties but time: each parent
// holds the key that a call inside the other one waits for.
func TestParentsCrossed(t *testing.T) {
	bubble(t, admission.Options{}, func(t *testing.T, d *desk) {
		a := d.enter(t.Context(), "a", "disk", false)
		b := d.enter(t.Context(), "b", "tape", false)
		x := d.enter(a.within, "x", "tape", true)
		time.Sleep(time.Second)
		y := d.enter(b.within, "y", "disk", true)
		time.Sleep(admission.DefaultLongest)
		synctest.Wait()
		wantOverloaded(t, x.err, admission.DefaultLongest, "Error: the call waited 30s for its turn and was not run\n")
		wantOverloaded(t, y.err, admission.DefaultLongest, "Error: the call waited 30s for its turn and was not run\n")
		a.leave()
		b.leave()
	})
}

func TestContextOver(t *testing.T) {
	stopping := tool.Errorf(tool.Interrupted, "the gateway is stopping").WithHint("Start again.")
	cases := []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		code tool.Code
		text string
	}{
		{"cancelled", context.WithCancel, tool.Cancelled, "Error: the call was given up before the tool had finished\nThe tool was not started."},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, tool.Timeout, "Error: the call's time was over before its turn came\nThe tool was not started."},
		{"a cause of its own", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(stopping) }
		}, tool.Interrupted, "Error: the gateway is stopping\nStart again."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, admission.Options{Running: 1}, func(t *testing.T, d *desk) {
				a := d.enter(t.Context(), "a", "", false)
				ctx, end := c.end(t.Context())
				b := d.enter(ctx, "b", "disk", false)
				time.Sleep(2 * time.Second)
				end()
				<-b.over
				wantError(t, b.err, c.code, c.text)
				before := d.enter(ctx, "too late to ask", "tape", false)
				wantError(t, before.err, c.code, c.text)
				a.leave()
				d.want("a")
			})
		})
	}
}

// TestAnyGiveUp lets each subset of those in line give up: the others start
// all the same, in the order they came.
func TestAnyGiveUp(t *testing.T) {
	keys := []string{"", "disk", "", "disk", "tape", "disk"}
	for gone := range 1 << len(keys) {
		bubble(t, admission.Options{Running: 1}, func(t *testing.T, d *desk) {
			holder := d.enter(t.Context(), "holder", "disk", false)
			want, line := []string{"holder"}, []*visit{}
			for i, key := range keys {
				line = append(line, d.enter(t.Context(), fmt.Sprint(i), key, false))
			}
			for i, v := range line {
				if gone&(1<<i) != 0 {
					v.cancel(nil)
				} else {
					want = append(want, v.name)
				}
			}
			synctest.Wait()
			holder.leave()
			for i, v := range line {
				<-v.over
				if (v.err != nil) != (gone&(1<<i) != 0) {
					t.Errorf("%06b: %d ended with %v", gone, i, v.err)
				}
				v.leave()
				synctest.Wait()
			}
			d.want(want...)
		})
	}
}
