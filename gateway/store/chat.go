package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
)

// chatSchema holds chats. Times are microseconds since 1970 (UTC); context is a
// JSON object as it was sent.
const chatSchema = `
CREATE TABLE chats (
	caller_id TEXT NOT NULL,
	id        TEXT NOT NULL,
	made      BIGINT NOT NULL,
	used      BIGINT NOT NULL,
	context   TEXT NOT NULL,
	PRIMARY KEY (caller_id, id)
);
`

const keepChat = `
INSERT INTO chats (caller_id, id, made, used, context) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (caller_id, id) DO UPDATE SET made = excluded.made, used = excluded.used, context = excluded.context`

// Chats gives all chats; see [chat.Store].
func (s *Store) Chats(ctx context.Context) (chats []chat.Saved, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		chats, err = chatsIn(ctx, tx)
		return err
	})
	return chats, err
}

func chatsIn(ctx context.Context, tx *sql.Tx) ([]chat.Saved, error) {
	rows, err := tx.QueryContext(ctx, `SELECT caller_id, id, made, used, context FROM chats`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []chat.Saved
	for rows.Next() {
		var c chat.Saved
		var made, used int64
		if err := rows.Scan(&c.Caller, &c.ID, &made, &used, &c.Context); err != nil {
			return nil, err
		}
		c.Made, c.Used = time.UnixMicro(made), time.UnixMicro(used)
		out = append(out, c)
	}
	return out, rows.Err()
}

// SaveChats keeps chats in place of those of the same keys; see [chat.Store].
func (s *Store) SaveChats(ctx context.Context, chats []chat.Saved) error {
	return s.eachChat(ctx, keepChat, len(chats), func(i int) []any {
		c := &chats[i]
		return []any{c.Caller, c.ID, c.Made.UnixMicro(), c.Used.UnixMicro(), string(c.Context)}
	})
}

// DropChats takes chats out; see [chat.Store].
func (s *Store) DropChats(ctx context.Context, keys []chat.Key) error {
	return s.eachChat(ctx, `DELETE FROM chats WHERE caller_id = ? AND id = ?`, len(keys), func(i int) []any {
		return []any{keys[i].Caller, keys[i].ID}
	})
}

// eachChat runs a statement n times, all of them or none.
func (s *Store) eachChat(ctx context.Context, query string, n int, args func(i int) []any) error {
	if n == 0 {
		return nil
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		stmt, err := tx.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { _ = stmt.Close() }()
		for i := range n {
			if _, err := stmt.ExecContext(ctx, args(i)...); err != nil {
				return err
			}
		}
		return nil
	})
}
