package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
)

// fileSchema holds files of chats, and apart from them what is in them, by parts of
// [chat.PartSize] bytes. Times are microseconds since 1970 (UTC). A content is given up
// from a time on; that is NULL while a file has it.
const fileSchema = `
CREATE TABLE chat_files (
	caller_id TEXT NOT NULL,
	chat_id   TEXT NOT NULL,
	path      TEXT NOT NULL,
	size      BIGINT NOT NULL,
	media     TEXT NOT NULL,
	sha256    TEXT NOT NULL,
	changed   BIGINT NOT NULL,
	content   TEXT NOT NULL,
	PRIMARY KEY (caller_id, chat_id, path)
);
CREATE INDEX chat_files_changed ON chat_files (changed);
CREATE INDEX chat_files_content ON chat_files (content);
CREATE TABLE contents (
	id       TEXT NOT NULL PRIMARY KEY,
	given_up BIGINT
);
CREATE INDEX contents_given_up ON contents (given_up);
CREATE TABLE content_parts (
	content TEXT NOT NULL,
	number  BIGINT NOT NULL,
	data    BLOB NOT NULL,
	PRIMARY KEY (content, number)
);
`

const (
	// clearFiles is how many files are taken out in one transaction, and clearParts how
	// many parts of what is in them: 128 MiB.
	clearFiles = 500
	clearParts = 512

	// giveUpFiles gives up what is in the files of a chat.
	giveUpFiles = `UPDATE contents SET given_up = 0 WHERE id IN (SELECT content FROM chat_files WHERE caller_id = ? AND chat_id = ?)`
	// liveFiles are the files of chats, but for those of earlier ones of the same name.
	liveFiles = `SELECT path, size, media, sha256, changed, content FROM chat_files
JOIN chats ON chats.caller_id = chat_files.caller_id AND chats.id = chat_files.chat_id
WHERE chat_files.caller_id = ? AND chat_files.chat_id = ? AND changed >= made ORDER BY path`
)

// FilesOf gives the files of a chat; see [chat.FileStore].
func (s *Store) FilesOf(ctx context.Context, key chat.Key) (files []chat.SavedFile, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		files, err = filesIn(ctx, tx, key)
		return err
	})
	return files, err
}

func filesIn(ctx context.Context, tx *sql.Tx, key chat.Key) ([]chat.SavedFile, error) {
	rows, err := tx.QueryContext(ctx, liveFiles, key.Caller, key.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []chat.SavedFile
	for rows.Next() {
		var f chat.SavedFile
		var changed int64
		if err := rows.Scan(&f.Path, &f.Size, &f.Media, &f.Digest, &changed, &f.Content); err != nil {
			return nil, err
		}
		f.Changed = time.UnixMicro(changed).UTC()
		out = append(out, f)
	}
	return out, rows.Err()
}

// EditFiles puts and drops files of a chat; see [chat.FileStore].
func (s *Store) EditFiles(ctx context.Context, key chat.Key, edit func([]chat.SavedFile) ([]chat.SavedFile, []string, error)) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		var made int64
		err := tx.QueryRowContext(ctx, `SELECT made FROM chats WHERE caller_id = ? AND id = ?`, key.Caller, key.ID).Scan(&made)
		if errors.Is(err, sql.ErrNoRows) {
			return chat.ErrNoChat
		}
		if err != nil {
			return err
		}
		if err := dropEarlier(ctx, tx, key, made); err != nil {
			return err
		}
		files, err := filesIn(ctx, tx, key)
		if err != nil {
			return err
		}
		put, drop, err := edit(files)
		if err != nil {
			return err
		}
		for _, path := range drop {
			if err := dropFile(ctx, tx, key, path); err != nil {
				return err
			}
		}
		for i := range put {
			if err := putFile(ctx, tx, key, &put[i], made); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropEarlier takes out what is left of an earlier chat of the name.
func dropEarlier(ctx context.Context, tx *sql.Tx, key chat.Key, made int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE contents SET given_up = 0 WHERE id IN (SELECT content FROM chat_files WHERE caller_id = ? AND chat_id = ? AND changed < ?)`,
		key.Caller, key.ID, made); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM chat_files WHERE caller_id = ? AND chat_id = ? AND changed < ?`, key.Caller, key.ID, made)
	return err
}

func dropFile(ctx context.Context, tx *sql.Tx, key chat.Key, path string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE contents SET given_up = 0 WHERE id IN (SELECT content FROM chat_files WHERE caller_id = ? AND chat_id = ? AND path = ?)`,
		key.Caller, key.ID, path); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM chat_files WHERE caller_id = ? AND chat_id = ? AND path = ?`, key.Caller, key.ID, path)
	return err
}

// putFile puts a file in the place of the one of its path. By a clock that was set back
// it would be older than its chat.
func putFile(ctx context.Context, tx *sql.Tx, key chat.Key, f *chat.SavedFile, made int64) error {
	if err := dropFile(ctx, tx, key, f.Path); err != nil {
		return err
	}
	taken, err := tx.ExecContext(ctx, `UPDATE contents SET given_up = NULL WHERE id = ? AND given_up > 0`, f.Content)
	if err != nil {
		return err
	}
	if n, err := taken.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, fmt.Errorf("what is in the file %q was given up", f.Path))
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO chat_files (caller_id, chat_id, path, size, media, sha256, changed, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		key.Caller, key.ID, f.Path, f.Size, f.Media, f.Digest, max(f.Changed.UnixMicro(), made), f.Content)
	return err
}

// AddPart keeps a part of a content; see [chat.FileStore].
func (s *Store) AddPart(ctx context.Context, content string, number int, data []byte, until time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO contents (id, given_up) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET given_up = excluded.given_up`,
			content, until.UnixMicro()); err != nil {
			return err
		}
		if data == nil {
			data = []byte{} // nil would be NULL
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO content_parts (content, number, data) VALUES (?, ?, ?)`, content, number, data)
		return err
	})
}

// ReadPart gives a part of a content; see [chat.FileStore].
func (s *Store) ReadPart(ctx context.Context, content string, number int) (data []byte, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT data FROM content_parts WHERE content = ? AND number = ?`, content, number).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return data, err
}

// GiveUp gives contents up that no file has; see [chat.FileStore].
func (s *Store) GiveUp(ctx context.Context, contents []string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, id := range contents {
			if _, err := tx.ExecContext(ctx, `UPDATE contents SET given_up = 0 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM chat_files WHERE content = contents.id)`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// ClearFiles takes out old files and what was given up; see [chat.FileStore].
func (s *Store) ClearFiles(ctx context.Context, before time.Time) (again bool, err error) {
	now, oldest := time.Now().UnixMicro(), int64(0)
	if !before.IsZero() {
		oldest = before.UnixMicro()
	}
	var due bool
	err = s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM contents WHERE given_up < ?) OR EXISTS (SELECT 1 FROM chat_files WHERE changed < ?)`, now, oldest).Scan(&due)
	})
	if err != nil || !due {
		return false, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		again, err = clearSome(ctx, tx, now, oldest)
		return err
	})
	return again, err
}

func clearSome(ctx context.Context, tx *sql.Tx, now, oldest int64) (again bool, err error) {
	const old = `SELECT content FROM chat_files WHERE changed < ? ORDER BY changed, content LIMIT ?`
	if _, err := tx.ExecContext(ctx, `UPDATE contents SET given_up = 0 WHERE id IN (`+old+`)`, oldest, clearFiles); err != nil {
		return false, err
	}
	files, err := affected(tx.ExecContext(ctx, `DELETE FROM chat_files WHERE content IN (`+old+`)`, oldest, clearFiles))
	if err != nil {
		return false, err
	}
	parts, err := affected(tx.ExecContext(ctx, `DELETE FROM content_parts WHERE (content, number) IN (
	SELECT content, number FROM content_parts JOIN contents ON contents.id = content_parts.content WHERE given_up < ? LIMIT ?)`, now, clearParts))
	if err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM contents WHERE given_up < ? AND NOT EXISTS (SELECT 1 FROM content_parts WHERE content = contents.id)`, now)
	return files == clearFiles || parts == clearParts, err
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
