package learn

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// FollowInterval is how often notes are written to the store, and how often it is
	// asked what others have changed there.
	FollowInterval = 2 * time.Second
	// sweepInterval is how often what faded is dropped, and what notes count is worked
	// out anew.
	sweepInterval = time.Hour
	// roomy is how many notes are left where there were more than MaxNotes, so that not
	// every further one has to look for another to go.
	roomy = MaxNotes - MaxNotes/20
	// lastWrite is how long the last write may take when the book is closed.
	lastWrite = 5 * time.Second
)

// Store keeps notes, for several processes at a time. A method that returns an error
// has changed nothing.
type Store interface {
	// ChangedHints gives the notes that were edited behind a mark, and the mark to go on
	// with; behind -1 it gives all. A mark that is less than the one that was given is
	// of another, newer store.
	ChangedHints(ctx context.Context, mark int64) (notes []Saved, next int64, err error)
	// EditHints puts notes in the place of those of their keys.
	EditHints(ctx context.Context, notes []Saved) error
	// DropHints forgets for good the notes that were taken out before a time.
	DropHints(ctx context.Context, before time.Time) error
}

// Options are what a Book may be given; the zero value works.
type Options struct {
	Logger *slog.Logger // told of what could not be written; nothing is logged when nil
}

// Book is where notes are: in memory, for searches, and behind that in a store. It is
// safe for concurrent use.
type Book struct {
	store  Store // nil where notes end with the process
	logger *slog.Logger
	stop   context.CancelFunc
	done   chan struct{} // closed when the book writes no more

	writing sync.Mutex // held while the store is read or written; guards mark
	mark    int64      // up to which the changes of the store were taken in

	mu       sync.Mutex // guards what follows
	searches searches
	groups   map[string]*group
	count    int           // notes of all groups
	unsaved  map[Key]Saved // what the store has to be told
	versions uint64        // that were given out
}

// group are the notes that callers of one group share.
type group struct {
	tools   map[string][]*entry // in the order in which they came
	edits   edits
	notes   []discovery.Note // as they were given out last, with those of everybody
	version uint64           // of notes; 0 for none
	given   time.Time        // when notes were put together
	own     edits            // of the group in notes
	all     edits            // of everybody in notes
}

// edits count changes.
type edits struct {
	all     uint64
	learned uint64 // of them, those that calls made: a note more, in the place of others
}

// waits reports whether only calls have made changes since then.
func (e edits) waits(since edits) bool { return e.all-e.learned == since.all-since.learned }

const (
	// manyNotes is how many notes there are where one more changes little.
	manyNotes = 64
	// renewal is how long many notes are given out as they are, whatever calls add:
	// a search that sees other notes than the one before it learns anew what they have
	// in common.
	renewal = 30 * time.Second
)

// Open gives the book the notes of the store, which may be nil. While the store cannot
// be read the book goes on without what is in it. [Book.Close] ends it.
func Open(ctx context.Context, store Store, opts Options) *Book {
	b := newBook(store, opts)
	failed := b.noteFailure(ctx, b.exchange(ctx), false)
	ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	go b.run(ctx, failed)
	return b
}

// Visit gives a program the notes of the store, which may be nil, for a moment: servers that use it take in
// by themselves what is changed. There is nothing to close.
func Visit(ctx context.Context, store Store) (*Book, error) {
	b := newBook(store, Options{})
	if store == nil {
		return b, nil
	}
	return b, b.follow(ctx)
}

func newBook(store Store, opts Options) *Book {
	b := &Book{
		store: store, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), done: make(chan struct{}), mark: -1,
		searches: newSearches(), groups: map[string]*group{}, unsaved: map[Key]Saved{},
	}
	b.group(Everybody)
	return b
}

// Searched remembers a search, and what it found, the best first.
func (b *Book) Searched(caller tool.Caller, chat tool.Chat, query string, found []string) {
	if query = Clean(query); len(found) == 0 || len(discovery.Terms(query)) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.searches.add(chatKey{caller.ID, chat.ID}, search{time.Now(), query, found})
}

// Called makes a note where the call follows a search that found the tool.
func (b *Book) Called(caller tool.Caller, chat tool.Chat, name string) {
	now := stamp()
	b.mu.Lock()
	defer b.mu.Unlock()
	query := b.searches.take(chatKey{caller.ID, chat.ID}, name, now)
	if query == "" {
		return
	}
	made := newEntry(Saved{Key: Key{Group: GroupOf(&caller), Tool: name, Query: query}, Weight: 1, Used: now})
	for _, e := range b.group(made.Group).tools[name] {
		if e.words != made.words {
			continue
		}
		if e.written() {
			return
		}
		made = newEntry(Saved{Key: e.Key, Weight: 1, Used: now})
	}
	g := b.group(made.Group)
	before := g.edits.all
	if b.put(made) {
		b.save(made.Saved)
	}
	g.edits.learned += g.edits.all - before
}

// stamp is the time as a store keeps it.
func stamp() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Notes are those that serve a caller: of its group and of everybody. They are not
// changed; where the version is the same, so are they. What a call has taught may be
// missing for half a minute where there are many.
func (b *Book) Notes(caller tool.Caller) (notes []discovery.Note, version uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	everybody := b.groups[Everybody]
	g := b.groups[GroupOf(&caller)]
	if g == nil {
		g = everybody
	}
	now := time.Now()
	fresh := g.own == g.edits && g.all == everybody.edits
	waits := len(g.notes) >= manyNotes && now.Sub(g.given) < renewal && g.edits.waits(g.own) && everybody.edits.waits(g.all)
	if g.version != 0 && (fresh || waits) {
		return g.notes, g.version
	}
	g.notes = everybody.appendTo(nil, now)
	if g != everybody {
		g.notes = g.appendTo(g.notes, now)
	}
	b.versions++
	g.version, g.given, g.own, g.all = b.versions, now, g.edits, everybody.edits
	return g.notes, g.version
}

// appendTo appends the notes as they count at a time, by tool.
func (g *group) appendTo(notes []discovery.Note, now time.Time) []discovery.Note {
	for _, name := range slices.Sorted(maps.Keys(g.tools)) {
		for _, e := range g.tools[name] {
			note := e.note
			if note.Weight = e.at(now); note.Weight >= LeastWeight || e.written() {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// group gives a group, made where it is missing; mu is held.
func (b *Book) group(name string) *group {
	g := b.groups[name]
	if g == nil {
		g = &group{tools: map[string][]*entry{}}
		b.groups[name] = g
	}
	return g
}

// put puts a note in the place of the one of its key, and takes out what is too much,
// which may be that note; false then. mu is held.
func (b *Book) put(e *entry) bool {
	b.remove(e.Key)
	g := b.group(e.Group)
	g.edits.all++
	g.tools[e.Tool] = append(g.tools[e.Tool], e)
	b.count++
	for len(g.tools[e.Tool]) > MaxPerTool {
		b.expel(slices.MinFunc(g.tools[e.Tool], compare))
	}
	if len(g.tools) > MaxTools {
		b.expelTool(g)
	}
	if b.count > MaxNotes {
		for _, e := range slices.SortedFunc(b.entries(), compare)[:b.count-roomy] {
			b.expel(e)
		}
	}
	return slices.Contains(g.tools[e.Tool], e)
}

// expel takes a note out, here and in the store; mu is held.
func (b *Book) expel(e *entry) {
	b.remove(e.Key)
	b.save(Saved{Key: e.Key, Used: stamp()})
}

// expelTool takes out the notes of the tool of a group that counts least; mu is held.
func (b *Book) expelTool(g *group) {
	var tops []*entry
	for _, notes := range g.tools {
		tops = append(tops, slices.MaxFunc(notes, compare))
	}
	worst := slices.MinFunc(tops, compare)
	for _, e := range slices.Clone(g.tools[worst.Tool]) {
		b.expel(e)
	}
}

// remove takes a note out; mu is held.
func (b *Book) remove(key Key) {
	g := b.groups[key.Group]
	if g == nil {
		return
	}
	notes := g.tools[key.Tool]
	at := slices.IndexFunc(notes, func(e *entry) bool { return e.Key == key })
	if at < 0 {
		return
	}
	g.edits.all++
	b.count--
	if notes = slices.Delete(notes, at, at+1); len(notes) == 0 {
		delete(g.tools, key.Tool)
	} else {
		g.tools[key.Tool] = notes
	}
}

// entries are all notes, in no order; mu is held.
func (b *Book) entries() func(yield func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, g := range b.groups {
			for _, notes := range g.tools {
				for _, e := range notes {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// compare orders notes by what they count, at whatever time, those that a person wrote
// last; of equal ones by their keys, so that every process takes out the same.
func compare(a, b *entry) int {
	if a.written() != b.written() {
		if a.written() {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.rank, b.rank), compareKeys(b.Key, a.Key))
}
