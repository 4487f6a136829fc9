package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// record is the record of calls as this program reads it: a store, where there is
// one that can be read, and the journals.
type record struct {
	io      streams
	dir     string // of the journals
	archive runlog.Archive
	unbegun string // says that there is neither a store nor a journal, and where; empty where there is
	close   func() error
}

// openRecord needs to know where the log is and nothing else of the
// configuration: a file with mistakes is when the log is wanted most. So is a
// store that cannot be read.
func openRecord(ctx context.Context, io streams, opts config.Options) (r *record, err error) {
	cfg, problems := config.Load(opts)
	if cfg == nil && allThere(opts.Files) {
		cfg, _ = config.LoadSettings(opts)
		defer func() { // when it is known that there is one
			if err == nil {
				_, _ = fmt.Fprintf(io.err, "%s cannot be read (gateway lint says why), so this is the log of %s; another one is named with --set store.url=sqlite:PATH\n",
					strings.Join(opts.Files, ", "), cfg.Store.File())
			}
		}()
	}
	if cfg == nil || cfg.Broken("store") {
		return nil, &exitError{exitUsage, problems}
	}
	r = &record{io: io, dir: cfg.Store.Journal(), close: func() error { return nil }}
	s, err := store.Open(ctx, cfg.Store.File(), store.Options{ReadOnly: true})
	switch {
	case err == nil:
		r.archive, r.close = s, s.Close
	case !errors.Is(err, fs.ErrNotExist):
		r.without(err)
	case !anyIn(r.dir):
		r.unbegun = fmt.Sprintf("nothing is recorded yet: there is no store %s and no journal in %s", cfg.Store.File(), r.dir)
	}
	return r, nil
}

// allThere reports whether all files can be found, so that what is wrong is what
// one of them says.
func allThere(files []string) bool {
	return !slices.ContainsFunc(files, func(name string) bool {
		_, err := os.Stat(name)
		return err != nil
	})
}

// anyIn reports whether there is a journal in a folder.
func anyIn(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	return len(names) > 0
}

// without goes on with the journals alone.
func (r *record) without(err error) {
	r.archive = nil
	_, _ = fmt.Fprintf(r.io.err, "only what lies in the journals is shown: %v\n", err)
}

// ask reads the whole record or, where the store fails, what lies in journals.
func (r *record) ask(read func(runlog.Archive) (runlog.Stats, error)) error {
	stats, err := read(r.archive)
	if err != nil && r.archive != nil {
		r.without(err)
		stats, err = read(nil)
	}
	if err == nil && stats.Broken+stats.TooLong > 0 {
		_, _ = fmt.Fprintf(r.io.err, "%d lines of the journals could not be read and were skipped\n", stats.Broken+stats.TooLong)
	}
	return err
}

// find gives calls, oldest first.
func (r *record) find(ctx context.Context, q runlog.Query) (entries []runlog.Entry, err error) {
	err = r.ask(func(a runlog.Archive) (stats runlog.Stats, err error) {
		entries, stats, err = runlog.Find(ctx, r.dir, a, q)
		return stats, err
	})
	return entries, err
}

// summarise counts calls by tool.
func (r *record) summarise(ctx context.Context, q runlog.Query) (summaries []runlog.Summary, err error) {
	err = r.ask(func(a runlog.Archive) (stats runlog.Stats, err error) {
		summaries, stats, err = runlog.Summarise(ctx, r.dir, a, q)
		return stats, err
	})
	return summaries, err
}
