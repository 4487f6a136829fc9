package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// ErrRefused is part of the error about a file that must not be used: it was
// written by a newer version, or belongs to another program. It was not changed.
var ErrRefused = errors.New("nothing in it was changed")

// Options are what a Store may be given; the zero value works.
type Options struct {
	Logger   *slog.Logger // told of what is set aside; nothing is logged when nil
	ReadOnly bool         // nothing is made, migrated or set aside
}

// Store is one file. It is safe for concurrent use, also by several processes.
type Store struct {
	path string
	opts Options

	turn chan struct{} // has something in it while a call is counted against limits

	mu     sync.Mutex // guards what follows
	db     *sql.DB    // nil while it cannot be opened
	file   os.FileInfo
	closed bool
}

// Open opens the file, which is made where it is missing (mode 0600, its folder
// 0700). The error is about a file that must never be used ([ErrRefused]) or,
// with Options.ReadOnly, about any that cannot be used now. Else a file that
// cannot be used now is opened when it can: what is asked of the store until then
// fails.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	s := &Store{path: path, opts: opts, turn: make(chan struct{}, 1)}
	_, err := s.open(ctx)
	if err != nil && (opts.ReadOnly || errors.Is(err, ErrRefused)) {
		return nil, err
	}
	return s, nil
}

// Check says why the store cannot be used now, or nil.
func (s *Store) Check(ctx context.Context) error {
	_, err := s.open(ctx)
	return err
}

// Close closes the file. Closing again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.drop()
}

// drop closes the database; mu is held.
func (s *Store) drop() error {
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// open gives the database, opened and migrated. A file that somebody moved away
// is not written any more: what went there would be lost.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, explain(s.path, fs.ErrClosed)
	}
	if s.db != nil {
		if now, err := os.Stat(s.path); err == nil && os.SameFile(now, s.file) {
			return s.db, nil
		}
		_ = s.drop() // its file is gone
	}
	db, err := s.connect(ctx)
	if err != nil && isCorrupt(err) && !s.opts.ReadOnly {
		if err := s.setAside(nil, err); err != nil {
			return nil, explain(s.path, err)
		}
		db, err = s.connect(ctx)
	}
	if err != nil {
		return nil, explain(s.path, err)
	}
	s.db = db
	return db, nil
}

// connect opens what is at the path now; mu is held.
func (s *Store) connect(ctx context.Context) (*sql.DB, error) {
	h, err := s.judge()
	if err != nil {
		return nil, err
	}
	if !s.opts.ReadOnly && !h.current() {
		making, err := alone(ctx, s.path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = making.Close() }()
		if _, err := s.judge(); err != nil {
			return nil, err // another one has made it meanwhile
		}
	}
	db, err := openSQLite(s.path, s.opts.ReadOnly)
	if err != nil {
		return nil, err
	}
	if s.opts.ReadOnly {
		err = transact(ctx, db, &sql.TxOptions{ReadOnly: true}, func(tx *sql.Tx) error { return current(ctx, tx) })
	} else {
		err = migrate(ctx, db)
	}
	if s.file, err = stat(s.path, err); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func stat(path string, err error) (os.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// judge refuses a file that must not be used, before anything opens it.
func (s *Store) judge() (header, error) {
	h, err := readHeader(s.path)
	switch {
	case err != nil:
		return h, err
	case h.folder:
		return h, fmt.Errorf("it is a folder: name a file in it under store.url, such as sqlite:%s; %w", filepath.Join(s.path, "gateway.db"), ErrRefused)
	case !h.begun() && s.opts.ReadOnly:
		return h, fs.ErrNotExist
	case !h.begun(), h.ours && h.version <= len(migrations()):
		return h, nil
	case h.ours:
		return h, newer(h.version)
	case h.stale && !h.text:
		return h, nil // what it is shows when it is open
	case h.sqlite:
		return h, foreign()
	case h.text:
		return h, fmt.Errorf("it is a text and no database: name another file under store.url; %w", ErrRefused)
	}
	return h, errNoDatabase
}

func foreign() error {
	return fmt.Errorf("it is the database of another program: name another file under store.url; %w", ErrRefused)
}

func newer(version int) error {
	return fmt.Errorf("it was written by a newer version of the gateway (format %d, and this one knows formats up to %d): "+
		"use that version, or name another file under store.url; %w", version, len(migrations()), ErrRefused)
}

// setAside gives a corrupt file and what lies beside it another name, unless
// somebody has done so since it was opened as the file that is given; mu is held.
func (s *Store) setAside(opened os.FileInfo, reason error) error {
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	// Of several processes that find the same, one renames.
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return os.NewSyscallError("flock "+s.path, err)
	}
	own, err := file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(s.path)
	if err != nil || !os.SameFile(own, now) || opened != nil && !os.SameFile(opened, now) {
		return err
	}
	aside := s.path + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000Z")
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Rename(s.path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	s.opts.Logger.Error("the store is corrupt: it was set aside and a new one is begun; what the journals hold is not lost",
		"file", aside, "reason", reason.Error())
	return nil
}

// write runs f in a transaction that may write, and read in one that sees one
// state of the file. Where f fails nothing is changed.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	return s.within(ctx, nil, f)
}

func (s *Store) read(ctx context.Context, f func(*sql.Tx) error) error {
	return s.within(ctx, &sql.TxOptions{ReadOnly: true}, f)
}

func (s *Store) within(ctx context.Context, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	if err = transact(ctx, db, opts, f); err == nil || !isCorrupt(err) || s.opts.ReadOnly {
		return explain(s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == db {
		err = errors.Join(err, s.drop(), s.setAside(s.file, err))
	}
	return explain(s.path, err)
}

func transact(ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
