package discovery

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bleve "github.com/blevesearch/bleve_index_api"
)

// The fields of the store by which documents are picked, beside those that are
// searched.
const (
	byName      = "exact_name"
	byFolded    = "folded_name"
	byNamespace = "namespace"
	byTag       = "tag"
)

// store is bleve's index of the documents, in memory. It serves names, filters and
// which documents have a term, how often in which field. What was asked for once is
// kept, decoded.
type store struct {
	index   bleve.Index
	workers *bleve.AnalysisQueue
	batch   *bleve.Batch

	mu     sync.RWMutex // held for reading while the reader is used, for writing to close it
	reader bleve.IndexReader
	closed bool

	position []uint32                    // of a document, by bleve's number
	found    []atomic.Pointer[[]posting] // by number of a term
}

// posting is a document that has a term.
type posting struct {
	doc  uint32
	freq [fieldCount]uint8 // by field; at most 255
}

// openStore opens bleve's kind of index without the rest of bleve, which would start
// goroutines for as long as the program runs.
func openStore() (*store, error) {
	s := &store{workers: bleve.NewAnalysisQueue(1), batch: bleve.NewBatch()}
	var err error
	s.index, err = scorch.NewScorch(scorch.Name, map[string]any{"path": ""}, s.workers)
	if err == nil {
		err = s.index.Open()
	}
	if err != nil {
		s.workers.Close()
		return nil, err
	}
	return s, nil
}

// tokens are terms that need no more analysis.
type tokens []string

// Analyze implements bleve's analyzer.
func (t tokens) Analyze([]byte) analysis.TokenStream {
	out := make(analysis.TokenStream, len(t))
	all := make([]analysis.Token, len(t))
	for i, term := range t {
		all[i] = analysis.Token{Term: []byte(term), Position: i + 1}
		out[i] = &all[i]
	}
	return out
}

// add puts a document into the batch.
func (s *store) add(position int, d *Document, terms [fieldCount][]string) {
	doc := document.NewDocument(strconv.Itoa(position))
	field := func(name string, words tokens) {
		if len(words) > 0 {
			doc.AddField(document.NewTextFieldCustom(name, nil, nil, bleve.IndexField, words))
		}
	}
	for i, name := range fieldNames() {
		field(name, terms[i])
	}
	field(byName, tokens{d.Name})
	field(byFolded, tokens{foldName(d.Name)})
	field(byNamespace, tokens{d.Namespace})
	field(byTag, d.Tags)
	s.batch.Update(doc)
}

func (s *store) flush() error {
	err := s.index.Batch(s.batch)
	s.batch = bleve.NewBatch()
	return err
}

// seal ends the indexing.
func (s *store) seal(docs, terms int) (err error) {
	s.workers.Close()
	s.workers, s.batch = nil, nil
	s.position = make([]uint32, docs)
	s.found = make([]atomic.Pointer[[]posting], terms)
	if s.reader, err = s.index.Reader(); err != nil {
		return err
	}
	for number := range docs {
		id, err := s.reader.ExternalID(bleve.NewIndexInternalID(nil, uint64(number)))
		if err != nil {
			return err
		}
		position, err := strconv.Atoi(id)
		if err != nil {
			return err
		}
		s.position[number] = uint32(position)
	}
	return nil
}

func (s *store) close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.workers != nil {
		s.workers.Close()
	}
	if s.reader != nil {
		err = s.reader.Close()
	}
	if e := s.index.Close(); err == nil {
		err = e
	}
	return err
}

// postings are the documents that have a term, in their order. The caller holds mu.
func (s *store) postings(ctx context.Context, number uint32, term string) ([]posting, error) {
	if p := s.found[number].Load(); p != nil {
		return *p, nil
	}
	var out []posting
	at := make(map[uint32]int)
	for field, name := range fieldNames() {
		err := s.each(ctx, name, term, func(doc uint32, freq uint64) {
			i, ok := at[doc]
			if !ok {
				i = len(out)
				at[doc] = i
				out = append(out, posting{doc: doc})
			}
			out[i].freq[field] = uint8(min(freq, 255))
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
	s.found[number].Store(&out)
	return out, nil
}

// pick are the documents that have the value in a field, in their order. The caller
// holds mu.
func (s *store) pick(ctx context.Context, field, value string) (out []uint32, err error) {
	err = s.each(ctx, field, value, func(doc uint32, _ uint64) { out = append(out, doc) })
	return out, err
}

// each calls f with the documents that have a term in a field, in bleve's order.
func (s *store) each(ctx context.Context, field, term string, f func(doc uint32, freq uint64)) (err error) {
	docs, err := s.reader.TermFieldReader(ctx, []byte(term), field, true, false, false)
	if err != nil {
		return err
	}
	var room bleve.TermFieldDoc
	for {
		doc, err := docs.Next(&room)
		if err != nil || doc == nil {
			if e := docs.Close(); err == nil {
				err = e
			}
			return err
		}
		f(s.position[doc.ID.Value()], doc.Freq)
	}
}

// foldName is a name without what people mistake in names.
func foldName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == ' ' || c == '.' || c == '/' {
			return -1
		}
		return c
	}, strings.ToLower(fold(name)))
}
