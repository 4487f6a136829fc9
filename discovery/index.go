package discovery

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// batchSize is how many documents are indexed at once: with more the build takes more
// memory, and no less time.
const batchSize = 200

// Index is a set of documents that can be searched. It does not change, and is safe
// for concurrent use.
type Index struct {
	levers  *levers
	docs    []entry
	lengths [][fieldCount]uint16 // words of the fields by document, but for stop words
	terms   map[string]uint32    // the number of every term
	names   []string             // of terms, by number
	little  []uint32             // documents with a phrase of stop words in their hint
	store   *store
	spare   sync.Pool // of *scratch

	likeTerms func() *grams // made when first needed
	likeNames func() *grams // of documents
}

// entry is what is kept of a document beside what the store has.
type entry struct {
	name  string
	rank  uint32   // of the name among all
	title []uint32 // terms of the name, each once
	all   []uint32 // terms of all fields, each once
	told  []uint32 // terms of name and description in their order, for pairs
	hints []phrase // of the hint
	harms []uint32 // of the title, the verbs that take something away
}

// Build indexes the documents, whose order is that of [Hit.Index]. The error is that of
// the context, or says which document could not be indexed.
func Build(ctx context.Context, docs []Document) (*Index, error) {
	return build(ctx, docs, defaults())
}

func build(ctx context.Context, docs []Document, with *levers) (*Index, error) {
	x := &Index{levers: with, docs: make([]entry, len(docs)), lengths: make([][fieldCount]uint16, len(docs)), terms: map[string]uint32{}}
	read := reader{levers: with, stems: map[string]string{}}
	into, err := openStore()
	if err != nil {
		return nil, err
	}
	for first := 0; first < len(docs); first += batchSize {
		if ctx.Err() != nil {
			_ = into.close()
			return nil, context.Cause(ctx)
		}
		for i := first; i < min(len(docs), first+batchSize); i++ {
			into.add(i, &docs[i], x.enter(&read, i, &docs[i]))
		}
		if err := into.flush(); err != nil {
			_ = into.close()
			return nil, fmt.Errorf("indexing tools %d to %d: %w", first, first+batchSize, err)
		}
		runtime.Gosched() // calls go before
	}
	if err := into.seal(len(docs), len(x.names)); err != nil {
		_ = into.close()
		return nil, fmt.Errorf("indexing tools: %w", err)
	}
	x.store = into
	x.rank()
	x.likeTerms = sync.OnceValue(func() *grams { return newGrams(x.names, x.names, !with.noMistakes) })
	x.likeNames = sync.OnceValue(x.foldedNames)
	x.spare.New = func() any { return newScratch(len(docs), len(x.names)) }
	return x, nil
}

// enter notes what is kept of a document, and returns the terms of its fields.
func (x *Index) enter(read *reader, i int, d *Document) [fieldCount][]string {
	e := &x.docs[i]
	e.name = d.Name
	var out [fieldCount][]string
	for field, text := range texts(d, x.levers) {
		for _, w := range read.words(text) {
			out[field] = append(out[field], w.term)
			number := x.number(w.term)
			e.all = append(e.all, number)
			if w.stop || w.whole {
				continue
			}
			x.lengths[i][field] = min(x.lengths[i][field], 1<<16-2) + 1
			if field == inName {
				e.title = append(e.title, number)
			}
			if field == inName || field == inDescription {
				e.told = append(e.told, number)
			}
		}
	}
	if e.hints = x.phrasesOf(read, cut(d.Hint, maxText)); slices.ContainsFunc(e.hints, func(p phrase) bool { return p.little > 0 }) {
		x.little = append(x.little, uint32(i))
	}
	e.all, e.title, e.told = distinct(e.all), distinct(e.title), slices.Clip(e.told)
	e.harms = x.harms(e.title)
	return out
}

// texts are the fields of a document.
func texts(d *Document, with *levers) [fieldCount]string {
	p := readParameters(d.Parameters, with.depth)
	return [fieldCount]string{
		inName:           cut(d.Name, maxText),
		inDescription:    cut(d.Description, maxText),
		inHint:           cut(d.Hint, maxText),
		inTags:           cut(strings.Join(d.Tags, "\n"), maxText),
		inParameters:     strings.Join(p.names, "\n"),
		inParameterTexts: strings.Join(p.texts, "\n"),
	}
}

func (x *Index) number(term string) uint32 {
	n, ok := x.terms[term]
	if !ok {
		n = uint32(len(x.names))
		x.terms[term] = n
		x.names = append(x.names, term)
	}
	return n
}

// rank orders the names.
func (x *Index) rank() {
	order := make([]int, len(x.docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(x.docs[a].name, x.docs[b].name), a-b)
	})
	for rank, i := range order {
		x.docs[i].rank = uint32(rank)
	}
}

func distinct(numbers []uint32) []uint32 {
	slices.Sort(numbers)
	return slices.Clip(slices.Compact(numbers))
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.docs) }

// Close gives up what the index holds. Searches under way end first; later ones fail
// with [ErrClosed].
func (x *Index) Close() error { return x.store.close() }
