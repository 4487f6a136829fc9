package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/approval"
)

// approvalSchema holds calls that wait for people, and answers that are
// remembered. Times are microseconds since 1970 (UTC); body is the whole approval
// as JSON, and the columns beside it are what is searched for. Each change of an
// approval has a number of its own, which other processes follow.
const approvalSchema = `
CREATE TABLE approvals (
	id        TEXT NOT NULL PRIMARY KEY,
	caller_id TEXT NOT NULL,
	chat      TEXT NOT NULL,
	tool      TEXT NOT NULL,
	digest    TEXT NOT NULL,
	state     TEXT NOT NULL,
	created   BIGINT NOT NULL,
	expires   BIGINT NOT NULL,
	change    BIGINT NOT NULL,
	body      TEXT NOT NULL
);
CREATE UNIQUE INDEX approvals_change ON approvals (change);
CREATE INDEX approvals_call ON approvals (caller_id, digest, tool, chat);
CREATE INDEX approvals_state ON approvals (state, expires, caller_id);
CREATE INDEX approvals_created ON approvals (created);
CREATE TABLE approval_grants (
	caller_id TEXT NOT NULL,
	tool      TEXT NOT NULL,
	rule      TEXT NOT NULL,
	scope     TEXT NOT NULL,
	chat      TEXT NOT NULL,
	digest    TEXT NOT NULL,
	approval  TEXT NOT NULL,
	answered  TEXT NOT NULL,
	expires   BIGINT NOT NULL,
	PRIMARY KEY (caller_id, tool, rule, scope, chat, digest)
);
`

const (
	// standing is the condition of an approval that answers the same call.
	standing = `caller_id = ? AND chat = ? AND tool = ? AND digest = ? AND state IN ('pending', 'approved', 'denied') AND expires > ? ORDER BY created, id LIMIT 1`

	nextChange = `SELECT COALESCE(MAX(change), 0) + 1 FROM approvals`
)

// RaiseApproval keeps a new approval; see [approval.Store].
func (s *Store) RaiseApproval(ctx context.Context, a *approval.Approval, most, all int) (kept *approval.Approval, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		now := a.Created.UnixMicro()
		kept, err = oneApproval(tx.QueryRowContext(ctx, `SELECT change, body FROM approvals WHERE `+standing, append(bindingArgs(a.Binding), now)...))
		if kept != nil || err != nil {
			return err
		}
		var own, others int
		const pending = `SELECT COUNT(*) FILTER (WHERE caller_id = ?), COUNT(*) FROM approvals WHERE state = 'pending' AND expires > ?`
		if err := tx.QueryRowContext(ctx, pending, a.Binding.Caller, now).Scan(&own, &others); err != nil {
			return err
		}
		if own >= most || others >= all {
			return approval.ErrTooMany
		}
		fresh := *a
		kept = &fresh
		return putApproval(ctx, tx, kept)
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

func bindingArgs(b approval.Binding) []any { return []any{b.Caller, b.Chat, b.Tool, b.Digest} }

// putApproval keeps an approval as changed now.
func putApproval(ctx context.Context, tx *sql.Tx, a *approval.Approval) error {
	if err := tx.QueryRowContext(ctx, nextChange).Scan(&a.Change); err != nil {
		return err
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
INSERT INTO approvals (id, caller_id, chat, tool, digest, state, created, expires, change, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, change = excluded.change, body = excluded.body`,
		a.ID, a.Binding.Caller, a.Chat, a.Tool, a.Digest, string(a.State), a.Created.UnixMicro(), a.Expires.UnixMicro(), a.Change, string(body))
	return err
}

// row is one row of a query.
type row interface{ Scan(into ...any) error }

// oneApproval reads an approval from a row of its change and body; nil where there
// is no row.
func oneApproval(r row) (*approval.Approval, error) {
	a, err := readApproval(r)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return a, err
}

func readApproval(r row) (*approval.Approval, error) {
	var change int64
	var body []byte
	if err := r.Scan(&change, &body); err != nil {
		return nil, err
	}
	a := new(approval.Approval)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // claims keep every digit
	if err := dec.Decode(a); err != nil {
		return nil, err
	}
	a.Change = change
	return a, nil
}

// StandingApproval gives the approval that stands for a binding; see
// [approval.Store].
func (s *Store) StandingApproval(ctx context.Context, b approval.Binding, now time.Time) (*approval.Approval, error) {
	return s.approval(ctx, `SELECT change, body FROM approvals WHERE `+standing, append(bindingArgs(b), now.UnixMicro())...)
}

// Approval gives one by its ID; see [approval.Store].
func (s *Store) Approval(ctx context.Context, id string) (*approval.Approval, error) {
	return s.approval(ctx, `SELECT change, body FROM approvals WHERE id = ?`, id)
}

func (s *Store) approval(ctx context.Context, query string, args ...any) (a *approval.Approval, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		a, err = oneApproval(tx.QueryRowContext(ctx, query, args...))
		return err
	})
	return a, err
}

// Approvals gives those of a query; see [approval.Store].
func (s *Store) Approvals(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	where, args := approvalsWhere(q)
	args = append(args, cmp.Or(max(q.Limit, 0), approval.DefaultLimit))
	return s.approvals(ctx, `SELECT change, body FROM approvals WHERE `+where+` ORDER BY created DESC, id DESC LIMIT ?`, args...)
}

func approvalsWhere(q approval.Query) (where string, args []any) {
	conditions, now := []string{"TRUE"}, q.Now.UnixMicro()
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	switch q.State {
	case "":
	case approval.Expired:
		add(`(state = 'expired' OR state IN ('pending', 'approved') AND expires <= ?)`, now)
	case approval.Pending, approval.Approved:
		add(`state = ? AND expires > ?`, string(q.State), now)
	default:
		add(`state = ?`, string(q.State))
	}
	if q.Caller != "" {
		add(`caller_id = ?`, q.Caller)
	}
	if q.Prefix != "" {
		add(`id >= ? AND id < ?`, q.Prefix, q.Prefix+"\U0010FFFF")
	}
	if q.After != "" {
		add(`(created, id) < (SELECT created, id FROM approvals WHERE id = ?)`, q.After)
	}
	return strings.Join(conditions, " AND "), args
}

func (s *Store) approvals(ctx context.Context, query string, args ...any) (found []approval.Approval, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		found, err = listApprovals(ctx, tx, query, args...)
		return err
	})
	return found, err
}

// listApprovals reads the rows of a query for changes and bodies.
func listApprovals(ctx context.Context, tx *sql.Tx, query string, args ...any) (found []approval.Approval, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		a, err := readApproval(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, *a)
	}
	return found, rows.Err()
}

// ChangeApproval changes an approval that is in a state; see [approval.Store].
func (s *Store) ChangeApproval(ctx context.Context, a *approval.Approval, from approval.State, grant *approval.Grant) (changed bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		changed = false
		var there bool
		const same = `SELECT EXISTS (SELECT 1 FROM approvals WHERE id = ? AND state = ? AND change = ?)`
		if err := tx.QueryRowContext(ctx, same, a.ID, string(from), a.Change).Scan(&there); err != nil || !there {
			return err
		}
		next := *a
		if err := putApproval(ctx, tx, &next); err != nil {
			return err
		}
		if err := dropGrants(ctx, tx, a); err != nil {
			return err
		}
		changed = true
		return putGrant(ctx, tx, grant)
	})
	return changed && err == nil, err
}

// dropGrants forgets what was remembered of an approval of which nothing is to be.
func dropGrants(ctx context.Context, tx *sql.Tx, a *approval.Approval) error {
	if !a.Forgets() {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM approval_grants WHERE approval = ?`, a.ID)
	return err
}

func putGrant(ctx context.Context, tx *sql.Tx, g *approval.Grant) error {
	if g == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
INSERT INTO approval_grants (caller_id, tool, rule, scope, chat, digest, approval, answered, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET approval = excluded.approval, answered = excluded.answered, expires = excluded.expires`,
		g.Caller, g.Tool, g.Rule, string(g.Scope), g.Chat, g.Digest, g.Approval, g.By, g.Expires.UnixMicro())
	return err
}

// ApprovalChanges gives what changed; see [approval.Store].
func (s *Store) ApprovalChanges(ctx context.Context, after int64, limit int) ([]approval.Approval, error) {
	return s.approvals(ctx, `SELECT change, body FROM approvals WHERE change > ? ORDER BY change LIMIT ?`, after, limit)
}

// LastApprovalChange is the highest change; see [approval.Store].
func (s *Store) LastApprovalChange(ctx context.Context) (last int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(change), 0) FROM approvals`).Scan(&last)
	})
	return last, err
}

// ApprovalGrant gives a grant for a call; see [approval.Store].
func (s *Store) ApprovalGrant(ctx context.Context, b approval.Binding, rule string, scopes []approval.Scope, now time.Time) (found *approval.Grant, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		for _, scope := range scopes {
			g := approval.Grant{Binding: b, Rule: rule, Scope: scope}
			if scope == approval.SameArgs {
				g.Chat = ""
			} else {
				g.Digest = ""
			}
			var expires int64
			const query = `SELECT approval, answered, expires FROM approval_grants
WHERE caller_id = ? AND tool = ? AND rule = ? AND scope = ? AND chat = ? AND digest = ? AND expires > ?`
			err := tx.QueryRowContext(ctx, query, g.Caller, g.Tool, g.Rule, string(scope), g.Chat, g.Digest, now.UnixMicro()).Scan(&g.Approval, &g.By, &expires)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err == nil {
				g.Expires = time.UnixMicro(expires)
				found = &g
			}
			return err
		}
		return nil
	})
	return found, err
}

// expireAtOnce is how many approvals one transaction makes expired.
const expireAtOnce = 500

// expired is the condition of an approval that is to be made expired.
const expired = `state IN ('pending', 'approved') AND expires <= ?`

// SweepApprovals ends what expired and forgets what ended; see [approval.Store].
func (s *Store) SweepApprovals(ctx context.Context, now, before time.Time) (ended int, err error) {
	for {
		n, err := s.expireApprovals(ctx, now)
		if ended += n; err != nil {
			return ended, err
		}
		if n < expireAtOnce {
			return ended, s.forgetApprovals(ctx, now, before)
		}
	}
}

// expireApprovals makes some expired. It writes only where there are any.
func (s *Store) expireApprovals(ctx context.Context, now time.Time) (n int, err error) {
	over, err := s.approvals(ctx, `SELECT change, body FROM approvals WHERE `+expired+` LIMIT 1`, now.UnixMicro())
	if err != nil || len(over) == 0 {
		return 0, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		over, err := listApprovals(ctx, tx, `SELECT change, body FROM approvals WHERE `+expired+` ORDER BY change LIMIT ?`, now.UnixMicro(), expireAtOnce)
		if err != nil {
			return err
		}
		for i := range over {
			over[i].State = approval.Expired
			if err := putApproval(ctx, tx, &over[i]); err != nil {
				return err
			}
		}
		n = len(over)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// outlived is the condition of an approval that is to be forgotten. The newest
// change stays: numbers are not given twice.
const outlived = `state IN ('used', 'denied', 'expired', 'ended') AND expires < ? AND change < (SELECT MAX(change) FROM approvals)`

func (s *Store) forgetApprovals(ctx context.Context, now, before time.Time) error {
	var some bool
	const query = `SELECT EXISTS (SELECT 1 FROM approvals WHERE ` + outlived + `) OR EXISTS (SELECT 1 FROM approval_grants WHERE expires <= ?)`
	err := s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, query, before.UnixMicro(), now.UnixMicro()).Scan(&some)
	})
	if err != nil || !some {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM approvals WHERE `+outlived, before.UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM approval_grants WHERE expires <= ?`, now.UnixMicro())
		return err
	})
}
