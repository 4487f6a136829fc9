package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
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

// groupSchema adds the groups that are active in a chat and those that are asked
// for, as JSON lists, and by the clock in which order chats were edited.
const groupSchema = `
ALTER TABLE chats ADD COLUMN active_groups TEXT NOT NULL DEFAULT '[]';
ALTER TABLE chats ADD COLUMN requests TEXT NOT NULL DEFAULT '[]';
ALTER TABLE chats ADD COLUMN edited BIGINT NOT NULL DEFAULT 0;
CREATE INDEX chats_edited ON chats (edited);
CREATE TABLE chat_clock (edits BIGINT NOT NULL);
INSERT INTO chat_clock VALUES (0);
`

// foundSchema adds the names of tools that were found in a chat, as a JSON list.
const foundSchema = `
ALTER TABLE chats ADD COLUMN found TEXT NOT NULL DEFAULT '[]';
`

const (
	chatColumns = `caller_id, id, made, used, context, active_groups, requests, found`
	insertChat  = `INSERT INTO chats (` + chatColumns + `, edited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT edits FROM chat_clock))
ON CONFLICT (caller_id, id) DO UPDATE SET `
	// writeChat puts a chat in the place of the one of its key.
	writeChat = insertChat + `made = excluded.made, used = excluded.used, context = excluded.context,
	active_groups = excluded.active_groups, requests = excluded.requests, found = excluded.found, edited = excluded.edited`
	// touchChat leaves one that is there as it is, but for its time.
	touchChat = insertChat + `used = CASE WHEN excluded.used > chats.used THEN excluded.used ELSE chats.used END`
)

// ChangedChats gives the chats that were edited behind a mark; see [chat.Store].
func (s *Store) ChangedChats(ctx context.Context, mark int64) (chats []chat.Saved, next int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT edits FROM chat_clock`).Scan(&next); err != nil || next == mark {
			return err
		}
		chats, err = chatsIn(ctx, tx, `WHERE edited > ?`, mark)
		return err
	})
	return chats, next, err
}

func chatsIn(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]chat.Saved, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+chatColumns+` FROM chats `+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []chat.Saved
	for rows.Next() {
		var c chat.Saved
		var made, used int64
		var groups, requests, found []byte
		if err := rows.Scan(&c.Caller, &c.ID, &made, &used, &c.Context, &groups, &requests, &found); err != nil {
			return nil, err
		}
		c.Made, c.Used = time.UnixMicro(made), time.UnixMicro(used)
		if err := readLists(&c, groups, requests, found); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// readLists reads the lists of a chat; most have none.
func readLists(c *chat.Saved, groups, requests, found []byte) error {
	for data, into := range map[*[]byte]any{&groups: &c.Groups, &requests: &c.Requests, &found: &c.Found} {
		if len(*data) > len("[]") {
			if err := json.Unmarshal(*data, into); err != nil {
				return fmt.Errorf("chat %s of %s: %w", c.ID, c.Caller, err)
			}
		}
	}
	return nil
}

// chatRow are the values of chatColumns.
func chatRow(c *chat.Saved) ([]any, error) {
	groups, err := json.Marshal(append([]string{}, c.Groups...))
	if err != nil {
		return nil, err
	}
	requests, err := json.Marshal(append([]chat.Request{}, c.Requests...))
	if err != nil {
		return nil, err
	}
	found, err := json.Marshal(append([]string{}, c.Found...))
	if err != nil {
		return nil, err
	}
	return []any{c.Caller, c.ID, c.Made.UnixMicro(), c.Used.UnixMicro(), string(c.Context), string(groups), string(requests), string(found)}, nil
}

// EditChat writes what edit makes of a chat; see [chat.Store].
func (s *Store) EditChat(ctx context.Context, key chat.Key, edit func(*chat.Saved) (chat.Saved, error)) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		found, err := chatsIn(ctx, tx, `WHERE caller_id = ? AND id = ?`, key.Caller, key.ID)
		if err != nil {
			return err
		}
		var old *chat.Saved
		if len(found) > 0 {
			old = &found[0]
		}
		made, err := edit(old)
		if err != nil {
			return err
		}
		row, err := chatRow(&made)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE chat_clock SET edits = edits + 1`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, writeChat, row...)
		return err
	})
}

// UseChats writes down when chats were used; see [chat.Store].
func (s *Store) UseChats(ctx context.Context, chats []chat.Saved) error {
	return s.eachChat(ctx, touchChat, len(chats), func(i int) ([]any, error) { return chatRow(&chats[i]) })
}

// DropChats takes chats out, with their files; see [chat.Store].
func (s *Store) DropChats(ctx context.Context, keys []chat.Key) error {
	if len(keys) == 0 {
		return nil
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, key := range keys {
			for _, query := range []string{giveUpFiles, `DELETE FROM chat_files WHERE caller_id = ? AND chat_id = ?`, `DELETE FROM chats WHERE caller_id = ? AND id = ?`} {
				if _, err := tx.ExecContext(ctx, query, key.Caller, key.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// eachChat runs a statement n times, all of them or none.
func (s *Store) eachChat(ctx context.Context, query string, n int, args func(i int) ([]any, error)) error {
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
			values, err := args(i)
			if err != nil {
				return err
			}
			if _, err := stmt.ExecContext(ctx, values...); err != nil {
				return err
			}
		}
		return nil
	})
}
