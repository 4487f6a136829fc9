package runlog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// fullShelf takes nothing out, though there is more.
type fullShelf struct{ asked int }

func (*fullShelf) Positions(context.Context) (map[string]int64, error) {
	return map[string]int64{}, nil
}
func (*fullShelf) Deliver(context.Context, Delivery) error { return nil }

func (f *fullShelf) Expire(context.Context, Keep) (bool, error) {
	f.asked++
	return true, errors.New("its disk is full")
}

// TestExpireFails asks again in a minute where removing fails, not in each round.
func TestExpireFails(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		shelf := &fullShelf{}
		ctx, stop := context.WithTimeout(t.Context(), 90*time.Second)
		defer stop()
		NewShipper(dir, shelf, ShipperOptions{Keep: Keep{Size: 1}}).Run(ctx)
		if shelf.asked != 2 {
			t.Errorf("asked %d times in 90 s", shelf.asked)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, shipLock)); err != nil {
		t.Error(err)
	}
}
