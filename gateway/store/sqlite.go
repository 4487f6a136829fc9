package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

const (
	dirMode  = 0o700
	fileMode = 0o600

	// busyTimeout is how long a statement waits for another process.
	busyTimeout = time.Second
	// maxConns is how many connections there are at once; of those that write,
	// one goes on.
	maxConns = 4
	// maxWAL is what stays of the write-ahead log after a checkpoint, in bytes.
	maxWAL = 16 << 20
)

// openSQLite opens the file, which is made where it is missing. Every connection
// waits for others, writes ahead, and syncs at checkpoints: what is committed
// survives the end of the process, and after a power failure the file is whole.
func openSQLite(path string, readOnly bool) (*sql.DB, error) {
	query := url.Values{"_txlock": {"immediate"}, "modeof": {path}}
	if readOnly {
		query.Set("mode", "ro")
	} else if err := create(path); err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20")} // SQLite knows no +
	db, err := driver.Open(name.String(), func(c *sqlite3.Conn) error { return prepare(c, readOnly) })
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns) // the last one to close would take the log's files with it
	return db, nil
}

func prepare(c *sqlite3.Conn, readOnly bool) error {
	if err := c.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	if readOnly {
		return nil
	}
	return c.Exec(`PRAGMA auto_vacuum = incremental; PRAGMA journal_mode = wal; PRAGMA synchronous = normal;` +
		`PRAGMA journal_size_limit = ` + strconv.Itoa(maxWAL))
}

// versionOf reads the version of a database that is open, and refuses one that is
// not ours.
func versionOf(ctx context.Context, tx *sql.Tx) (version int, err error) {
	var application, tables int
	for query, into := range map[string]*int{
		`PRAGMA user_version`: &version, `PRAGMA application_id`: &application, `SELECT COUNT(*) FROM sqlite_schema`: &tables,
	} {
		if err := tx.QueryRowContext(ctx, query).Scan(into); err != nil {
			return 0, err
		}
	}
	switch {
	case application == 0 && tables == 0:
		return 0, nil
	case application != applicationID:
		return 0, foreign()
	case version > len(migrations()):
		return 0, newer(version)
	}
	return version, nil
}

// migrate brings the tables to the version of this program, in one transaction,
// and then the header of the file, which says so to whoever does not open it.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	version, err := versionOf(ctx, tx)
	if err != nil {
		return err
	}
	known := migrations()
	if version == len(known) {
		return nil
	}
	for _, m := range known[version:] {
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return fmt.Errorf("migration %q: %w", m.name, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d; PRAGMA application_id = %d`, len(known), applicationID)); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `PRAGMA wal_checkpoint(truncate)`)
	return err
}

// current refuses a database whose tables are not those of this program.
func current(ctx context.Context, tx *sql.Tx) error {
	version, err := versionOf(ctx, tx)
	if err == nil && version < len(migrations()) {
		return fmt.Errorf("it was written by an older version of the gateway (format %d): gateway serve brings it to this one's", version)
	}
	return err
}

// errNoDatabase is a file whose first bytes are lost.
const errNoDatabase = sqlite3.NOTADB

// isCorrupt reports an error that says that the file's content is damaged.
func isCorrupt(err error) bool {
	return errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB)
}

// isFull reports whether the disk of a file has no room, which SQLite cannot always
// tell from one that fails.
func isFull(path string) bool {
	const room = 64 << 10 // bytes
	var stat syscall.Statfs_t
	return syscall.Statfs(filepath.Dir(path), &stat) == nil && stat.Bavail*uint64(stat.Bsize) < room
}

// worded says of an error what an operator can do about it.
func worded(path string, err error) string {
	if errors.Is(err, sqlite3.IOERR) && isFull(path) {
		return "its disk is full"
	}
	for _, known := range []struct {
		code sqlite3.ErrorCode
		text string
	}{
		{sqlite3.BUSY, "another program keeps it locked"},
		{sqlite3.FULL, "its disk is full"},
		{sqlite3.READONLY, "it cannot be written"},
		{sqlite3.CANTOPEN, "it cannot be opened"},
		{sqlite3.IOERR, "its disk fails"},
	} {
		if errors.Is(err, known.code) {
			return known.text
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return "its folder or file may not be written"
	}
	return ""
}

// explain puts the file and the reason before an error.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the store %s cannot be used: %s: %w", path, cmp.Or(worded(path, err), "it failed"), err)
}

// callerKind is the kind of a call's caller.
const callerKind = `json_extract(record, '$.caller.kind')`

// matchGlob is the condition that a column matches a pattern of [globPattern].
func matchGlob(column string) string { return column + ` GLOB ?` }

// globPattern makes a pattern of * and ? one of SQLite, to which brackets mean
// something, too.
func globPattern(pattern string) string { return strings.ReplaceAll(pattern, "[", "[[]") }

// sizeSchema counts what calls take, with each that comes, changes or goes: its
// record, and about as much again as the row and its indexes take beside that. What
// else is in the file, such as chats and results, does not count.
const sizeSchema = `
ALTER TABLE changes ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE changes SET bytes = (SELECT COALESCE(SUM(OCTET_LENGTH(record) + 400), 0) FROM calls);
CREATE TRIGGER calls_come AFTER INSERT ON calls BEGIN
	UPDATE changes SET bytes = bytes + OCTET_LENGTH(NEW.record) + 400;
END;
CREATE TRIGGER calls_change AFTER UPDATE OF record ON calls BEGIN
	UPDATE changes SET bytes = bytes + OCTET_LENGTH(NEW.record) - OCTET_LENGTH(OLD.record);
END;
CREATE TRIGGER calls_go AFTER DELETE ON calls BEGIN
	UPDATE changes SET bytes = bytes - OCTET_LENGTH(OLD.record) - 400;
END;
`

// shrink gives pages back to the disk that are not in use, but for some that new
// records need at once.
func shrink(ctx context.Context, tx *sql.Tx) error {
	const spare = 1024 // pages of 4 KiB
	var free int64
	if err := tx.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free); err != nil || free <= spare {
		return err
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, free-spare))
	return err
}
