package tool

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Bounds of a RateLimit.
const (
	// MaxRateCalls is the most calls that a limit may let through.
	MaxRateCalls = 100_000
	// MaxRatePer is the longest time that a limit may be about.
	MaxRatePer = 31 * 24 * time.Hour
)

// LimitBy says whose calls a limit counts together.
type LimitBy string

// The ways of counting.
const (
	LimitByCaller LimitBy = "caller" // those of one caller
	LimitByChat   LimitBy = "chat"   // those of one chat of one caller
	LimitByTool   LimitBy = "tool"   // those of one tool, whoever calls it
)

// RateLimit lets at most Calls calls through in any time of the length Per. It is
// the "rate_limit" key of tools and of policy rules.
type RateLimit struct {
	Calls int           `koanf:"calls"` // 1 to MaxRateCalls
	Per   time.Duration `koanf:"per"`   // more than zero, at most MaxRatePer
	By    LimitBy       `koanf:"by"`    // LimitByCaller when empty
}

// Check reports what is out of its bounds: under which key, what is wrong, and what
// to write.
func (r *RateLimit) Check(report func(key, hint, text string)) {
	if r.Calls < 1 || r.Calls > MaxRateCalls {
		report("calls", fmt.Sprintf("write a number from 1 to %d", MaxRateCalls), fmt.Sprintf("%d is out of bounds", r.Calls))
	}
	if r.Per <= 0 || r.Per > MaxRatePer {
		report("per", "write a time of at most "+Span(MaxRatePer)+", such as 1m", Span(r.Per)+" is out of bounds")
	}
	switch r.Counted() {
	case LimitByCaller, LimitByChat, LimitByTool:
	default:
		report("by", "write caller, chat or tool", fmt.Sprintf("calls are not counted by %q", r.By))
	}
}

// Counted is By, or what it stands for when it is empty.
func (r *RateLimit) Counted() LimitBy { return cmp.Or(r.By, LimitByCaller) }

// String words the limit for people: 3 calls per 1m by caller.
func (r *RateLimit) String() string { return r.rate() + " by " + string(r.Counted()) }

// Words words the limit for whoever calls: 3 calls per 1m for this caller.
func (r *RateLimit) Words() string {
	return r.rate() + " for " + map[LimitBy]string{
		LimitByCaller: "this caller", LimitByChat: "this chat", LimitByTool: "all callers of this tool",
	}[r.Counted()]
}

func (r *RateLimit) rate() string {
	noun := "calls"
	if r.Calls == 1 {
		noun = "call"
	}
	return fmt.Sprintf("%d %s per %s", r.Calls, noun, Span(r.Per))
}

// Span writes a duration as a configuration does: 90s is 1m30s, 1h is 1h, and what
// is whole days is written in them.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
