package python

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// bubble has a pool none of whose processes ever starts, so that all that is asked of it waits.
// What callers are told is kept.
type bubble struct {
	*Pool
	mu   sync.Mutex
	told []string
}

// waiting runs a test in a bubble of its own time. It may not start processes.
func waiting(t *testing.T, c Config, test func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		c.Command = func() ([]string, error) { <-never; return nil, errors.New("over") }
		b := &bubble{Pool: Open(c)}
		test(t, b)
		close(never)
		b.Close()
		if n := b.Stats().Waiting; n != 0 {
			t.Errorf("%d wait", n)
		}
	})
}

func (b *bubble) ask(ctx context.Context, caller string) {
	go func() {
		r := program("ok")
		r.Caller = caller
		got, err := b.Run(ctx, r)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.told = append(b.told, fmt.Sprintf("%s %s after %v", caller, codeOf(err), got.Waited))
	}()
	synctest.Wait()
}

func (b *bubble) want(t *testing.T, waiting int, told ...string) {
	t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.Stats().Waiting; n != waiting {
		t.Errorf("%d wait, want %d", n, waiting)
	}
	slices.Sort(b.told)
	if diff := cmp.Diff(strings.Join(told, "\n"), strings.Join(b.told, "\n")); diff != "" {
		t.Error(diff)
	}
	b.told = nil
}

func TestAFullLine(t *testing.T) {
	waiting(t, Config{Queue: 4}, func(t *testing.T, b *bubble) {
		for range 4 {
			b.ask(t.Context(), "a")
		}
		b.want(t, 4)
		b.ask(t.Context(), "a")
		b.want(t, 4, "a overloaded after 0s")
		time.Sleep(time.Second)
		b.ask(t.Context(), "b") // the last one of a makes room
		b.want(t, 4, "a overloaded after 1s")
		b.ask(t.Context(), "b")
		b.want(t, 4, "a overloaded after 1s")
		b.ask(t.Context(), "b") // they have two each
		b.want(t, 4, "b overloaded after 0s")
		b.ask(t.Context(), "c")
		b.want(t, 4, "a overloaded after 1s")
		go b.Close()
		b.want(t, 0, "a interrupted after 1s", "b interrupted after 0s", "b interrupted after 0s", "c interrupted after 0s")
	})
}

func TestAnAnswerOfAFullLine(t *testing.T) {
	waiting(t, Config{Queue: 1}, func(t *testing.T, b *bubble) {
		b.ask(t.Context(), "a")
		r := program("ok")
		r.Caller = "a"
		_, err := b.Run(t.Context(), r)
		e := tool.AsError(err)
		want := "Error: the interpreter is busy: 1 programs are waiting already, so this one was not run\nCall it again a little later, with fewer programs at the same time."
		if e.Text() != want || !e.Retryable || e.RetryAfter != retryAfter {
			t.Errorf("%s, again %v after %v", e.Text(), e.Retryable, e.RetryAfter)
		}
	})
}

func TestWaitingTooLong(t *testing.T) {
	waiting(t, Config{Wait: 10 * time.Second}, func(t *testing.T, b *bubble) {
		b.ask(t.Context(), "a")
		time.Sleep(5 * time.Second)
		b.ask(t.Context(), "b")
		time.Sleep(5*time.Second - time.Nanosecond)
		b.want(t, 2)
		time.Sleep(time.Nanosecond)
		b.want(t, 1, "a overloaded after 10s")
		time.Sleep(5 * time.Second)
		b.want(t, 0, "b overloaded after 10s")
	})
}

func TestGivingUpWhileWaiting(t *testing.T) {
	waiting(t, Config{}, func(t *testing.T, b *bubble) {
		ctx, cancel := context.WithCancel(t.Context())
		short, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		b.ask(ctx, "a")
		b.ask(short, "b")
		b.ask(t.Context(), "c")
		time.Sleep(time.Second)
		cancel()
		b.want(t, 2, "a cancelled after 1s")
		time.Sleep(2 * time.Second)
		b.want(t, 1, "b timeout after 3s")
	})
}

// TestWhenStartsAreTriedAgain: ever more rarely, up to a limit, and at once when asked.
func TestWhenStartsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var tries []string
		p := Open(Config{Command: func() ([]string, error) {
			tries = append(tries, time.Since(began).String())
			return nil, errors.New("not today")
		}})
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		p.Wake()
		synctest.Wait()
		want := "0s 200ms 600ms 1.4s 3s 6.2s 12.6s 25.4s 51s 1m21s 1m51s 2m0s"
		if diff := cmp.Diff(want, strings.Join(tries, " ")); diff != "" {
			t.Error(diff)
		}
		time.Sleep(12 * time.Second)
		_, err := p.Run(t.Context(), program("ok"))
		if e := tool.AsError(err); e.Code != tool.UpstreamUnavailable || e.RetryAfter != 18*time.Second || !e.Retryable {
			t.Errorf("%v, again %v after %v", e, e.Retryable, e.RetryAfter)
		}
		p.Close()
		time.Sleep(time.Hour)
		if len(tries) != 12 {
			t.Errorf("%d starts were tried", len(tries))
		}
	})
}

// TestWhoWaitsIsTold: as soon as it is known that there is nothing to start.
func TestWhoWaitsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Open(Config{Command: func() ([]string, error) {
			time.Sleep(time.Second)
			return nil, tool.Errorf(tool.UpstreamUnavailable, "not installed")
		}})
		began := time.Now()
		got, err := p.Run(t.Context(), program("ok"))
		if codeOf(err) != tool.UpstreamUnavailable || got.Waited != time.Second || time.Since(began) != time.Second {
			t.Errorf("%+v, %v", got, err)
		}
		p.Close()
	})
}
