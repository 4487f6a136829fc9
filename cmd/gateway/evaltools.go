package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/diag"
)

// toolLine is a tool on a line of its own.
type toolLine struct {
	Name        string          `json:"name"`
	Namespace   string          `json:"namespace"`
	Description string          `json:"description"`
	SearchHint  string          `json:"search_hint"`
	Tags        []string        `json:"tags"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON Schema of an object
}

// readTools reads tools from a file of JSON Lines.
func readTools(path string) ([]discovery.Document, error) {
	data, err := readEvalFile(path)
	if err != nil {
		return nil, err
	}
	var docs []discovery.Document
	var report diag.Report
	lineOf := map[string]int{}
	eachLine(path, data, `a line is {"name": "…", "description": "…", "parameters": {…}}; namespace, search_hint and tags may stand in it too`, &report, func(at diag.Place, line []byte) error {
		var t toolLine
		if err := strictly(line, &t); err != nil {
			return err
		}
		switch earlier := lineOf[t.Name]; {
		case t.Name == "":
			return errors.New("name is missing")
		case earlier > 0:
			return fmt.Errorf("the tool %q is on line %d already", t.Name, earlier)
		case len(t.Parameters) > 0 && !bytes.HasPrefix(t.Parameters, []byte("{")):
			return errors.New("parameters must be a JSON Schema: an object")
		}
		lineOf[t.Name] = at.Line
		docs = append(docs, discovery.Document{
			Name: t.Name, Namespace: t.Namespace, Description: t.Description, Hint: t.SearchHint, Tags: t.Tags, Parameters: t.Parameters,
		})
		return nil
	})
	switch problems := report.Problems(); {
	case len(problems) > 0:
		return nil, wrongFile(problems)
	case len(docs) == 0:
		return nil, wrongFile(diag.Problems{{Place: diag.Place{File: path}, Text: "there is no tool in it", Hint: `write {"name": "…", "description": "…", "parameters": {…}}, one a line`}})
	}
	return docs, nil
}
