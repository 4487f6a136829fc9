package config

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/rehearsal"
)

// testLists are the paths of the tests of tools.
var testLists = []string{"tools.*.tests", "sources.*.tools.*.tests"}

// isTests reports the path of a list of tests of a tool. Such lists merge by name, and
// the order in them does not matter.
func isTests(path []string) bool {
	switch n := len(path); {
	case n == 3:
		return path[0] == "tools" && path[2] == "tests"
	case n == 5:
		return path[0] == "sources" && path[2] == "tools" && path[4] == "tests"
	}
	return false
}

// Words of several notes.
const (
	writeFailure = "write an error_type, or {type: upstream_error, message: not found} for example"
	writeAnswer  = "write {status: 200, body: …} for example"
)

// testNotes are those on what tests of tools and of hooks have in common, by the key
// within a test.
var testNotes = map[string]note{
	"":             {instead: "write {name: …} and what is tested"},
	".name":        {required: "a test is known by its name", filled: true},
	".caller.kind": {oneOf: []string{"cli", "go", "http", "mcp"}},
}

// toolTestNotes are those on tests of tools.
var toolTestNotes = map[string]note{
	".request":                  {instead: "write {method: GET, path: /items} or {argv: [program]} for example"},
	".answer":                   {instead: writeAnswer},
	".exchanges":                {filled: true, instead: "write a list, such as [{request: {path: /items}, answer: {body: []}}]"},
	".exchanges.*.request":      {instead: "write {method: GET, path: /items} or {argv: [program]} for example"},
	".exchanges.*.answer":       {instead: writeAnswer},
	".error":                    {instead: writeFailure},
	".request.body":             {instead: "write {json: …}, or one of form, text and multipart"},
	".exchanges.*.request.body": {instead: "write {json: …}, or one of form, text and multipart"},
	".request.argv":             {filled: true},
	".exchanges.*.request.argv": {filled: true},
	".answer.file":              {filled: true, path: true, literal: writePath},
	".exchanges.*.answer.file":  {filled: true, path: true, literal: writePath},
	".request.body.multipart":   {filled: true},
	".request.body.multipart.*": {instead: "write {name: …, text: …}"},
}

// hookTestNotes are those on tests of hooks.
var hookTestNotes = map[string]note{
	".call":            {required: "name the tool that is called", filled: true},
	".via":             {oneOf: []string{"batch", "call_tool", "code", "direct"}},
	".webhooks":        {instead: "write {name of the hook: {body: {action: allow}}}"},
	".webhooks.*":      {instead: writeAnswer},
	".webhooks.*.file": {filled: true, path: true, literal: writePath},
	".given":           {instead: "write {result: …}, {content: […]} or {error: timeout}"},
	".given.error":     {instead: writeFailure},
	".expect":          {required: "write {args: {…}}, {refuse: …} or {result: …}", absent: "the test does not say what has to come out", instead: "write {args: {…}}, {refuse: …} or {result: …}"},
	".expect.refuse":   {filled: true},
	".expect.error":    {instead: writeFailure},
}

// withTests adds the notes on tests.
func withTests(notes map[string]note) map[string]note {
	add := func(list string, some map[string]note) {
		for key, n := range some {
			notes[list+".*"+key] = n
		}
	}
	for _, list := range testLists {
		add(list, testNotes)
		add(list, toolTestNotes)
	}
	add("hooks.tests", testNotes)
	add("hooks.tests", hookTestNotes)
	return notes
}

// completeTests makes the paths of files in tests absolute.
func (c *Config) completeTests() {
	for name, t := range c.Tools {
		c.completeToolTests([]string{"tools", name, "tests"}, t.Tests)
	}
	for name, s := range c.Sources {
		for key, o := range s.Tools {
			c.completeToolTests([]string{"sources", name, "tools", key, "tests"}, o.Tests)
		}
	}
	for i, t := range c.Hooks.Tests {
		at := []string{"hooks", "tests", strconv.Itoa(i), "webhooks"}
		for hook, answer := range t.Webhooks {
			c.completeAnswer(further(at, hook), &answer)
			t.Webhooks[hook] = answer
		}
	}
}

func (c *Config) completeToolTests(path []string, tests []rehearsal.ToolConfig) {
	for i := range tests {
		at := further(path, strconv.Itoa(i))
		c.completeAnswer(further(at, "answer"), tests[i].Answer)
		for j := range tests[i].Exchanges {
			c.completeAnswer(further(further(further(at, "exchanges"), strconv.Itoa(j)), "answer"), tests[i].Exchanges[j].Answer)
		}
	}
}

func (c *Config) completeAnswer(path []string, a *rehearsal.AnswerConfig) {
	if a != nil && a.File != "" {
		a.File = absolute(c.dirOf(further(path, "file")...), a.File)
	}
}

// checkTests looks for names that two tests have.
func (c *Config) checkTests() {
	for _, m := range c.tree.sectionMembers("tools") {
		c.checkNamed("test", "tools", m.key, "tests")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Sources)) {
		for _, key := range slices.Sorted(maps.Keys(c.Sources[name].Tools)) {
			c.checkNamed("test", "sources", name, "tools", key, "tests")
		}
	}
	c.checkNamed("test", "hooks", "tests")
}
