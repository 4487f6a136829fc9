package runlog

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Rhythm and bounds of shipping.
const (
	shipEvery   = 200 * time.Millisecond // how long a record lies in a journal
	shipRetry   = 30 * time.Second       // the longest pause after a failure
	shipRecords = 1000                   // records of one delivery
	shipBytes   = 4 << 20                // bytes of their text, but for the last one
	expireEvery = time.Minute
	// shipLock is the file whose lock the process holds that ships.
	shipLock = "shipper.lock"
	// shipShare is how much longer than its work a pause is at least: under load
	// calls have the processor. What lies in the journals is found there too, so a
	// burst of calls is delivered when it is over.
	shipShare = 9
	// hurriedShare is the same while more than shipLag bytes wait.
	hurriedShare = 2
	shipLag      = 64 << 20
	// lastRound is how long the end of a Shipper may take.
	lastRound = 2 * time.Second
)

// ShipperOptions are what a Shipper may be given; the zero value works.
type ShipperOptions struct {
	Keep   Keep         // how long calls are kept; for ever when zero
	Logger *slog.Logger // told of failures and of what could not be read; nothing is logged when nil
}

// Shipper moves records from the journals of a folder to where they are kept. Of
// several processes that share the folder one ships, also what the others write.
// Calls do not wait for it: what cannot be delivered stays in the journals.
type Shipper struct {
	dir   string
	shelf Shelf
	opts  ShipperOptions
	lock  *os.File // held by the process that ships; nil in others

	expired time.Time     // when something was removed for the last time
	share   time.Duration // how many times its work a pause is; 0 for no pauses

	mu        sync.Mutex // guards state and positions
	state     Shipping
	positions map[string]int64 // how much of each journal had arrived after the last attempt
}

// Shipping is how shipping goes.
type Shipping struct {
	Err       error // why records stay in the journals; nil when they do not
	Delivered int64 // records since the start of the process
	Unread    int64 // lines that are no records since then
}

// NewShipper makes a shipper of the journals in a folder. [Shipper.Run] starts it.
func NewShipper(dir string, shelf Shelf, opts ShipperOptions) *Shipper {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	return &Shipper{dir: dir, shelf: shelf, opts: opts}
}

// State says how shipping goes.
func (s *Shipper) State() Shipping {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Run ships until the context ends, and then once more what is there, for two
// seconds at most. It is called once.
func (s *Shipper) Run(ctx context.Context) {
	defer func() {
		if s.lock != nil {
			_ = s.lock.Close() // and with it the lock
		}
	}()
	pause := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastRound)
			defer stop()
			s.share = 0
			s.note(s.round(ctx))
			return
		case <-time.After(max(pause, shipEvery)):
		}
		s.pace()
		err := s.round(ctx)
		if ctx.Err() != nil {
			continue
		}
		s.note(err)
		pause = min(2*max(pause, shipEvery), shipRetry)
		if unread := (*unreadError)(nil); err == nil || errors.As(err, &unread) {
			s.expire(ctx)
			pause = 0
		}
	}
}

// pace chooses how fast the next round works.
func (s *Shipper) pace() {
	s.share = shipShare
	if waiting, _ := s.Backlog(); waiting > shipLag {
		s.share = hurriedShare
	}
}

// rest leaves the processor to the calls after a piece of work.
func (s *Shipper) rest(ctx context.Context, began time.Time) {
	if s.share == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(s.share * time.Since(began)):
	}
}

// note keeps how an attempt went, and tells when that is new.
func (s *Shipper) note(err error) {
	s.mu.Lock()
	before := s.state.Err
	s.state.Err = err
	s.mu.Unlock()
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		s.opts.Logger.Warn("records of calls stay in the journals until they can be delivered", "problem", err.Error())
	case err == nil && before != nil:
		s.opts.Logger.Info("records of calls are delivered again")
	}
}

// expire removes what is not to be kept any more, a batch at a time.
func (s *Shipper) expire(ctx context.Context) {
	if s.lock == nil || s.opts.Keep == (Keep{}) || !s.expired.IsZero() && time.Since(s.expired) < expireEvery {
		return
	}
	again, err := s.shelf.Expire(ctx, s.opts.Keep)
	if err != nil && ctx.Err() == nil {
		s.opts.Logger.Warn("old records of calls could not be removed", "problem", err.Error())
	}
	if !again || err != nil {
		s.expired = time.Now()
	}
}

// elected reports whether this is the process that ships.
func (s *Shipper) elected() (bool, error) {
	if s.lock != nil {
		return true, nil
	}
	file, err := os.OpenFile(filepath.Join(s.dir, shipLock), os.O_CREATE|os.O_RDWR, fileMode)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // no folder, no journal
	}
	if err != nil {
		return false, err
	}
	if err := lock(file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return false, err
	}
	s.lock = file
	return true, nil
}

// unreadError is why journals cannot be read, where everything else was delivered.
type unreadError struct{ error }

// round delivers what is in the journals now, and removes those that are done
// with. A journal is done with when its process is gone, and when everything that
// was written until then has arrived: the end of a call that started in one file
// may lie in another.
func (s *Shipper) round(ctx context.Context) error {
	if ok, err := s.elected(); !ok {
		return err
	}
	all, failed := openAll(s.dir)
	defer closeAll(all)
	positions, err := s.shelf.Positions(ctx)
	if err != nil {
		return err
	}
	defer func() { s.arrived(positions) }()
	for i := range all {
		p := parcel{journal: &all[i], position: positions[all[i].name]}
		err := s.ship(ctx, &p)
		positions[all[i].name] = p.position
		if p.unread != nil {
			failed = append(failed, p.unread) // the other journals are delivered
		} else if err != nil {
			return err
		}
	}
	if err := errors.Join(failed...); err != nil {
		return &unreadError{err}
	}
	for i := range all {
		if err := s.finish(ctx, &all[i], positions[all[i].name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shipper) arrived(positions map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.positions = positions
}

// Backlog is how many bytes lie in the journals that have not arrived, and whether
// the last attempt to deliver some failed.
func (s *Shipper) Backlog() (bytes int64, failing bool) {
	s.mu.Lock()
	positions, failing := s.positions, s.state.Err != nil
	s.mu.Unlock()
	names, _ := journalNames(s.dir) // where nothing can be read, nothing is known to wait
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			bytes += max(0, info.Size()-positions[name])
		}
	}
	return bytes, failing
}

// finish removes a journal that nothing follows in.
func (s *Shipper) finish(ctx context.Context, o *opened, position int64) error {
	if o.live {
		return nil
	}
	if err := s.shelf.Deliver(ctx, Delivery{Journal: o.name, Position: position, Closed: true}); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.dir, o.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// parcel is what of one journal is on its way.
type parcel struct {
	journal  *opened
	position int64          // how much has arrived
	items    []Item         // what is to go next
	at       map[string]int // where each call is among the items
	size     int            // bytes of their text
	records  int
	unread   error // why the journal cannot be read
}

// ship delivers what a journal holds.
func (s *Shipper) ship(ctx context.Context, p *parcel) error {
	var stats Stats
	if p.journal.endsBefore(p.position) {
		if err := s.restart(ctx, p); err != nil {
			return err
		}
	}
	rs := newRecords(p.journal, p.position, &stats)
	began := time.Now()
	for rs.next() {
		p.put(&rs.now)
		if p.records >= shipRecords || p.size >= shipBytes {
			if err := s.deliver(ctx, p, rs.done); err != nil {
				return err
			}
			s.rest(ctx, began)
			began = time.Now()
		}
	}
	if p.unread = rs.lines.err; p.unread != nil {
		return p.unread
	}
	if n := stats.Broken + stats.TooLong; n > 0 {
		s.opts.Logger.Warn("a journal holds lines that are no records: they were skipped", "file", filepath.Join(s.dir, p.journal.name), "lines", n)
		s.mu.Lock()
		s.state.Unread += int64(n)
		s.mu.Unlock()
	}
	if rs.done == p.position {
		return nil
	}
	if err := s.deliver(ctx, p, rs.done); err != nil {
		return err
	}
	s.rest(ctx, began)
	return nil
}

// put adds a record; the end of a call takes the place of its start.
func (p *parcel) put(f *found) {
	if p.at == nil {
		p.at = map[string]int{}
	}
	item := Item{Entry: Entry{Record: f.Record, Status: StatusRunning}, Text: append([]byte(nil), f.text...)}
	if f.kind == kindEnd {
		item.Status = ended(&f.Record)
	}
	p.records++
	p.size += len(item.Text)
	if i, ok := p.at[f.CallID]; !ok {
		p.at[f.CallID] = len(p.items)
		p.items = append(p.items, item)
	} else if p.items[i].Status == StatusRunning {
		p.items[i] = item
	}
}

// deliver delivers the items, with which the journal has arrived up to a place.
func (s *Shipper) deliver(ctx context.Context, p *parcel, position int64) error {
	if err := s.shelf.Deliver(ctx, Delivery{Journal: p.journal.name, Position: position, Items: p.items}); err != nil {
		return err
	}
	s.mu.Lock()
	s.state.Delivered += int64(p.records)
	s.mu.Unlock()
	*p = parcel{journal: p.journal, position: position, items: p.items[:0]}
	return nil
}
