package host

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/metrics"
)

// approvalNews tells those who follow events, the metrics and the log what becomes of
// calls that wait for a person: each thing once, although a change of an approval may be
// seen again, and quick ones as one.
type approvalNews struct {
	feed    *httpapi.Feed
	metrics *metrics.Metrics
	logger  *slog.Logger

	mu      sync.Mutex                // guards what follows
	open    map[string]approval.State // those that something may become of, as they were told of
	pending int                       // of them
}

// watchApprovals tells of approvals until stop is called.
func (s *Server) watchApprovals(ctx context.Context) (stop func()) {
	n := &approvalNews{feed: s.Feed, metrics: s.Metrics, logger: s.logger, open: map[string]approval.State{}}
	stop = s.Gateway.WatchApprovals(ctx, n.see)
	n.begin(ctx, s.teller.desk)
	return stop
}

// begin takes in those that are open already, of which nothing is told.
func (n *approvalNews) begin(ctx context.Context, desk *approval.Desk) {
	for _, state := range []approval.State{approval.Pending, approval.Approved} {
		err := eachApproval(ctx, desk, state, func(a *approval.Approval) {
			n.mu.Lock()
			defer n.mu.Unlock()
			if _, seen := n.open[a.ID]; !seen {
				n.become(a.ID, state)
			}
		})
		if err != nil {
			n.logger.WarnContext(ctx, "the calls that wait for a person could not be counted", "problem", err.Error())
			return
		}
	}
}

// become notes how an approval stands; mu is held.
func (n *approvalNews) become(id string, state approval.State) {
	if n.open[id] == approval.Pending {
		n.pending--
	}
	switch state {
	case approval.Pending:
		n.pending++
		n.open[id] = state
	case approval.Approved:
		n.open[id] = state
	default:
		delete(n.open, id)
	}
	n.metrics.Pending(n.pending)
}

// see tells of one approval that changed.
func (n *approvalNews) see(a approval.Approval) {
	n.mu.Lock()
	before, known := n.open[a.ID]
	n.become(a.ID, a.State)
	n.mu.Unlock()
	switch a.State {
	case before:
	case approval.Pending:
		n.metrics.Requested()
		n.log("a call waits for a person", &a, slog.Duration("expires_in", time.Until(a.Expires).Round(time.Second)))
		n.feed.Approval(httpapi.ApprovalRequested, &a)
	case approval.Approved, approval.Denied:
		n.settled(httpapi.ApprovalAnswered, &a)
	case approval.Used:
		if known && before == approval.Pending { // it was agreed to and ran at once
			a.State = approval.Approved
			n.settled(httpapi.ApprovalAnswered, &a)
		}
	case approval.Expired:
		n.log("nobody answered in time, or the call was not made again", &a)
		n.settled(httpapi.ApprovalExpired, &a)
	case approval.Ended:
		n.log("a call does not wait any more", &a, slog.String("reason", a.Ending))
		n.settled(httpapi.ApprovalEnded, &a)
	}
}

// log writes the operator's line about an approval. Arguments are not in it.
func (n *approvalNews) log(text string, a *approval.Approval, more ...slog.Attr) {
	n.logger.LogAttrs(context.Background(), slog.LevelInfo, text, append([]slog.Attr{
		slog.String("approval", a.ID), slog.String("tool", a.Tool), slog.String("caller", a.Caller.Name), slog.String("rule", a.Rule),
	}, more...)...)
}

func (n *approvalNews) settled(kind string, a *approval.Approval) {
	if s := a.Answer; s != nil && kind == httpapi.ApprovalAnswered && s.From == FromCLI { // else whoever took it has said so
		n.log("approval", a, slog.String("answer", string(a.State)), slog.String("by", s.By), slog.String("from", s.From), slog.String("asked_by", a.CallID))
	}
	n.metrics.Settled(string(a.State))
	n.feed.Approval(kind, a)
}
