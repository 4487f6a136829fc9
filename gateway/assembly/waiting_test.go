package assembly

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// answers is a probe that gives what it is set to after a while, and counts.
type answers struct {
	after time.Duration
	err   error
	asked int
}

func (a *answers) probe(ctx context.Context, _ string) error {
	a.asked++
	select {
	case <-time.After(a.after):
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestWatchedLooksAgain: what was found out is believed for a while, whichever
// way it went.
func TestWatchedLooksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &answers{after: time.Millisecond, err: errors.New("down")}
		w := newWatched(need{needURL, "https://example.com"}, &surroundings{probe: a.probe})
		steps := []struct {
			wait   time.Duration
			err    error
			lacks  bool
			looked int
		}{
			{0, a.err, true, 1},
			{lookAgain - time.Second, nil, true, 1},
			{2 * time.Second, nil, false, 2},
			{lookAgain - time.Second, a.err, false, 2},
			{2 * time.Second, a.err, true, 3},
		}
		for i, step := range steps {
			time.Sleep(step.wait)
			a.err = step.err
			l, err := w.lack(t.Context())
			if err != nil || (l != nil) != step.lacks || a.asked != step.looked {
				t.Errorf("step %d: lacks %v, asked %d times, %v", i, l, a.asked, err)
			}
		}
	})
}

// TestWatchedGivesUp: an address has probeTimeout to answer, a caller waits no
// longer than its context lasts, and what one that gave up saw is not kept.
func TestWatchedGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &answers{after: time.Hour}
		w := newWatched(need{needURL, "https://example.com/x?key=1"}, &surroundings{probe: a.probe})
		impatient, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := w.lack(impatient); err == nil || tool.AsError(err).Code != tool.Timeout {
			t.Errorf("got %v", err)
		}
		found := make(chan *lack)
		go func() {
			l, _ := w.lack(t.Context())
			found <- l
		}()
		synctest.Wait()
		waiting, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := w.lack(waiting); err == nil || tool.AsError(err).Code != tool.Timeout {
			t.Errorf("behind another caller: got %v", err)
		}
		if l := <-found; l == nil || l.String() != "https://example.com/x does not answer: no answer within 3s" || a.asked != 2 {
			t.Errorf("found %v, asked %d times", l, a.asked)
		}
	})
}

// TestLookAll looks for many needs at once and never for more than maxProbes.
func TestLookAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &surroundings{probe: func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		wanted := map[need]bool{}
		for i := range 2 * maxProbes {
			wanted[need{needURL, "https://example.com/" + string(rune('a'+i))}] = true
		}
		began := time.Now()
		if got := s.lookAll(t.Context(), wanted); len(got) != len(wanted) {
			t.Errorf("%d of %d are missing", len(got), len(wanted))
		}
		if took := time.Since(began); took != 2*probeTimeout {
			t.Errorf("it took %v", took)
		}
	})
}
