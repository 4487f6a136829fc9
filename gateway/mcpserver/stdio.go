package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// lastAnswers is how long the answers to calls that were cancelled by the end of
// the context may take.
const lastAnswers = time.Second

// drainTime is how long calls may go on after the client closed its end: enough
// for requests piped in to be answered, and no longer than clients wait for a
// server to leave.
const drainTime = 5 * time.Second

// ServeStdio serves one client over a pair of pipes until it closes in, and then
// until the calls it made are answered, for at most 5 s; or until ctx ends or the
// server closes, which cancels them at once. Nothing but protocol messages is
// written to out. A line that is no message is answered with an error. It returns
// nil in all these cases, and an error when a pipe broke.
//
// A read of in that cannot be interrupted, as of a terminal, is left behind.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	shared, lists := &sharedWriter{w: out}, &relists{}
	transport := &stdio{ended: lists.end, pipes: &mcp.IOTransport{Reader: newSieve(in, shared), Writer: shared, MaxLineLength: maxMessage + 1}}
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), transport, nil)
	if err != nil {
		return err
	}
	s.audience.add(session, listener{caller: caller(ctx).ID, chat: tool.DefaultChat, lists: lists})
	defer s.audience.remove(session)
	stop := context.AfterFunc(ctx, func() {
		s.calls.end(context.Cause(ctx), session)
		transport.conn.drain(lastAnswers)
		_ = session.Close() // Wait has the error
	})
	defer stop()
	if err := session.Wait(); ctx.Err() == nil && !s.calls.isClosed() {
		return err
	}
	return nil
}

// stdio is a transport whose connections hold the end of input back until what
// was asked is answered: the SDK cancels all calls as soon as it reads the end,
// and then the answers to requests piped in would be lost.
type stdio struct {
	pipes mcp.Transport
	ended func()    // called when the input has ended
	conn  *draining // once connected
}

func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.pipes.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.conn = &draining{Connection: conn, ended: t.ended, answered: make(chan struct{}, 1), closed: make(chan struct{}), pending: map[jsonrpc.ID]struct{}{}}
	return t.conn, nil
}

type draining struct {
	mcp.Connection
	ended    func()        // called when the input has ended
	answered chan struct{} // has a value when pending went down
	closed   chan struct{} // closed with the connection
	close    sync.Once

	mu      sync.Mutex              // guards pending
	pending map[jsonrpc.ID]struct{} // requests read and not answered
}

// Read gives the next message, or the end of input once nothing is pending.
func (d *draining) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := d.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		d.mu.Lock()
		d.pending[req.ID] = struct{}{}
		d.mu.Unlock()
	}
	if errors.Is(err, io.EOF) {
		d.ended()
		d.drain(drainTime)
	}
	return msg, err
}

// Write sends a message. An answer that could not be sent counts as well: there
// will be no other.
func (d *draining) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := d.Connection.Write(ctx, msg)
	if resp, ok := msg.(*jsonrpc.Response); ok {
		d.mu.Lock()
		delete(d.pending, resp.ID)
		d.mu.Unlock()
		select {
		case d.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// Close ends the draining too: nothing can be answered any more.
func (d *draining) Close() error {
	d.close.Do(func() { close(d.closed) })
	return d.Connection.Close()
}

func (d *draining) unanswered() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}

// drain waits until nothing is pending, at most for the time given.
func (d *draining) drain(most time.Duration) {
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	for d.unanswered() > 0 {
		select {
		case <-d.answered:
		case <-d.closed:
			return
		case <-timeout.C:
			return
		}
	}
}
