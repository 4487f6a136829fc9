package main

import (
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bm25 "github.com/blevesearch/bleve_index_api"

	"github.com/toolgate/toolgate/discovery"
)

const batch = 200 // documents indexed at once

// theirs is bleve as one would use it at first: a field for each, with a weight.
func theirs(docs []discovery.Document) (*side, func() error, error) {
	fields := map[string]float64{"name": 2, "description": 2, "tags": 2.5, "parameters": 1.5}
	m := bleve.NewIndexMapping()
	m.ScoringModel = bm25.BM25Scoring
	m.DefaultAnalyzer = en.AnalyzerName
	m.DefaultMapping.Dynamic = false
	for name := range fields {
		f := bleve.NewTextFieldMapping()
		f.Store, f.DocValues, f.IncludeTermVectors, f.IncludeInAll = false, false, false, false
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	x, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := fill(x, docs); err != nil {
		return nil, nil, err
	}
	return &side{name: "bleve", search: func(text string) error {
		all := bleve.NewDisjunctionQuery()
		for name, weight := range fields {
			q := bleve.NewMatchQuery(text)
			q.SetField(name)
			q.SetBoost(weight)
			all.AddQuery(q)
		}
		_, err := x.Search(bleve.NewSearchRequestOptions(all, limit, 0, false))
		return err
	}}, x.Close, nil
}

func fill(x bleve.Index, docs []discovery.Document) error {
	b := x.NewBatch()
	for i := range docs {
		d := &docs[i]
		if err := b.Index(d.Name, map[string]any{
			"name":        strings.ReplaceAll(d.Name, "_", " "),
			"description": d.Description,
			"tags":        strings.Join(d.Tags, " "),
			"parameters":  string(d.Parameters),
		}); err != nil {
			return err
		}
		if b.Size() == batch || i == len(docs)-1 {
			if err := x.Batch(b); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return nil
}
