package runlog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Stats says what was read of journals besides the calls that were found.
type Stats struct {
	Files   int // journals
	Records int // starts and ends
	Broken  int // lines that are no records: torn by a kill or a full disk
	TooLong int // lines over MaxLine
}

// Read is [Find] in the journals alone.
func Read(dir string, q Query) ([]Entry, Stats, error) {
	return Find(context.Background(), dir, nil, q)
}

// Find finds calls in an archive, where there is one, and in what the journals of
// a folder hold beside it. It returns the newest [Query.Limit] of those that
// match, oldest first, and no call twice. A folder that does not exist holds no
// calls yet; a journal that cannot be read is an error that names it. However
// large the journals are, no more than the calls returned and a few words for each
// call that had not ended are kept in memory.
func Find(ctx context.Context, dir string, archive Archive, q Query) ([]Entry, Stats, error) {
	found, err := newSelection(q)
	if err != nil {
		return nil, Stats{}, err
	}
	v := view{open: map[string]started{}, ended: func(e *Entry) { found.add(*e) }}
	err = v.read(ctx, dir, func() (Snapshot, error) {
		if archive == nil {
			return Snapshot{}, nil
		}
		return archive.Find(ctx, found.query)
	})
	return found.entries(), v.stats, err
}

// view puts together what an archive holds and what is still in journals.
type view struct {
	ended func(*Entry) // takes what has ended, and what runs
	stats Stats
	open  map[string]started // calls that have started and not ended
}

// started is a call that has not ended: one of the archive, or where its record
// stands in a journal.
type started struct {
	entry   *Entry
	journal *opened // nil for one that the archive holds, and whose journal is gone
	at      span
}

// read opens the journals before it asks the archive: what is delivered and
// removed meanwhile is in both, and the archive says how much of it.
func (v *view) read(ctx context.Context, dir string, ask func() (Snapshot, error)) error {
	all, failed := openAll(dir)
	defer closeAll(all)
	if err := errors.Join(failed...); err != nil {
		return err
	}
	snapshot, err := ask()
	if err != nil {
		return err
	}
	v.take(&snapshot, all)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := v.readJournal(&all[i], snapshot.Positions[all[i].name]); err != nil {
			return fmt.Errorf("read %s: %w", filepath.Join(dir, all[i].name), err)
		}
	}
	return v.unended()
}

// take takes what the archive holds.
func (v *view) take(s *Snapshot, all []opened) {
	for i := range s.Ended {
		v.ended(&s.Ended[i])
	}
	for i := range s.Running {
		r := &s.Running[i]
		one := started{entry: &r.Entry}
		for j := range all {
			if all[j].name == r.Journal {
				one.journal = &all[j]
			}
		}
		v.open[r.CallID] = one
	}
}

// readJournal reads one journal from where the archive has it. Of a call that has
// started only the place is kept: its end says everything again.
func (v *view) readJournal(o *opened, from int64) error {
	v.stats.Files++
	rs := newRecords(o, from, &v.stats)
	for rs.next() {
		if rs.now.kind == kindStart {
			v.open[rs.now.CallID] = started{journal: o, at: rs.now.at}
			continue
		}
		delete(v.open, rs.now.CallID)
		v.ended(&Entry{Record: rs.now.Record, Status: ended(&rs.now.Record)})
	}
	return rs.lines.err
}

func ended(rec *Record) Status {
	if rec.Code == "" {
		return StatusOK
	}
	return StatusError
}

// unended takes the calls that have a start but no end.
func (v *view) unended() error {
	for id, s := range v.open {
		e := s.entry
		if e == nil {
			text := make([]byte, s.at.size)
			if _, err := s.journal.file.ReadAt(text, s.at.offset); err != nil {
				return err
			}
			rec, err := ReadRecord(text)
			if err != nil {
				return fmt.Errorf("the start of call %s cannot be read again: %w", id, err)
			}
			e = &Entry{Record: rec}
		}
		if e.Status = StatusRunning; s.journal == nil || !s.journal.live {
			e.Interrupt()
		}
		v.ended(e)
	}
	return nil
}
