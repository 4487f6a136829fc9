package discovery

import "context"

// Note is one past search that led to a call of a tool, or a sentence that somebody
// wrote for it to be found by.
type Note struct {
	Tool   string // full name
	Query  string
	Weight float64 // in (0, 1]: how much it still counts
}

// Hints are notes as searches of one index use them; immutable.
type Hints struct{}

// echo is what hints say to one search.
type echo struct {
	learned map[uint32]float64 // what was added to scores, by document
}

// listen takes in what the hints say of the words of a search that is about to begin.
// They may distrust a word of it.
func (h *Hints) listen(*search) *echo { return &echo{} }

// add adds to the scores of a search.
func (e *echo) add(context.Context) {}

// end is called once, after the search.
func (e *echo) end() {}

// Hints prepares notes. Those of tools that the index does not have are left out.
func (x *Index) Hints(notes []Note) *Hints { return &Hints{} }
