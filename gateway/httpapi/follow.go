package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/toolgate/toolgate/gateway/tool"
)

// eventTime is how times of events are written: RFC 3339 with microseconds, UTC.
const eventTime = "2006-01-02T15:04:05.000000Z07:00"

// followEvents sends what happens as server-sent events, until the client goes
// away: calls of the caller, approvals too to those who may answer them, or
// everything to administrators. With the header
// Last-Event-ID it starts after that event, as far as events are kept.
func (a *api) followEvents(w http.ResponseWriter, r *http.Request) {
	if _, p := query(r); p != nil {
		p.write(w)
		return
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", eventStream)
		return
	}
	who := caller(r)
	leave, ok := a.feed.follow(who.ID)
	if !ok {
		p := &problem{
			status: http.StatusServiceUnavailable, after: overloadedAfter, Type: string(tool.Overloaded),
			Message: "too many clients follow the events", Hint: "Close other streams, or try again later.",
		}
		p.write(w)
		return
	}
	defer leave()
	from, known := a.feed.since(r.Header.Get("Last-Event-ID"))
	stream := openEvents(w)
	defer stream.close()
	if !known {
		stream.send(eventLost, lostJSON{eventLost, "events of before are not kept"})
	}
	ctx, stop := untilHungUp(r.Context())
	defer stop()
	a.relayEvents(ctx, stream, from, &who)
}

// untilHungUp is the context of a stream that ends with its client, but not when
// the server stops: whoever follows is told how the last calls end. The feed is
// closed then.
func untilHungUp(request context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(request))
	stop := context.AfterFunc(request, func() {
		if _, stopping := errors.AsType[*tool.Error](context.Cause(request)); !stopping {
			cancel()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// lostJSON tells a client that it was not told of everything.
type lostJSON struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

func (a *api) relayEvents(ctx context.Context, stream *events, from uint64, who *tool.Caller) {
	admin, approver := who.Can(tool.MayAdmin), who.Can(tool.MayApprove)
	sees := func(e *event) bool {
		return admin || e.owner != "" && e.owner == who.ID || e.right != "" && who.Can(e.right) || e.approval != nil && approver
	}
	for stream.err == nil && ctx.Err() == nil {
		wait, stop := context.WithTimeout(ctx, beat)
		found, next, lost := a.feed.after(wait, from, sees)
		stop()
		from = next
		if lost > 0 {
			stream.send(eventLost, lostJSON{eventLost, "they were not taken in time"})
		}
		for i := range found {
			stream.sendAs(a.feed.id(found[i].number), found[i].kind, found[i].told(admin, approver))
		}
		if len(found) > 0 || lost > 0 || ctx.Err() != nil {
			continue
		}
		if a.feed.isClosed() {
			return
		}
		stream.write(": nothing new\n\n")
	}
}

// told is what a caller is told of the event.
func (e *event) told(admin, approver bool) any {
	at := e.at.UTC().Format(eventTime)
	if e.approval != nil {
		own := *e.approval
		if !approver {
			own.Caller, own.Rule, own.Summary, own.By, own.From = "", "", "", "", ""
		}
		return map[string]any{"type": e.kind, "time": at, "data": own}
	}
	if e.call != nil {
		own := *e.call
		own.Time = at
		if !admin {
			own.Caller, own.Rule = "", ""
		}
		return own
	}
	return map[string]any{"type": e.kind, "time": at, "data": e.data}
}
