// Package discovery finds tools by what is said of them.
package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
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

// Explanation says how a score came about.
type Explanation struct {
	Terms   []TermScore // of the words of the query, in their order
	Bonuses []Bonus     // what was added for other reasons, in a fixed order; none that is 0
}

// TermScore is what one word of a query adds.
type TermScore struct {
	Term   string             // as it is in the index
	For    string             // the word of the query that it stands for, where that is another one
	Why    string             // "synonym" or "similar" where it stands for another; else empty
	IDF    float64            // how much it tells tools apart
	Fields map[string]float64 // weighted frequency by field: name, description, hint, tags, parameters, parameter_texts
	Score  float64
}

// Bonus is a part of a score that is no single word's.
type Bonus struct {
	Name  string // such as "name_coverage" or "pairs"
	Score float64
}

// Index is a set of documents that can be searched. It does not change, and is safe
// for concurrent use.
type Index struct {
	docs  []Document
	words []map[string]bool
}

// Build indexes the documents, whose order is that of [Hit.Index].
func Build(ctx context.Context, docs []Document) (*Index, error) {
	x := &Index{docs: docs}
	for i := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := &docs[i]
		x.words = append(x.words, wordsOf(strings.Join([]string{d.Name, d.Description, d.Hint, strings.Join(d.Tags, " "), string(d.Parameters)}, " ")))
	}
	return x, nil
}

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		out[w] = true
	}
	return out
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.docs) }

// Close gives up what the index holds. Searches under way end first.
func (x *Index) Close() error { return nil }

// Scope is the part of the index that one caller may find. Documents outside of it
// count for nothing: results and scores are those of an index without them.
type Scope struct {
	index *Index
	in    []int
}

// Scope takes the documents for which visible is true.
func (x *Index) Scope(visible func(index int) bool) *Scope {
	s := &Scope{index: x}
	for i := range x.docs {
		if visible(i) {
			s.in = append(s.in, i)
		}
	}
	return s
}

// Len is the number of documents in the scope.
func (s *Scope) Len() int { return len(s.in) }

// Search finds tools in the scope. The error is that of the context, or ErrClosed.
func (s *Scope) Search(ctx context.Context, q Query) (Results, error) {
	if err := ctx.Err(); err != nil {
		return Results{}, err
	}
	query, r := wordsOf(q.Text), Results{}
	for _, i := range s.in {
		d := &s.index.docs[i]
		if q.Namespace != "" && d.Namespace != q.Namespace || slices.ContainsFunc(q.Tags, func(t string) bool { return !slices.Contains(d.Tags, t) }) {
			continue
		}
		if d.Name == strings.TrimSpace(q.Text) {
			return Results{Hits: []Hit{{Index: i, Name: d.Name, Score: 1}}, Exact: true}, nil
		}
		n := 0
		for w := range query {
			if s.index.words[i][w] {
				n++
			}
		}
		if n > 0 {
			r.Hits = append(r.Hits, Hit{Index: i, Name: d.Name, Score: float64(n)})
		}
	}
	slices.SortFunc(r.Hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name)) })
	if limit := cmp.Or(q.Limit, DefaultLimit); len(r.Hits) > limit {
		r.More = len(r.Hits) - limit
		r.Hits = r.Hits[:limit]
	}
	return r, nil
}
