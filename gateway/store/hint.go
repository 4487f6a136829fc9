package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolgate/toolgate/gateway/learn"
)

// hintSchema holds which queries led to calls of which tools, by groups of callers.
// Times are microseconds since 1970 (UTC), NULL for a note that does not fade; one with
// the weight 0 was taken out then. By the clock it is known in which order they were
// edited.
const hintSchema = `
CREATE TABLE hints (
	caller_group TEXT NOT NULL,
	tool         TEXT NOT NULL,
	query        TEXT NOT NULL,
	weight       DOUBLE PRECISION NOT NULL,
	used         BIGINT,
	edited       BIGINT NOT NULL,
	PRIMARY KEY (caller_group, tool, query)
);
CREATE INDEX hints_edited ON hints (edited);
CREATE TABLE hint_clock (edits BIGINT NOT NULL);
INSERT INTO hint_clock VALUES (0);
`

// writeHint puts a note in the place of the one of its key.
const writeHint = `INSERT INTO hints (caller_group, tool, query, weight, used, edited) VALUES (?, ?, ?, ?, ?, (SELECT edits FROM hint_clock))
ON CONFLICT (caller_group, tool, query) DO UPDATE SET weight = excluded.weight, used = excluded.used, edited = excluded.edited`

// ChangedHints gives the notes that were edited behind a mark; see [learn.Store].
func (s *Store) ChangedHints(ctx context.Context, mark int64) (notes []learn.Saved, next int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT edits FROM hint_clock`).Scan(&next); err != nil || next == mark {
			return err
		}
		notes, err = hintsBehind(ctx, tx, mark)
		return err
	})
	return notes, next, err
}

func hintsBehind(ctx context.Context, tx *sql.Tx, mark int64) ([]learn.Saved, error) {
	rows, err := tx.QueryContext(ctx, `SELECT caller_group, tool, query, weight, used FROM hints WHERE edited > ? ORDER BY edited, caller_group, tool, query`, mark)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []learn.Saved
	for rows.Next() {
		var n learn.Saved
		var used sql.NullInt64
		if err := rows.Scan(&n.Group, &n.Tool, &n.Query, &n.Weight, &used); err != nil {
			return nil, err
		}
		if used.Valid {
			n.Used = time.UnixMicro(used.Int64).UTC()
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

// EditHints puts notes in the place of those of their keys; see [learn.Store].
func (s *Store) EditHints(ctx context.Context, notes []learn.Saved) error {
	if len(notes) == 0 {
		return nil
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE hint_clock SET edits = edits + 1`); err != nil {
			return err
		}
		stmt, err := tx.PrepareContext(ctx, writeHint)
		if err != nil {
			return err
		}
		defer func() { _ = stmt.Close() }()
		for i := range notes {
			n := &notes[i]
			used := sql.NullInt64{Int64: n.Used.UnixMicro(), Valid: !n.Used.IsZero()}
			if _, err := stmt.ExecContext(ctx, n.Group, n.Tool, n.Query, n.Weight, used); err != nil {
				return err
			}
		}
		return nil
	})
}

// DropHints forgets for good what was taken out before a time; see [learn.Store].
func (s *Store) DropHints(ctx context.Context, before time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM hints WHERE weight = 0 AND used < ?`, before.UnixMicro())
		return err
	})
}
