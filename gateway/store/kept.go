package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolgate/toolgate/gateway/handle"
)

// keptSchema holds what started calls and calls that run once ended with.
const keptSchema = `
CREATE TABLE kept (
	kind   TEXT NOT NULL,
	caller TEXT NOT NULL,
	chat   TEXT NOT NULL,
	id     TEXT NOT NULL,
	ended  BIGINT NOT NULL,
	data   BLOB NOT NULL,
	PRIMARY KEY (kind, caller, chat, id)
);
CREATE INDEX kept_ended ON kept (ended);
`

// Keep stores and removes results; see [handle.Store].
func (s *Store) Keep(ctx context.Context, put []handle.Entry, drop []handle.Name) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, n := range drop {
			if _, err := tx.ExecContext(ctx, `DELETE FROM kept WHERE kind = ? AND caller = ? AND chat = ? AND id = ?`, n.Kind, n.Caller, n.Chat, n.ID); err != nil {
				return err
			}
		}
		for _, e := range put {
			if _, err := tx.ExecContext(ctx, `INSERT INTO kept (kind, caller, chat, id, ended, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, caller, chat, id) DO UPDATE SET ended = excluded.ended, data = excluded.data`,
				e.Kind, e.Caller, e.Chat, e.ID, e.Ended.UnixMicro(), e.Data); err != nil {
				return err
			}
		}
		return nil
	})
}

// Kept gives stored results; see [handle.Store].
func (s *Store) Kept(ctx context.Context, since time.Time) (entries []handle.Entry, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM kept WHERE ended < ?`, since.UnixMicro()); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT kind, caller, chat, id, ended, data FROM kept ORDER BY ended`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var e handle.Entry
			var ended int64
			if err := rows.Scan(&e.Kind, &e.Caller, &e.Chat, &e.ID, &ended, &e.Data); err != nil {
				return err
			}
			e.Ended = time.UnixMicro(ended)
			entries = append(entries, e)
		}
		return rows.Err()
	})
	return entries, err
}
