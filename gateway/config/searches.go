package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-viper/mapstructure/v2"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
)

// Search is a search for tools, and which ones it should find.
type Search struct {
	ID       string           `koanf:"id"`       // tells it from others in what is reported; may be empty
	Query    string           `koanf:"query"`    // what is searched for
	Expect   expression.Texts `koanf:"expect"`   // names of tools
	Relevant expression.Texts `koanf:"relevant"` // further ones: sets for research use this word

	Place diag.Place // where it stands
}

// ParseSearches reads a file that was read already: a list of searches as under
// discovery.golden, in YAML or, where the name ends in .json, JSON. The name appears in
// problems, which are all there are; with one of them there are no searches. It takes
// what [Parse] takes of a file. What a search needs is not looked for.
func ParseSearches(name string, data []byte) ([]Search, diag.Problems) {
	l := newLoader(single{name, data})
	tree := l.list(name, data)
	if tree == nil {
		return nil, l.findings.report.Problems()
	}
	check := &checker{findings: l.findings}
	values, _ := check.value(&trail{place: tree.place}, tree, shapeOf(reflect.TypeFor[[]Search](), nil))
	var out []Search
	if problems := l.findings.report.Problems(); problems.Err() != nil {
		return nil, problems
	}
	decoder, err := mapstructure.NewDecoder(decoder(&out))
	if err == nil {
		err = decoder.Decode(values)
	}
	if err != nil {
		return nil, diag.Problems{{Place: tree.place.place(), Text: fmt.Sprintf("the gateway could not take over these values, which is a fault of its own: %v", err)}}
	}
	for i := range out {
		out[i].Place = tree.items[i].place.place()
	}
	return out, nil
}

// list reads a file that holds a list; nil after a mistake that leaves none.
func (l *loader) list(path string, data []byte) *node {
	src := newSource(path, data)
	doc, problem := document(src, data)
	if problem != nil {
		if problem.Hint == startHint { // of a configuration
			problem.Text, problem.Hint = strings.TrimPrefix(problem.Text, "not a configuration, and "), "a file of searches is a list of {query: …, expect: NAME}"
		}
		l.fail(nil, *problem)
		return nil
	}
	tree := buildTree(src, l.findings, doc, nil, &l.values)
	if tree == nil || tree.kind == broken {
		return nil
	}
	return tree
}
