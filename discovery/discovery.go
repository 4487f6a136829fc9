// Package discovery finds tools by what is said of them.
package discovery

import (
	"encoding/json"
	"errors"
)

const (
	// DefaultLimit is how many tools a search gives unless it says otherwise.
	DefaultLimit = 5
	// MaxLimit is the most tools that a search may ask for.
	MaxLimit = 50
	// MaxQuery is the most bytes of a query that are read; the rest is ignored.
	MaxQuery = 4 << 10
	// MaxNear is the most names that are suggested where nothing was found.
	MaxNear = 3
)

// ErrClosed is part of the error of a search in an index that was closed.
var ErrClosed = errors.New("the index of tools is closed")

// Document is what is searched of one tool.
type Document struct {
	Name        string          // full name, unique
	Namespace   string          // the source's name; empty for a declared tool
	Description string          // may be empty
	Hint        string          // further words that the tool is found by; may be empty
	Tags        []string        // in any order
	Parameters  json.RawMessage // an object schema; of it names, descriptions and enums are searched
}

// Query is one search.
type Query struct {
	Text      string
	Limit     int      // at most MaxLimit; DefaultLimit when 0
	Namespace string   // only tools of this source; empty for all
	Tags      []string // only tools that have all of these
	Hints     *Hints   // past searches that count for this one; nil for none
	Explain   bool     // fill [Hit.Explained]
}

// Results are what a search found, the best first. Equal scores are in the order of
// names.
type Results struct {
	Hits []Hit
	// Exact says that the query is the name of a tool, which is then the only hit.
	Exact bool
	// More is how many further tools have something in common with the query.
	More int
	// Near are names that resemble the query, at most MaxNear; only where nothing was
	// found.
	Near []string
}

// Hit is one tool that was found.
type Hit struct {
	Index     int // position of its Document
	Name      string
	Score     float64 // comparable within one search only; more than 0
	Explained *Explanation
}

// Explanation says how a score came about: the sum of its parts is the score, but for
// rounding.
type Explanation struct {
	Terms   []TermScore // of the words of the query, in their order
	Bonuses []Bonus     // what was added for other reasons, in a fixed order; none that is 0
}

// TermScore is what one word of a query adds.
type TermScore struct {
	Term   string             // as it is in the index
	For    string             // the word of the query that it stands for, where that is another one
	Why    string             // "synonym", "similar" or "joined" where it stands for another; else empty
	IDF    float64            // how much it tells tools apart; less for a word that stands for another
	Fields map[string]float64 // weighted frequency by field: name, description, hint, tags, parameters, parameter_texts
	Score  float64
}

// Bonus is a part of a score that is no single word's.
type Bonus struct {
	Name  string // exact_name, same_name, name_coverage, search_hint, unasked_harm (less than 0), pairs or hints
	Score float64
}
