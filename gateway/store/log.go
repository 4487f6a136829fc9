package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// logSchema holds the record of calls. Times are microseconds since 1970 (UTC).
// change grows with every change of a row, so that whoever follows the log finds
// what is new; record is the call as one JSON object, the rest of the row is what
// calls are found by. journals says how much of each journal has arrived.
const logSchema = `
CREATE TABLE calls (
	change    INTEGER PRIMARY KEY,
	id        TEXT NOT NULL UNIQUE,
	arrived   BIGINT NOT NULL,
	at        BIGINT NOT NULL,
	tool      TEXT NOT NULL,
	caller_id TEXT NOT NULL,
	caller    TEXT NOT NULL,
	chat      TEXT NOT NULL,
	decision  TEXT NOT NULL,
	rule      TEXT NOT NULL,
	status    TEXT NOT NULL,
	code      TEXT NOT NULL,
	took      BIGINT NOT NULL,
	journal   TEXT NOT NULL,
	record    TEXT NOT NULL
);
CREATE INDEX calls_at ON calls (at, id);
CREATE INDEX calls_running ON calls (journal) WHERE status = 'running';
CREATE TABLE journals (
	name     TEXT PRIMARY KEY,
	arrived  BIGINT NOT NULL,
	position BIGINT NOT NULL,
	closed   BIGINT NOT NULL
);
CREATE TABLE changes (last BIGINT NOT NULL);
INSERT INTO changes VALUES (0);
`

// keepCall takes a call that is new, and the end of one that is known by its
// start.
const keepCall = `
INSERT INTO calls (id, change, arrived, at, tool, caller_id, caller, chat, decision, rule, status, code, took, journal, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
	change = excluded.change, arrived = excluded.arrived, at = excluded.at, tool = excluded.tool,
	caller_id = excluded.caller_id, caller = excluded.caller, chat = excluded.chat, decision = excluded.decision,
	rule = excluded.rule, status = excluded.status, code = excluded.code, took = excluded.took,
	journal = excluded.journal, record = excluded.record
WHERE calls.status IN ('running', 'interrupted') AND excluded.status NOT IN ('running', 'interrupted')`

// Positions says how much of each journal has arrived; see [runlog.Shelf].
func (s *Store) Positions(ctx context.Context) (positions map[string]int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		positions, err = positionsIn(ctx, tx)
		return err
	})
	return positions, err
}

func positionsIn(ctx context.Context, tx *sql.Tx) (map[string]int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name, position FROM journals`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	positions := map[string]int64{}
	for rows.Next() {
		var name string
		var position int64
		if err := rows.Scan(&name, &position); err != nil {
			return nil, err
		}
		positions[name] = position
	}
	return positions, rows.Err()
}

// Deliver keeps a piece of a journal; see [runlog.Shelf].
func (s *Store) Deliver(ctx context.Context, d runlog.Delivery) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		in := intake{tx: tx, now: time.Now().UnixMicro()}
		if err := tx.QueryRowContext(ctx, `SELECT last FROM changes`).Scan(&in.change); err != nil {
			return err
		}
		if err := in.keep(ctx, &d); err != nil {
			return err
		}
		if d.Closed {
			if err := in.interrupt(ctx, d.Journal); err != nil {
				return err
			}
		}
		return in.finish(ctx, &d)
	})
}

// intake is one delivery on its way in.
type intake struct {
	tx     *sql.Tx
	now    int64
	change int64
}

func (in *intake) keep(ctx context.Context, d *runlog.Delivery) error {
	if len(d.Items) == 0 {
		return nil
	}
	stmt, err := in.tx.PrepareContext(ctx, keepCall)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for i := range d.Items {
		e := &d.Items[i]
		in.change++
		if _, err := stmt.ExecContext(ctx, e.CallID, in.change, in.now, e.Time.UnixMicro(), e.Tool, e.Caller.ID, e.Caller.Name, e.Chat,
			e.Decision, e.Rule, string(e.Status), string(e.Code), e.Duration.Microseconds(), d.Journal, string(e.Text)); err != nil {
			return err
		}
	}
	return nil
}

// interrupt ends the calls of a journal that nothing follows in.
func (in *intake) interrupt(ctx context.Context, journal string) error {
	ids, err := texts(ctx, in.tx, `SELECT id FROM calls WHERE status = 'running' AND journal = ?`, journal)
	if err != nil {
		return err
	}
	for _, id := range ids {
		in.change++
		if _, err := in.tx.ExecContext(ctx, `UPDATE calls SET status = ?, code = ?, change = ?, arrived = ? WHERE id = ?`,
			string(runlog.StatusInterrupted), string(tool.Interrupted), in.change, in.now, id); err != nil {
			return err
		}
	}
	return nil
}

// texts are the values of a query of one column.
func texts(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]string, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

func (in *intake) finish(ctx context.Context, d *runlog.Delivery) error {
	closed := 0
	if d.Closed {
		closed = 1
	}
	if _, err := in.tx.ExecContext(ctx, `UPDATE changes SET last = ?`, in.change); err != nil {
		return err
	}
	_, err := in.tx.ExecContext(ctx, `INSERT INTO journals (name, arrived, position, closed) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET arrived = excluded.arrived, position = excluded.position, closed = excluded.closed
WHERE (journals.position <= excluded.position OR ?) AND journals.closed <= excluded.closed`, d.Journal, in.now, d.Position, closed, d.Cut)
	return err
}
