package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

const (
	// answerSpare is what an answer may have beside its value and its texts, in bytes, and
	// answerForms how many of them are as long as the limit allows: the value's
	// representation, its JSON, its picture in base64, a message and a traceback, escaped.
	answerSpare, answerForms = 64 << 10, 12
)

// answer is what the guest says of a job. The guest may say anything: it is held to a
// length, and to what an answer can be.
type answer struct {
	opened bool
	limit  int
	text   []byte
	over   bool
	value  int // most bytes of a text
}

// begin forgets the answer of an earlier job.
func (a *answer) begin(l wire.Limits) {
	*a = answer{text: a.text[:0], limit: answerForms*l.Value + answerSpare, value: l.Value}
}

func (a *answer) open() { a.opened, a.text, a.over = true, a.text[:0], false }

// Write never fails: what is too long is not kept.
func (a *answer) Write(p []byte) (int, error) {
	a.over = a.over || len(a.text)+len(p) > a.limit
	if !a.over {
		a.text = append(a.text, p...)
	}
	return len(p), nil
}

// stream is stdout or stderr of the guest.
type stream struct {
	to     io.Writer
	answer *answer // where it goes from the mark on; nil for nowhere else
}

func (s stream) Write(p []byte) (int, error) {
	if s.answer != nil && s.answer.opened {
		return s.answer.Write(p)
	}
	return s.to.Write(p)
}

// said are the members of a reply that the guest may say.
type said struct {
	Outcome  wire.Outcome  `json:"outcome"`
	Value    *wire.Value   `json:"value"`
	Failure  *wire.Failure `json:"failure"`
	ExitCode int           `json:"exit_code"`
}

// reply is the answer as a reply. One that makes no sense is a crash: the program has
// written it itself, or has broken what writes it.
func (a *answer) reply() wire.Reply {
	var s said
	switch {
	case !a.opened:
		return crash("the program went on without its interpreter's end of it", "")
	case a.over:
		return crash(fmt.Sprintf("the answer is longer than %d bytes", a.limit), "")
	}
	if err := json.Unmarshal(a.text, &s); err != nil || !s.sensible(a.value) {
		return crash("the answer is none that the interpreter gives", "")
	}
	return wire.Reply{Outcome: s.Outcome, Value: s.Value, Failure: s.Failure, ExitCode: s.ExitCode}
}

var outcomes = []wire.Outcome{wire.OK, wire.Raised, wire.Syntax, wire.Exited, wire.Dependencies}

// pictures are the media types of values that are pictures, and how their bytes begin.
var pictures = map[string]string{
	"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8", "image/webp": "RIFF", "image/svg+xml": "",
}

// sensible reports whether the driver could have said it, with texts up to a limit.
func (s *said) sensible(limit int) bool {
	switch s.Outcome {
	case wire.OK, wire.Exited:
		if s.Failure != nil {
			return false
		}
	default:
		if s.Failure == nil || s.Value != nil {
			return false
		}
	}
	if f := s.Failure; f != nil && (f.Line < 0 || !fits(limit, f.Type, f.Message, f.Traceback, f.Hint)) {
		return false
	}
	if v := s.Value; v != nil {
		start, known := pictures[v.Media]
		if !fits(limit, v.Repr) || len(v.JSON) > limit || len(v.JSON) > 0 && !wire.PlainJSON(v.JSON) || len(v.Data) > limit || v.Media != "" && !(known && strings.HasPrefix(string(v.Data), start)) {
			return false
		}
	}
	return slices.Contains(outcomes, s.Outcome)
}

func fits(limit int, texts ...string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool { return len(t) > limit || !utf8.ValidString(t) })
}

// crash is the reply for a program that has ended its interpreter or its answer.
func crash(message, hint string) wire.Reply {
	return wire.Reply{Outcome: wire.Crashed, Failure: &wire.Failure{Type: "Crash", Message: message, Hint: hint}}
}

// crashHint says what to do about a trap, where its kind tells: an overflow of the stack
// shows as an access out of its memory.
func crashHint(reason string) string {
	if strings.Contains(reason, "out of bounds") || strings.Contains(reason, "stack overflow") {
		return "Deep recursion in C, as of nested literals or objects, can do that: make it less deep."
	}
	return "Leave out what ends the process or sends it a signal."
}

// last is the reply for a program whose guest has ended with an error.
func last(err error) (r wire.Reply) {
	exit, left := errors.AsType[*wasm.ExitError](err)
	switch {
	case left:
		r = wire.Reply{Outcome: wire.Exited, ExitCode: int(int32(exit.Code))}
	case errors.Is(err, wasm.ErrBroken):
		r = crash("the program called what only its interpreter may call", "")
	default:
		reason, _, _ := strings.Cut(err.Error(), "\n") // the stack of a trap follows
		r = crash("the interpreter crashed: "+reason, crashHint(reason))
	}
	r.Worn = err.Error()
	return r
}
