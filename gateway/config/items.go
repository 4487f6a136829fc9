package config

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Item is one of a list in a file.
type Item struct {
	Line int // where it begins, from 1
	JSON []byte
}

// Items reads a file that is a list in YAML or, named so, in JSON, and no configuration.
// It has at most 16 MiB. The error is a [diag.Problems].
func Items(file string, data []byte) ([]Item, error) {
	src := newSource(file, data)
	doc, problem := document(src, data)
	if problem != nil {
		return nil, diag.Problems{*problem}
	}
	if doc.Kind != yaml.SequenceNode {
		return nil, diag.Problems{{Place: src.position(doc.Line, doc.Column).place(), Text: "this is no list", Hint: "begin every entry with a dash"}}
	}
	items := make([]Item, 0, len(doc.Content))
	for _, n := range doc.Content {
		var v any
		err := n.Decode(&v)
		var data []byte
		if err == nil {
			data, err = json.Marshal(v)
		}
		if err != nil {
			return nil, diag.Problems{{Place: src.position(n.Line, n.Column).place(), Text: fmt.Sprintf("this entry cannot be read: %v", err)}}
		}
		items = append(items, Item{Line: n.Line, JSON: data})
	}
	return items, nil
}
