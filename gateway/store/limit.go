package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/toolgate/toolgate/gateway/limit"
)

// limitSchema holds the calls that were let through under a limit: of each key as
// many as the limit allows, numbered in the order they came. Times are nanoseconds
// since 1970; none of the calls of a key counts any more from until on.
const limitSchema = `
CREATE TABLE limit_keys (
	key    BLOB NOT NULL PRIMARY KEY,
	newest BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	until  BIGINT NOT NULL
);
CREATE INDEX limit_keys_until ON limit_keys (until);
CREATE TABLE limit_calls (
	key    BLOB NOT NULL,
	number BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (key, number)
);
`

// takeTimeout is how long a call may take to be counted, with all its waiting.
const takeTimeout = 5 * time.Second

// Of what does not count any more, one call takes out so much: more than it brings,
// and not so much that others have to wait.
const (
	staleCalls = 32
	staleKeys  = 4
)

// Take counts a call against limits; see [limit.Store]. The time is asked for when
// the file is this call's alone, so that of two processes the later one finds what
// the earlier one counted, and at no later time than its own.
func (s *Store) Take(ctx context.Context, now func() time.Time, limits []limit.Limit) (full int, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}: // within the process calls queue here and not at the file, which is polled
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return limit.None, 0, explain(s.path, context.Cause(ctx))
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		t := taking{ctx: ctx, tx: tx, now: now().UnixNano()}
		full, wait, err = t.take(limits)
		return err
	})
	if err != nil {
		return limit.None, 0, err
	}
	return full, wait, nil
}

// taking is one call that is counted, in a transaction of its own.
type taking struct {
	ctx context.Context
	tx  *sql.Tx
	now int64
}

// tally is what is known of a key.
type tally struct {
	newest, at, until int64
}

func (t *taking) take(limits []limit.Limit) (full int, wait time.Duration, err error) {
	full = limit.None
	tallies := make([]tally, len(limits))
	for i, l := range limits {
		if tallies[i], err = t.tally(l); err != nil {
			return full, 0, err
		}
		w, err := t.wait(l, tallies[i])
		if err != nil {
			return full, 0, err
		}
		if w > wait {
			full, wait = i, w
		}
	}
	if full != limit.None {
		return full, wait, nil
	}
	for i, l := range limits {
		if err := t.add(l, tallies[i]); err != nil {
			return full, 0, err
		}
	}
	return full, 0, t.sweep()
}

func (t *taking) exec(query string, args ...any) error {
	_, err := t.tx.ExecContext(t.ctx, query, args...)
	return err
}

// tally reads what is known of the key, and sees to it that it is known for as long
// as it counts under this limit.
func (t *taking) tally(l limit.Limit) (known tally, err error) {
	err = t.tx.QueryRowContext(t.ctx, `SELECT newest, at, until FROM limit_keys WHERE key = ?`, l.Key[:]).Scan(&known.newest, &known.at, &known.until)
	if errors.Is(err, sql.ErrNoRows) {
		return tally{}, nil
	}
	if err != nil {
		return known, err
	}
	if known.at > t.now {
		return known, t.settle(l, &known)
	}
	if until := known.at + keptFor(l); until > known.until {
		known.until = until
		return known, t.exec(`UPDATE limit_keys SET until = ? WHERE key = ?`, until, l.Key[:])
	}
	return known, nil
}

// settle counts calls that are to come, because the clock went back, as made now.
func (t *taking) settle(l limit.Limit, known *tally) error {
	known.at, known.until = t.now, t.now+keptFor(l)
	return errors.Join(
		t.exec(`UPDATE limit_calls SET at = ? WHERE key = ? AND at > ?`, t.now, l.Key[:], t.now),
		t.exec(`UPDATE limit_keys SET at = ?, until = ? WHERE key = ?`, known.at, known.until, l.Key[:]))
}

// keptFor is how long the calls of a key are known after the last of them.
func keptFor(l limit.Limit) int64 { return int64(max(l.Per, limit.KeepLeast)) }

// wait is how long there is no room for one more call: until the one that lies as
// many calls back as the limit allows does not count any more.
func (t *taking) wait(l limit.Limit, known tally) (time.Duration, error) {
	if l.Calls < 1 {
		return l.Per, nil // no configuration says so
	}
	first := known.newest - int64(l.Calls) + 1
	if first < 1 {
		return 0, nil
	}
	var at int64
	err := t.tx.QueryRowContext(t.ctx, `SELECT at FROM limit_calls WHERE key = ? AND number = ?`, l.Key[:], first).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) { // it did not count any more, and was taken out
		return 0, nil
	}
	return time.Duration(max(0, at+int64(l.Per)-t.now)), err
}

// add counts the call. Of those before it as many are kept as may count.
func (t *taking) add(l limit.Limit, known tally) error {
	number := known.newest + 1
	if err := t.exec(`INSERT INTO limit_calls (key, number, at) VALUES (?, ?, ?)`, l.Key[:], number, t.now); err != nil {
		return err
	}
	if err := t.exec(`INSERT INTO limit_keys (key, newest, at, until) VALUES (?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET newest = excluded.newest, at = excluded.at, until = excluded.until`,
		l.Key[:], number, t.now, max(known.until, t.now+keptFor(l))); err != nil {
		return err
	}
	if number <= int64(l.Calls) {
		return nil
	}
	return t.exec(`DELETE FROM limit_calls WHERE key = ? AND number IN (SELECT number FROM limit_calls WHERE key = ? AND number <= ? ORDER BY number LIMIT ?)`,
		l.Key[:], l.Key[:], number-int64(l.Calls), staleCalls)
}

// sweep takes out some of what does not count any more.
func (t *taking) sweep() error {
	keys, err := t.stale()
	if err != nil {
		return err
	}
	for _, key := range keys {
		done, err := t.tx.ExecContext(t.ctx, `DELETE FROM limit_calls WHERE key = ? AND number IN (SELECT number FROM limit_calls WHERE key = ? ORDER BY number LIMIT ?)`, key, key, staleCalls)
		if err != nil {
			return err
		}
		if gone, err := done.RowsAffected(); err != nil || gone == staleCalls {
			return err // the next one goes on with it
		}
		if err := t.exec(`DELETE FROM limit_keys WHERE key = ?`, key); err != nil {
			return err
		}
	}
	return nil
}

// stale are keys of which nothing counts any more.
func (t *taking) stale() (keys [][]byte, err error) {
	rows, err := t.tx.QueryContext(t.ctx, `SELECT key FROM limit_keys WHERE until <= ? ORDER BY until LIMIT ?`, t.now, staleKeys)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key []byte
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}
