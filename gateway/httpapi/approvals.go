package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// maxApprovals is the most approvals that are shown at once: each may have
	// approval.MaxArguments bytes of arguments.
	maxApprovals = 200
	// allStates asks for approvals however they stand.
	allStates = "all"
)

// The kinds of refusals of an answer, beside not_found and forbidden.
const (
	typeConflict = "conflict" // the approval does not wait for an answer any more
	typeInvalid  = "invalid"  // the answer itself is wrong
)

// Approvals keeps calls that wait for a person. What it gives holds no secret. An
// error is an [*approval.Refusal], or else a fault of the store.
type Approvals interface {
	// Find gives the approvals of a query, the newest first.
	Find(ctx context.Context, q approval.Query) ([]approval.Approval, error)
	// Get gives one.
	Get(ctx context.Context, id string) (approval.Approval, error)
	// Answer takes what somebody says who has the right to approve.
	Answer(ctx context.Context, id string, a ApprovalAnswer) (approval.Approval, error)
}

// ApprovalAnswer is what somebody says of a call that waits.
type ApprovalAnswer struct {
	Approve  bool           `json:"-"`
	Note     string         `json:"note"`
	Remember approval.Scope `json:"remember"`
	By       tool.Caller    `json:"-"`
}

// listApprovals answers with approvals, the newest first: with those that wait,
// unless another state is asked for.
func (a *api) listApprovals(w http.ResponseWriter, r *http.Request) {
	p := lacks(r, tool.MayApprove)
	var q approval.Query
	if p == nil {
		q, p = approvalQuery(r)
	}
	if p != nil {
		p.write(w)
		return
	}
	found, err := a.approvals.Find(r.Context(), q)
	if err != nil {
		a.writeApprovalError(w, r, err)
		return
	}
	now, list := time.Now(), make([]approval.Shown, len(found))
	for i := range found {
		list[i] = found[i].Show(now)
	}
	noStore(w)
	writeJSON(w, http.StatusOK, map[string][]approval.Shown{"approvals": list})
}

func approvalQuery(r *http.Request) (approval.Query, *problem) {
	q := approval.Query{State: approval.Pending, Limit: approval.DefaultLimit}
	values, p := query(r, "state", "caller", "prefix", "limit")
	if p != nil {
		return q, p
	}
	q.Caller, q.Prefix = values.Get("caller"), values.Get("prefix")
	if state := approval.State(values.Get("state")); state != "" {
		if p := oneOf("state", state, append(approval.States(), allStates)); p != nil {
			return q, p
		}
		if q.State = state; state == allStates {
			q.State = ""
		}
	}
	return q, approvalLimit(&q, values)
}

func approvalLimit(q *approval.Query, values url.Values) *problem {
	text := values.Get("limit")
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxApprovals {
		return badQuery(fmt.Sprintf("limit is %q", shown(text)), fmt.Sprintf("Give a number from 1 to %d.", maxApprovals))
	}
	q.Limit = n
	return nil
}

// showApproval answers with one approval.
func (a *api) showApproval(w http.ResponseWriter, r *http.Request) {
	p := lacks(r, tool.MayApprove)
	if p == nil {
		_, p = query(r)
	}
	if p != nil {
		p.write(w)
		return
	}
	found, err := a.approvals.Get(r.Context(), r.PathValue("id"))
	a.writeApproval(w, r, &found, err)
}

// answerApproval takes the answer to a call that waits.
func (a *api) answerApproval(approve bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := lacks(r, tool.MayApprove)
		if p == nil {
			_, p = query(r)
		}
		var answer ApprovalAnswer
		if p == nil {
			answer, p = readAnswer(w, r)
		}
		if p != nil {
			p.write(w)
			return
		}
		answer.Approve, answer.By = approve, caller(r)
		now, err := a.approvals.Answer(r.Context(), r.PathValue("id"), answer)
		a.writeApproval(w, r, &now, err)
	}
}

// readAnswer reads the body of an answer, which may be empty.
func readAnswer(w http.ResponseWriter, r *http.Request) (answer ApprovalAnswer, p *problem) {
	body, p := readBody(w, r, noun{plural: "words", less: fmt.Sprintf("A note has at most %d characters.", approval.MaxNote)})
	if p != nil || len(bytes.TrimSpace(body)) == 0 {
		return answer, p
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(&answer)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			err = errors.New("it is not one object")
		}
	}
	if err != nil {
		return answer, badQuery("the answer cannot be read: "+shown(err.Error()), `Send {"note": "…", "remember": "same_args"} or {}; nothing is needed.`)
	}
	return answer, nil
}

func (a *api) writeApproval(w http.ResponseWriter, r *http.Request, found *approval.Approval, err error) {
	if err != nil {
		a.writeApprovalError(w, r, err)
		return
	}
	noStore(w)
	writeJSON(w, http.StatusOK, found.Show(time.Now()))
}

func (a *api) writeApprovalError(w http.ResponseWriter, r *http.Request, err error) {
	no, ok := errors.AsType[*approval.Refusal](err)
	if !ok {
		a.approvalsUnread(w, r, err)
		return
	}
	p := &problem{Message: no.Message, Hint: no.Hint}
	switch no.Kind {
	case approval.Unknown:
		p.status, p.Type = http.StatusNotFound, string(tool.NotFound)
	case approval.Forbidden:
		p.status, p.Type = http.StatusForbidden, typeForbidden
	case approval.Over:
		p.status, p.Type = http.StatusConflict, typeConflict
	case approval.Invalid:
		p.status, p.Type = http.StatusUnprocessableEntity, typeInvalid
	}
	p.write(w)
}

// approvalsUnread tells that the store of approvals cannot be used; why is for the
// operator.
func (a *api) approvalsUnread(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		a.logger.WarnContext(r.Context(), "the store of approvals cannot be used", "problem", err)
	}
	p := &problem{
		status: http.StatusServiceUnavailable, Type: typeInternal, after: overloadedAfter,
		Message: "the calls that wait for a person cannot be read or answered now", Hint: "Try again later, or tell the operator: the gateway's log says why.",
	}
	p.write(w)
}
