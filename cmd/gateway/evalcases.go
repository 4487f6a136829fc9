package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
)

// Limits of what discovery eval reads.
const (
	maxEvalFile     = 256 << 20 // bytes of a file
	maxEvalLine     = 4 << 20   // bytes of a line of JSON Lines
	maxEvalProblems = 20        // that are shown of a file
)

// searchCase is a search, and the tools that it should find.
type searchCase struct {
	ID     string
	Query  string
	Expect []string // at least one
	place  diag.Place
}

// readCases reads searches from a file of JSON Lines, or a list of YAML or JSON.
func readCases(path string) ([]searchCase, error) {
	data, err := readEvalFile(path)
	if err != nil {
		return nil, err
	}
	var cases []searchCase
	var report diag.Report
	if isJSONLines(path, data) {
		cases = casesOfLines(path, data, &report)
	} else {
		searches, problems := config.ParseSearches(path, data)
		for _, p := range problems {
			report.Add(p)
		}
		for _, s := range searches {
			cases = append(cases, searchCase{s.ID, s.Query, slices.Concat(s.Expect, s.Relevant), s.Place})
		}
	}
	for i := range cases {
		cases[i].check(&report)
	}
	switch problems := report.Problems(); {
	case len(problems) > 0:
		return nil, wrongFile(problems)
	case len(cases) == 0:
		return nil, wrongFile(diag.Problems{{Place: diag.Place{File: path}, Text: "there is no search in it", Hint: `write {"query": "…", "expect": "…"}, one a line`}})
	}
	return cases, nil
}

// check says what a search lacks.
func (c *searchCase) check(report *diag.Report) {
	if strings.TrimSpace(c.Query) == "" {
		report.Add(diag.Problem{Place: c.place, Text: "query is missing or empty", Hint: "write what a model would search for"})
	}
	if len(c.Expect) == 0 || slices.Contains(c.Expect, "") {
		report.Add(diag.Problem{Place: c.place, Text: "no tool is expected", Hint: "write expect: NAME, or a list of names"})
	}
}

// checkExpected refuses searches for tools that there are not, which could never be
// found. The advice is where the names are to be seen.
func checkExpected(cases []searchCase, docs []discovery.Document, advice string) error {
	names := make([]string, 0, len(docs))
	there := make(map[string]bool, len(docs))
	for i := range docs {
		names, there[docs[i].Name] = append(names, docs[i].Name), true
	}
	var report diag.Report
	for _, c := range cases {
		for _, name := range c.Expect {
			if !there[name] {
				report.Add(diag.Problem{Place: c.place, Text: fmt.Sprintf("no tool is named %q", name), Hint: cmp.Or(diag.DidYouMean(name, names), advice)})
			}
		}
	}
	if problems := report.Problems(); len(problems) > 0 {
		return wrongFile(problems)
	}
	return nil
}

// wrongFile is the error of a file that cannot be used.
func wrongFile(problems diag.Problems) error {
	if more := len(problems) - maxEvalProblems; more > 0 {
		problems = append(problems[:maxEvalProblems:maxEvalProblems], diag.Problem{
			Place: problems[0].Place, Text: fmt.Sprintf("%d further problems are not shown", more), Hint: "mend these first",
		})
	}
	return &exitError{exitUsage, problems}
}

// readEvalFile reads a whole file.
func readEvalFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrongFile(diag.Problems{{Place: diag.Place{File: path}, Text: "there is no such file", Hint: "correct the path, which belongs to the current folder"}})
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	defer func() { _ = f.Close() }() // it is only read
	data, err := io.ReadAll(io.LimitReader(f, maxEvalFile+1))
	switch {
	case err != nil:
		return nil, &exitError{exitUsage, err}
	case len(data) > maxEvalFile:
		return nil, usagef("%s is larger than %d MiB", path, maxEvalFile>>20)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// isJSONLines tells a file of JSON Lines by its name, or by how it begins.
func isJSONLines(path string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".jsonl", ".ndjson":
		return true
	case ".yaml", ".yml", ".json":
		return false
	}
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// caseLine is a search on a line of its own.
type caseLine struct {
	ID       json.RawMessage `json:"id"` // text or a number
	Query    string          `json:"query"`
	Expect   oneOrMore       `json:"expect"`
	Relevant oneOrMore       `json:"relevant"`
}

// oneOrMore is a text or a list of them.
type oneOrMore []string

// UnmarshalJSON takes either.
func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*o = make(oneOrMore, 1)
		return json.Unmarshal(data, &(*o)[0])
	}
	return json.Unmarshal(data, (*[]string)(o))
}

func casesOfLines(path string, data []byte, report *diag.Report) []searchCase {
	var cases []searchCase
	eachLine(path, data, `a line is {"query": "…", "expect": "…" or […]}; id and relevant may stand in it too`, report, func(at diag.Place, line []byte) error {
		var c caseLine
		if err := strictly(line, &c); err != nil {
			return err
		}
		cases = append(cases, searchCase{strings.Trim(string(c.ID), `"`), c.Query, slices.Concat(c.Expect, c.Relevant), at})
		return nil
	})
	return cases
}

// eachLine gives the lines that are not blank to read, and reports what it says of them,
// with a hint of what a line is.
func eachLine(path string, data []byte, hint string, report *diag.Report, read func(at diag.Place, line []byte) error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxEvalLine)
	at := diag.Place{File: path}
	for lines.Scan() {
		at.Line++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := read(at, line); err != nil {
			report.Add(diag.Problem{Place: at, Text: err.Error(), Hint: hint})
		}
	}
	if lines.Err() != nil {
		at.Line++
		report.Add(diag.Problem{Place: at, Text: fmt.Sprintf("the line is longer than %d MiB", maxEvalLine>>20)})
	}
}

// strictly reads one JSON object that has no members but those of what it is read into.
func strictly(line []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%s cannot be a JSON %s", cmp.Or(wrong.Field, "a line"), wrong.Value)
		}
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return fmt.Errorf("unknown key %s", name)
		}
		return fmt.Errorf("not a JSON object on one line: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more on the line than one JSON object")
	}
	return nil
}

// goldenCases are the searches that the configuration holds.
func goldenCases(cfg *config.Config) ([]searchCase, error) {
	golden, at := cfg.Discovery.Golden, cfg.At().Key("discovery").Key("golden")
	if len(golden) == 0 {
		return nil, usagef("the configuration has no discovery.golden: name a FILE of searches, or write discovery: {golden: [{query: …, expect: NAME}]}")
	}
	cases := make([]searchCase, len(golden))
	for i := range golden {
		cases[i] = searchCase{Query: golden[i].Query, Expect: golden[i].Expect, place: at.Index(i).Place()}
	}
	return cases, nil
}
