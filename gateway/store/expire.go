package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
)

const (
	// expireBatch is how many calls are removed in one transaction, which keeps
	// others waiting.
	expireBatch = 1000
	// forgetJournal is how long it is known how much of a journal arrived that is
	// gone: as long as somebody may still read it.
	forgetJournal = 24 * time.Hour
)

// Expire removes what is not to be kept; see [runlog.Shelf]. A call that runs is
// kept.
func (s *Store) Expire(ctx context.Context, keep runlog.Keep) (again bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		var oldest, excess int64
		if keep.Age > 0 {
			oldest = time.Now().Add(-keep.Age).UnixMicro()
		}
		if keep.Size > 0 {
			if err := tx.QueryRowContext(ctx, `SELECT bytes FROM changes`).Scan(&excess); err != nil {
				return err
			}
			excess -= keep.Size
		}
		n, err := removeOldest(ctx, tx, oldest, excess)
		if err != nil {
			return err
		}
		again = n == expireBatch
		if _, err := tx.ExecContext(ctx, `DELETE FROM journals WHERE closed = 1 AND arrived < ?`, time.Now().Add(-forgetJournal).UnixMicro()); err != nil {
			return err
		}
		return shrink(ctx, tx)
	})
	return again, err
}

// removeOldest removes calls that arrived before a time, and as many more as take so
// many bytes, of the oldest ones.
func removeOldest(ctx context.Context, tx *sql.Tx, arrivedBefore, excess int64) (int64, error) {
	result, err := tx.ExecContext(ctx, `DELETE FROM calls WHERE id IN (
	SELECT id FROM (
		SELECT id, arrived, SUM(size) OVER (ORDER BY change) - size AS older FROM (
			SELECT id, arrived, change, OCTET_LENGTH(record) + 400 AS size FROM calls WHERE status <> 'running' ORDER BY change LIMIT ?
		) AS oldest
	) AS summed WHERE arrived < ? OR older < ?)`,
		expireBatch, arrivedBefore, excess)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
