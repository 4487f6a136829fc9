package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	eventStream = "text/event-stream"
	// beat is how often a stream shows that it lives, so that proxies do not take
	// it for dead while a call runs, and a client that is gone is noticed.
	beat = 15 * time.Second
	// eventTimeout is the longest that one event may take to be sent. A client
	// that reads no faster is given up, and its calls with it.
	eventTimeout = 30 * time.Second
)

// finish is one call of a batch that has ended.
type finish struct {
	index  int
	answer BatchAnswer
}

// end is how a whole batch ended.
type end struct {
	answers []BatchAnswer
	problem *problem
}

// stream runs a step and sends an event "result" as each call ends, then "done"
// with the answer that other clients are given, or "error" with a problem where
// there is none. The client's end is the end of the step.
//
// The calls run in a goroutine of their own, so that none of them waits for the
// network. It has ended when stream returns.
func (a *api) stream(w http.ResponseWriter, r *http.Request, s step) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	finished := make(chan finish, len(s.calls)) // each call finishes once: nobody waits here
	ended := make(chan end, 1)
	go func() {
		answers, p := a.run(ctx, r, s, func(i int, answer BatchAnswer) { finished <- finish{i, answer} })
		ended <- end{answers, p}
	}()
	events := openEvents(w)
	defer events.close()
	whole := s.relay(events, cancel, finished, ended)
	if whole.problem != nil {
		events.send("error", map[string]*problem{"error": whole.problem})
		return
	}
	events.send("done", s.whole(whole.answers))
}

// relay sends what finishes until all has ended, and cancels it when the client
// does not take it any more.
func (s step) relay(events *events, cancel func(), finished <-chan finish, ended <-chan end) end {
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for {
		select {
		case f := <-finished:
			s.send(events, f)
		case <-alive.C:
			events.write(": still running\n\n")
		case whole := <-ended:
			for len(finished) > 0 {
				s.send(events, <-finished)
			}
			return whole
		}
		if events.err != nil {
			cancel()
		}
	}
}

func (s step) send(events *events, f finish) {
	events.send("result", callResult{Index: &f.index, ID: s.calls[f.index].ID, Replayed: f.answer.Replayed, result: f.answer.Result})
}

// events is a stream of server-sent events (WHATWG HTML, section 9.2).
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error // why nothing more is sent
}

// openEvents answers that events will follow.
func openEvents(w http.ResponseWriter) *events {
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx holds back what it proxies otherwise
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	e := &events{w: w, control: http.NewResponseController(w)}
	e.flush()
	return e
}

// send sends one event. Encoded JSON has no line breaks, so it is one line.
func (e *events) send(name string, v any) { e.sendAs("", name, v) }

// sendAs sends an event with an identifier, from which a client can go on.
func (e *events) sendAs(id, name string, v any) {
	data, err := encode(v)
	if err != nil {
		name, data = "error", []byte(`{"error":{"error_type":"`+typeInternal+`","message":"the answer has no JSON form"}}`+"\n")
	}
	if id != "" {
		e.write("id: " + id + "\n")
	}
	e.write("event: " + name + "\ndata: " + string(data) + "\n")
}

func (e *events) write(text string) {
	if e.err != nil {
		return
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(eventTimeout)) // not every writer has one
	if _, e.err = io.WriteString(e.w, text); e.err == nil {
		e.flush()
	}
}

// flush sends on what was written. A writer that cannot sends it all at the end.
func (e *events) flush() {
	if err := e.control.Flush(); !errors.Is(err, errors.ErrUnsupported) {
		e.err = err
	}
}

// close takes the deadline off the connection, which serves more requests.
func (e *events) close() { _ = e.control.SetWriteDeadline(time.Time{}) }

// wantsEvents reports whether a client asks for a stream of events, at least as
// much as for JSON (RFC 9110, section 12.5.1). A wildcard does not ask for one.
func wantsEvents(accept []string) bool {
	var events, plain float64
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		if params["q"] == "" || err != nil {
			weight = 1
		}
		switch kind {
		case eventStream:
			events = max(events, weight)
		case "application/json":
			plain = max(plain, weight)
		}
	}
	return events > 0 && events >= plain
}
