package discovery

// Note is one past search that led to a call of a tool, or a sentence that somebody
// wrote for it to be found by.
type Note struct {
	Tool   string // full name
	Query  string
	Weight float64 // in (0, 1]: how much it still counts
}

// Hints are notes as searches of one index use them; immutable.
type Hints struct{}

// add adds to the scores of a search.
func (h *Hints) add(s *search) {}

// Hints prepares notes. Those of tools that the index does not have are left out.
func (x *Index) Hints(notes []Note) *Hints { return &Hints{} }
