package store

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Find gives calls that match; see [runlog.Archive].
func (s *Store) Find(ctx context.Context, q runlog.Query) (found runlog.Snapshot, err error) {
	where := conditions(&q)
	where.beforeCursor(q.Before)
	where.args = append(where.args, cmp.Or(q.Limit, runlog.DefaultLimit))
	err = s.read(ctx, func(tx *sql.Tx) error {
		if found, err = unendedIn(ctx, tx); err != nil {
			return err
		}
		found.Ended, err = entriesIn(ctx, tx, `WHERE `+where.text()+` ORDER BY at DESC, id DESC LIMIT ?`, where.args)
		return err
	})
	return found, err
}

// Tally tells of the calls that match; see [runlog.Archive].
func (s *Store) Tally(ctx context.Context, q runlog.Query, visit func(runlog.Ending)) (found runlog.Snapshot, err error) {
	where := conditions(&q)
	err = s.read(ctx, func(tx *sql.Tx) error {
		if found, err = unendedIn(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT tool, code, took FROM calls WHERE `+where.text(), where.args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var e runlog.Ending
			var took int64
			if err := rows.Scan(&e.Tool, (*string)(&e.Code), &took); err != nil {
				return err
			}
			e.Code, e.Duration = cmp.Or(e.Code, runlog.CodeOK), time.Duration(took)*time.Microsecond
			visit(e)
		}
		return rows.Err()
	})
	return found, err
}

// Changes gives what is new; see [runlog.Archive].
func (s *Store) Changes(ctx context.Context, after int64, limit int) (entries []runlog.Entry, last int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		last = after
		if limit > 0 {
			if entries, err = entriesIn(ctx, tx, `WHERE change > ? ORDER BY change LIMIT ?`, []any{after, limit}); err != nil {
				return err
			}
		}
		query, args := `SELECT last FROM changes`, []any{}
		if len(entries) == limit && limit > 0 {
			query, args = `SELECT change FROM calls WHERE id = ?`, []any{entries[limit-1].CallID}
		}
		return tx.QueryRowContext(ctx, query, args...).Scan(&last)
	})
	return entries, last, err
}

// unendedIn is a snapshot without calls that have ended.
func unendedIn(ctx context.Context, tx *sql.Tx) (found runlog.Snapshot, err error) {
	if found.Positions, err = positionsIn(ctx, tx); err != nil {
		return found, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT record, journal FROM calls WHERE status = 'running'`)
	if err != nil {
		return found, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text []byte
		r := runlog.Running{Entry: runlog.Entry{Status: runlog.StatusRunning}}
		if err := rows.Scan(&text, &r.Journal); err != nil {
			return found, err
		}
		if r.Record, err = runlog.ReadRecord(text); err != nil {
			return found, err
		}
		found.Running = append(found.Running, r)
	}
	return found, rows.Err()
}

// entriesIn reads calls; what a record says of the end is overruled by the row.
func entriesIn(ctx context.Context, tx *sql.Tx, rest string, args []any) ([]runlog.Entry, error) {
	rows, err := tx.QueryContext(ctx, `SELECT status, code, record FROM calls `+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []runlog.Entry
	for rows.Next() {
		var status, code string
		var text []byte
		if err := rows.Scan(&status, &code, &text); err != nil {
			return nil, err
		}
		record, err := runlog.ReadRecord(text)
		if err != nil {
			return nil, err
		}
		record.Code = tool.Code(code)
		out = append(out, runlog.Entry{Record: record, Status: runlog.Status(status)})
	}
	return out, rows.Err()
}

// filter is the condition of a query and its values.
type filter struct {
	parts []string
	args  []any
}

func (f *filter) text() string { return strings.Join(f.parts, " AND ") }

func (f *filter) add(part string, args ...any) {
	f.parts, f.args = append(f.parts, part), append(f.args, args...)
}

// conditions are those of a query on calls that have ended, but for its cursor.
func conditions(q *runlog.Query) *filter {
	f := &filter{}
	f.add(`status <> 'running'`)
	for _, is := range [...]struct{ column, want string }{
		{"id", q.CallID},
		{"caller_id", q.CallerID},
		{"chat", q.Chat},
		{"decision", q.Decision},
		{"rule", q.Rule},
	} {
		if is.want != "" {
			f.add(is.column+` = ?`, is.want)
		}
	}
	switch q.Code {
	case "":
	case runlog.CodeOK:
		f.add(`status = ?`, string(runlog.StatusOK))
	default:
		f.add(`code = ?`, string(q.Code))
	}
	f.status(q.Status)
	f.glob("tool", q.Tool)
	f.caller(q)
	if !q.Since.IsZero() {
		f.add(`at >= ?`, q.Since.UnixMicro())
	}
	return f
}

// status matches how a call stands; one that a stop interrupted ended all the same.
func (f *filter) status(want runlog.Status) {
	switch want {
	case "":
	case runlog.StatusInterrupted:
		f.add(`(status = ? OR code = ?)`, string(want), string(tool.Interrupted))
	default:
		f.add(`status = ?`, string(want))
	}
}

// caller matches the name, or the kind and the name. The kind stands in the record
// alone: it is read of callers whose name matches.
func (f *filter) caller(q *runlog.Query) {
	kind, name, ok := q.CallerKind()
	if !ok {
		f.glob("caller", q.Caller)
		return
	}
	whole, wholeArg := like("caller", q.Caller)
	part, partArg := like("caller", name)
	f.add(`(`+whole+` OR `+part+` AND `+callerKind+` = ?)`, wholeArg, partArg, string(kind))
}

// glob matches a column with a pattern of * and ?.
func (f *filter) glob(column, pattern string) {
	if pattern != "" {
		part, arg := like(column, pattern)
		f.add(part, arg)
	}
}

// like is the condition that a column matches a pattern of * and ?, and its value.
func like(column, pattern string) (part, arg string) {
	if strings.ContainsAny(pattern, "*?") {
		return matchGlob(column), globPattern(pattern)
	}
	return column + ` = ?`, pattern
}

func (f *filter) beforeCursor(c runlog.Cursor) {
	if c != (runlog.Cursor{}) {
		f.add(`(at, id) < (?, ?)`, c.Time.UnixMicro(), c.CallID)
	}
}
