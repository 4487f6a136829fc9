package host

import (
	"context"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/httpapi"
)

// approvals are calls that wait for a person, as the HTTP API asks for them.
type approvals struct{ gateway *gateway.Gateway }

// Find gives the approvals of a query, the newest first.
func (a approvals) Find(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	return a.gateway.Approvals(ctx, q)
}

// Get gives one.
func (a approvals) Get(ctx context.Context, id string) (approval.Approval, error) {
	return a.gateway.Approval(ctx, id)
}

// Answer takes what somebody says who came over HTTP.
func (a approvals) Answer(ctx context.Context, id string, s httpapi.ApprovalAnswer) (approval.Approval, error) {
	return a.gateway.AnswerApproval(ctx, id, gateway.Reply{Approve: s.Approve, Note: s.Note, Remember: s.Remember, By: s.By, From: fromHTTP})
}

// Where an answer may come from.
const (
	fromHTTP = "http"
	// FromCLI is the command line, of a program beside the server.
	FromCLI = "cli"
)
