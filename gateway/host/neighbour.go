package host

import (
	"errors"

	"github.com/toolgate/toolgate/gateway/store"
)

// errNeighbour tells of a server beside this one, in a sentence that anyone may read.
var errNeighbour = errors.New("another server uses this store: what runs once and what calls() counts hold within one server only")

// neighbour says whether another server uses the store now. Where that cannot be
// told, it says nothing.
func (l *Ledger) neighbour() error {
	if others, err := l.presence.Others(); err != nil || !others {
		return nil
	}
	return errNeighbour
}

// announce tells other servers of this one, and the log of one that is there already.
func (l *Ledger) announce() {
	l.presence = store.Announce(l.dir)
	others, err := l.presence.Others()
	switch {
	case err != nil:
		l.logger.Warn("it cannot be told whether another server uses this store", "problem", err.Error())
	case others:
		l.logger.Warn(errNeighbour.Error(), "journals", l.dir)
	}
}
