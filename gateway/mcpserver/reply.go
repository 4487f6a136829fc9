package mcpserver

import (
	"net/http"
	"strconv"
	"time"
)

// sendTimeout is how long a client may take to read an answer, or one event of
// many.
const sendTimeout = time.Minute

// reply is the answer to one request: JSON, or events once there was one.
type reply struct {
	w      http.ResponseWriter
	gone   <-chan struct{} // closed when the client has hung up
	events bool            // the header said that events follow
}

// event sends a message that is not the answer. It fails when the client has hung up,
// as far as that is known.
func (p *reply) event(message []byte) error {
	if !p.events {
		p.events = true
		header := p.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-cache, no-transform")
	}
	event := make([]byte, 0, len(message)+len("event: message\ndata: \n\n"))
	event = append(event, "event: message\ndata: "...)
	event = append(event, message...)
	return p.write(append(event, "\n\n"...))
}

// answer sends the last message. The status is that of an answer without events.
func (p *reply) answer(status int, message []byte) {
	if p.events {
		_ = p.event(message) // who hung up has no use for an error
		return
	}
	header, values := p.w.Header(), []string{"application/json", "no-cache, no-transform", strconv.Itoa(len(message))}
	header["Content-Type"], header["Cache-Control"], header["Content-Length"] = values[0:1:1], values[1:2:2], values[2:3:3]
	p.w.WriteHeader(status)
	_ = p.write(message)
}

// write sends at once, so that the time limit holds for all of it.
func (p *reply) write(data []byte) error {
	control := http.NewResponseController(p.w)
	limited := control.SetWriteDeadline(time.Now().Add(sendTimeout)) == nil
	_, err := p.w.Write(data)
	if err == nil {
		err = control.Flush()
	}
	if limited {
		_ = control.SetWriteDeadline(time.Time{})
	}
	return err
}

// timedWriter gives a client sendTimeout for each piece of an answer that it is
// sent: one that does not read must not hold its stream, and whoever writes to
// it, for ever.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func timed(w http.ResponseWriter) *timedWriter {
	return &timedWriter{w, http.NewResponseController(w)}
}

// Write writes one piece, which is sent when it is large or flushed.
func (t *timedWriter) Write(p []byte) (int, error) {
	defer t.limit()()
	return t.ResponseWriter.Write(p)
}

// FlushError sends what was written.
func (t *timedWriter) FlushError() error {
	defer t.limit()()
	return t.control.Flush()
}

// Unwrap is for [http.ResponseController].
func (t *timedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// limit starts the time, and gives what ends it.
func (t *timedWriter) limit() (end func()) {
	if t.control.SetWriteDeadline(time.Now().Add(sendTimeout)) != nil {
		return func() {} // not a connection
	}
	return func() { _ = t.control.SetWriteDeadline(time.Time{}) }
}
