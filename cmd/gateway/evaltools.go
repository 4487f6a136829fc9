package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

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
	Parameters  json.RawMessage `json:"parameters"`   // a JSON Schema of an object
	InputSchema json.RawMessage `json:"input_schema"` // the same, as answers to searches and anthropic have it
	MCPSchema   json.RawMessage `json:"inputSchema"`  // the same, as MCP has it
}

// listedTool is a tool in a list, in any of the formats of GET /v1/tools.
type listedTool struct {
	toolLine
	Function     *toolLine    `json:"function"`             // openai-chat
	Declarations []geminiTool `json:"functionDeclarations"` // gemini: all tools
}

type geminiTool struct {
	toolLine
	Schema json.RawMessage `json:"parametersJsonSchema"`
}

// toolHint is what a line of a file of tools is.
const toolHint = `a line is {"name": "…", "description": "…", "parameters": {…}}; namespace, search_hint and tags may stand in it too, and the schema may be named input_schema or inputSchema`

// toolReader collects the tools of a file.
type toolReader struct {
	docs   []discovery.Document
	seen   map[string]string // where a name was first
	report diag.Report
}

// readTools reads tools from a file of JSON Lines, or from a list of tools as the
// method tools/list of MCP and GET /v1/tools answer it.
func readTools(path string) ([]discovery.Document, error) {
	data, err := readEvalFile(path)
	if err != nil {
		return nil, err
	}
	r := &toolReader{seen: map[string]string{}}
	if list := dumpedTools(data); list != nil {
		r.list(path, list)
	} else {
		eachLine(path, data, toolHint, &r.report, func(at diag.Place, line []byte) error {
			var t toolLine
			if err := strictly(line, &t); err != nil {
				return err
			}
			return r.add(&t, fmt.Sprintf("on line %d", at.Line))
		})
	}
	switch problems := r.report.Problems(); {
	case len(problems) > 0:
		return nil, wrongFile(problems)
	case len(r.docs) == 0:
		return nil, wrongFile(diag.Problems{{Place: diag.Place{File: path}, Text: "there is no tool in it", Hint: `write {"name": "…", "description": "…", "parameters": {…}}, one a line, or take what tools/list of MCP or GET /v1/tools answers`}})
	}
	return r.docs, nil
}

// dumpedTools are those of a whole answer, also inside of a response of JSON-RPC; nil
// where the file is none.
func dumpedTools(data []byte) []json.RawMessage {
	var dump struct {
		Tools  []json.RawMessage `json:"tools"`
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal(data, &dump.Tools) == nil || json.Unmarshal(data, &dump) != nil {
		return dump.Tools
	}
	if dump.Tools != nil {
		return dump.Tools
	}
	return dump.Result.Tools
}

// list reads tools of a list. They may have members that searches do not look at.
func (r *toolReader) list(path string, list []json.RawMessage) {
	for i, data := range list {
		var one listedTool
		err := json.Unmarshal(data, &one)
		where := "in tools." + strconv.Itoa(i)
		switch {
		case err != nil:
			err = errors.New("this is no tool")
		case one.Declarations != nil:
			for j := range one.Declarations {
				d := &one.Declarations[j]
				d.Parameters = firstOf(d.Parameters, d.Schema)
				err = errors.Join(err, r.add(&d.toolLine, where))
			}
		case one.Function != nil:
			err = r.add(one.Function, where)
		default:
			err = r.add(&one.toolLine, where)
		}
		if err != nil {
			r.report.Add(diag.Problem{Place: diag.Place{File: path}, Key: "tools." + strconv.Itoa(i), Text: err.Error(), Hint: "a tool has a name, and its schema as parameters, input_schema or inputSchema"})
		}
	}
}

// add takes a tool in, or says what is wrong with it.
func (r *toolReader) add(t *toolLine, where string) error {
	parameters := firstOf(t.Parameters, t.InputSchema, t.MCPSchema)
	switch earlier := r.seen[t.Name]; {
	case t.Name == "":
		return errors.New("name is missing")
	case earlier != "":
		return fmt.Errorf("the tool %q is %s already", t.Name, earlier)
	case len(parameters) > 0 && !bytes.HasPrefix(parameters, []byte("{")):
		return errors.New("parameters must be a JSON Schema: an object")
	}
	r.seen[t.Name] = where
	r.docs = append(r.docs, discovery.Document{
		Name: t.Name, Namespace: t.Namespace, Description: t.Description, Hint: t.SearchHint, Tags: t.Tags, Parameters: parameters,
	})
	return nil
}

// firstOf is the first of the texts that is not empty.
func firstOf(texts ...json.RawMessage) json.RawMessage {
	for _, t := range texts {
		if len(t) > 0 {
			return t
		}
	}
	return nil
}
