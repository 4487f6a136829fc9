package runlog

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Archive is where calls are found that the journals were delivered to. What one
// method gives is the state of one moment.
type Archive interface {
	// Find gives, of the calls that have ended, the newest Query.Limit that match,
	// in any order, and all that run.
	Find(ctx context.Context, q Query) (Snapshot, error)
	// Tally tells visit of every call that has ended and matches, and gives all
	// that run. The query's Limit and Before do not count.
	Tally(ctx context.Context, q Query, visit func(Ending)) (Snapshot, error)
	// Changes gives what came, or came to its end, after a change, at most so much
	// and in that order, and the last change of that. Change 0 is before all.
	Changes(ctx context.Context, after int64, limit int) (entries []Entry, last int64, err error)
}

// Snapshot is what an archive holds at one moment.
type Snapshot struct {
	Ended     []Entry
	Running   []Running
	Positions map[string]int64 // how much of each journal it holds, in bytes
}

// Running is a call of which an archive has the start only.
type Running struct {
	Entry
	Journal string // the file in which it stands
}

// Ending is what statistics need of a call.
type Ending struct {
	Tool     string
	Code     tool.Code // CodeOK for a call that went well
	Duration time.Duration
}

// Shelf takes what journals hold.
type Shelf interface {
	// Positions says how much of each journal has arrived, in bytes.
	Positions(ctx context.Context) (map[string]int64, error)
	// Deliver keeps all of a delivery, or nothing. Of a call that has arrived
	// before, the end replaces the start; else nothing changes.
	Deliver(ctx context.Context, d Delivery) error
	// Expire removes some of the oldest calls that are not to be kept any more, and
	// says whether it is to be asked again for the rest.
	Expire(ctx context.Context, keep Keep) (again bool, err error)
}

// Delivery is a piece of one journal.
type Delivery struct {
	Journal  string // the name of its file
	Position int64  // how much of it has arrived with this, in bytes
	Items    []Item // of each call one, the end where there is one
	// Closed says that nothing follows: calls of this journal that have not ended
	// are interrupted.
	Closed bool
	// Cut says that the file has become shorter than what had arrived of it, so that
	// Position counts from its start again.
	Cut bool
}

// Item is a call as it is kept.
type Item struct {
	Entry
	Text []byte // the record as JSON; [ReadRecord] reads it
}

// Keep is how long the record of calls is kept.
type Keep struct {
	Age  time.Duration // since a call arrived in the store; without end when zero
	Size int64         // bytes that calls take in the store, about; without limit when zero
}

// ReadRecord reads the text of an [Item].
func ReadRecord(text []byte) (Record, error) {
	_, rec, err := parseLine(text)
	return rec, err
}

// Interrupt makes of a call that runs one that was interrupted.
func (e *Entry) Interrupt() { e.Status, e.Code = StatusInterrupted, tool.Interrupted }
