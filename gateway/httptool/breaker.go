package httptool

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// trialWait is when to ask again while one request finds out whether an
// upstream answers again.
const trialWait = time.Second

var (
	errFailing = errors.New("the upstream failed")
	errUnknown = errors.New("nothing was found out about the upstream")
)

// breaker keeps requests from an upstream that keeps failing. The nil breaker
// lets all through.
type breaker struct {
	steps  *gobreaker.TwoStepCircuitBreaker[struct{}]
	name   string
	until  atomic.Int64 // when the pause ends, in nanoseconds of Unix time
	failed atomic.Int64 // failures in a row
}

func (c *compiler) breaker(at diag.Cursor, name string, cfg *Breaker) *breaker {
	failures, pause := DefaultFailures, DefaultPause
	if cfg != nil && cfg.Failures != nil {
		failures = *cfg.Failures
	}
	if cfg != nil && cfg.Pause != 0 {
		pause = cfg.Pause
	}
	switch {
	case failures < 0 || failures > math.MaxInt32:
		c.wrong(at.Key("failures"), "write a number from 1, or 0 to turn the breaker off", "%d is not a number of failures", failures)
	case pause < 0:
		c.wrong(at.Key("pause"), "", "a pause cannot be negative")
	case failures > 0:
		return newBreaker(name, uint32(failures), pause)
	}
	return nil
}

func newBreaker(name string, failures uint32, pause time.Duration) *breaker {
	b := &breaker{name: name}
	b.steps = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: name,
		// The library's pause ends after this time, ours with it.
		Timeout:     max(pause-1, 1),
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= failures },
		IsExcluded:  func(err error) bool { return errors.Is(err, errUnknown) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.until.Store(time.Now().Add(pause).UnixNano())
			}
		},
	})
	return b
}

// admit asks to send a request. What it gives has to be told, once, what the
// request says about the upstream.
func (b *breaker) admit() (settle func(verdict), err error) {
	if b == nil {
		return func(verdict) {}, nil
	}
	done, err := b.steps.Allow()
	if err != nil {
		return nil, b.refused(err)
	}
	return func(v verdict) {
		switch v {
		case healthy:
			b.failed.Store(0)
			done(nil)
		case failing:
			b.failed.Add(1)
			done(errFailing)
		default:
			done(errUnknown)
		}
	}, nil
}

func (b *breaker) refused(err error) *tool.Error {
	e := tool.Errorf(tool.UpstreamUnavailable, "the upstream has failed %d times in a row and is not asked for now", b.failed.Load()).
		Because(fmt.Errorf("the breaker of upstream %q: %w: %w", b.name, tool.ErrNotAsked, err)).
		WithHint("Nothing is wrong with the arguments; wait before you try again.")
	e.Retryable = true
	e.RetryAfter = max(time.Until(time.Unix(0, b.until.Load())), 0)
	if errors.Is(err, gobreaker.ErrTooManyRequests) {
		e.RetryAfter = trialWait
	}
	return e
}

// State says whether the upstream is asked: closed while requests go through,
// open while none does because it keeps failing, half-open while one finds out.
// It is empty where nothing ever keeps requests away.
func (u *Upstream) State() string {
	if u == nil || u.breaker == nil {
		return ""
	}
	switch u.breaker.steps.State() {
	case gobreaker.StateOpen:
		return "open"
	case gobreaker.StateHalfOpen:
		return "half-open"
	case gobreaker.StateClosed:
	}
	return "closed"
}
