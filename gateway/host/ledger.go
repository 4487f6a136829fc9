package host

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// Ledger keeps for long what a server records and what its calls gave: one
// goroutine delivers its journals to the store, another one results. Close ends
// both.
type Ledger struct {
	store    *store.Store
	shipper  *runlog.Shipper
	keeper   *handle.Keeper
	presence *store.Presence // nil where no server is
	kept     []handle.Entry  // results of calls of the process before
	dir      string          // of the journals
	logger   *slog.Logger
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// openLedger opens the store, and delivers what lies in journals from now on.
func openLedger(cfg *config.Store, logger *slog.Logger) (*Ledger, error) {
	ctx, stop := context.WithCancel(context.Background())
	s, err := store.Open(ctx, cfg.File(), store.Options{Logger: logger})
	if err != nil {
		stop()
		return nil, err
	}
	l := &Ledger{store: s, stop: stop, dir: cfg.Journal(), logger: logger, shipper: runlog.NewShipper(cfg.Journal(), s, runlog.ShipperOptions{
		Keep: runlog.Keep{Age: cfg.Keep.Log.Age, Size: int64(cfg.Keep.Log.Size)}, Logger: logger,
	})}
	if l.kept, err = s.Kept(ctx, time.Now().Add(-handle.DefaultKeep)); err != nil {
		logger.Warn("results of calls before this start cannot be asked for", "problem", err.Error())
	}
	l.keeper = handle.NewKeeper(s, logger)
	l.running.Go(func() { l.shipper.Run(ctx) })
	l.running.Go(func() { l.keeper.Run(ctx) })
	return l, nil
}

// check says that records wait to be stored, in a sentence that anyone may read:
// the log of the server has the reason.
func (l *Ledger) check() error {
	if l.shipper.State().Err != nil {
		return errors.New("the record of calls is kept in the journal, because the store cannot be used or a journal cannot be read")
	}
	return nil
}

// handles lets calls that ended be asked for after a restart. A program without a
// ledger keeps nothing.
func (l *Ledger) handles() handle.Options {
	if l == nil {
		return handle.Options{}
	}
	kept := l.kept
	l.kept = nil
	return handle.Options{Keeper: l.keeper, Kept: kept}
}

// Find gives calls, oldest first; where the store fails, those that lie in
// journals.
func (l *Ledger) Find(ctx context.Context, q runlog.Query) (entries []runlog.Entry, complete bool, err error) {
	complete, err = l.ask(ctx, func(a runlog.Archive) error {
		entries, _, err = runlog.Find(ctx, l.dir, a, q)
		return err
	})
	return entries, complete, err
}

// Summarise counts calls by tool; where the store fails, those that lie in
// journals.
func (l *Ledger) Summarise(ctx context.Context, q runlog.Query) (summaries []runlog.Summary, complete bool, err error) {
	complete, err = l.ask(ctx, func(a runlog.Archive) error {
		summaries, _, err = runlog.Summarise(ctx, l.dir, a, q)
		return err
	})
	return summaries, complete, err
}

// ask reads the whole record or else what lies in journals.
func (l *Ledger) ask(ctx context.Context, read func(runlog.Archive) error) (complete bool, err error) {
	if err = read(l.store); err == nil || ctx.Err() != nil {
		return true, err
	}
	l.logger.Warn("only what lies in the journals can be shown of the record of calls", "problem", err.Error())
	return false, read(nil)
}

// Close delivers what is there and closes the store.
func (l *Ledger) Close() error {
	l.stop()
	l.running.Wait()
	return errors.Join(l.presence.Close(), l.store.Close())
}

// maxJournals is how many journals programs that call one tool leave to a server.
const maxJournals = 100

// Tidy delivers what many such programs have left, where no server does. What
// fails stays where it is.
func Tidy(cfg *config.Store) {
	names, _ := filepath.Glob(filepath.Join(cfg.Journal(), "*.jsonl"))
	if len(names) <= maxJournals {
		return
	}
	if l, err := openLedger(cfg, slog.New(slog.DiscardHandler)); err == nil {
		_ = l.Close()
	}
}
