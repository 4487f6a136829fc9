package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"
)

// keySchema holds the keys by which the gateway knows again what it gave out
// itself, each by what it is for. The time is microseconds since 1970 (UTC).
const keySchema = `
CREATE TABLE keys (
	name    TEXT NOT NULL PRIMARY KEY,
	value   BLOB NOT NULL,
	created BIGINT NOT NULL
);
`

// KeySize is the length of a key in bytes.
const KeySize = 32

// Key gives the key of the name, [KeySize] random bytes that are made once: every
// process on the file, also after a restart, is given the same.
func (s *Store) Key(ctx context.Context, name string) (key []byte, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		key, err = readKey(ctx, tx, name)
		return err
	})
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return key, err
	}
	fresh := make([]byte, KeySize)
	_, _ = rand.Read(fresh) // it never fails
	err = s.write(ctx, func(tx *sql.Tx) error {
		const once = `INSERT INTO keys (name, value, created) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`
		if _, err := tx.ExecContext(ctx, once, name, fresh, time.Now().UnixMicro()); err != nil {
			return err
		}
		key, err = readKey(ctx, tx, name) // another process may have been first
		return err
	})
	return key, err
}

func readKey(ctx context.Context, tx *sql.Tx, name string) (key []byte, err error) {
	err = tx.QueryRowContext(ctx, `SELECT value FROM keys WHERE name = ?`, name).Scan(&key)
	return key, err
}
