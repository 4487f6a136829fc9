package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/store"
)

// ledger keeps for long what a server records: its journals are delivered to the
// store by a goroutine that Close ends.
type ledger struct {
	store   *store.Store
	shipper *runlog.Shipper
	stop    context.CancelFunc
	running sync.WaitGroup
}

// openLedger opens the store, and delivers what lies in journals from now on.
func openLedger(cfg *config.Store, logger *slog.Logger) (*ledger, error) {
	ctx, stop := context.WithCancel(context.Background())
	s, err := store.Open(ctx, cfg.File(), store.Options{Logger: logger})
	if err != nil {
		stop()
		return nil, err
	}
	l := &ledger{store: s, stop: stop, shipper: runlog.NewShipper(cfg.Journal(), s, runlog.ShipperOptions{
		Keep: runlog.Keep{Age: cfg.Keep.Log.Age, Size: int64(cfg.Keep.Log.Size)}, Logger: logger,
	})}
	l.running.Go(func() { l.shipper.Run(ctx) })
	return l, nil
}

// check says that records wait to be stored, in a sentence that anyone may read:
// the log of the server has the reason.
func (l *ledger) check() error {
	if l.shipper.State().Err != nil {
		return errors.New("the record of calls is kept in the journal, because the store cannot be used")
	}
	return nil
}

// Close delivers what is there and closes the store.
func (l *ledger) Close() error {
	l.stop()
	l.running.Wait()
	return l.store.Close()
}
