package rehearsal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Asks is what a tool asks when it runs.
type Asks int

// What tools ask.
const (
	AsksNobody  Asks = iota // an expression
	AsksService             // with HTTP requests
	AsksProgram             // that it runs
)

// Subject is a tool that tests are about.
type Subject struct {
	Entry   *registry.Entry
	Plan    *hook.Plan
	Asks    Asks
	Dir     string         // what a relative cwd in a test belongs to
	Prepare policy.Prepare // what a real call does with arguments
}

// Hints of several mistakes.
const (
	writeAnswer  = "write {status: 200, body: …} for example"
	writeOutput  = "write {stdout: …} for example"
	writeOutcome = "write result, content or error"
)

// ToolTests compiles the tests of a tool, which stand at a place. It reports every
// mistake, and leaves out tests that have one.
func ToolTests(at diag.Cursor, subject *Subject, tests []ToolConfig) (out []Test) {
	for i := range tests {
		c := &compiler{at: at.Index(i), asks: subject.Asks}
		t := &toolTest{subject: subject, config: tests[i], script: c.exchanges(&tests[i])}
		t.expected = c.outcome(c.at, tests[i].Result, tests[i].Content, tests[i].Error)
		c.purpose(&tests[i])
		if !c.failed {
			out = append(out, Test{KindTool, subject.Entry.Spec.Name, tests[i].Name, c.at.Place(), t.run})
		}
	}
	return out
}

// HookTests compiles the tests of hooks, which stand at a place. Webhooks are the names
// of the hooks that ask a service. Find gives a tool; names are those of all.
func HookTests(at diag.Cursor, tests []HookConfig, webhooks, names []string, find func(name string) *Subject) (out []Test) {
	for i := range tests {
		cfg := &tests[i]
		c := &compiler{at: at.Index(i), asks: AsksService}
		t := &hookTest{config: *cfg, script: map[string]exchange{}, subject: find(cfg.Call)}
		if t.subject == nil {
			c.wrong(c.at.Key("call"), diag.DidYouMean(cfg.Call, names), "no tool is named %q", cfg.Call)
		}
		for _, name := range slices.Sorted(maps.Keys(cfg.Webhooks)) {
			here, answer := c.at.Key("webhooks").Key(name), cfg.Webhooks[name]
			if !slices.Contains(webhooks, name) {
				c.wrong(here, diag.DidYouMean(name, webhooks), "no hook that asks a service has the name %q", name)
			}
			t.script[name] = exchange{answer: &answer, body: c.answer(here, &answer)}
		}
		c.hook(t)
		if !c.failed {
			out = append(out, Test{KindHook, cfg.Call, cfg.Name, c.at.Place(), t.run})
		}
	}
	return out
}

// compiler compiles one test.
type compiler struct {
	at     diag.Cursor
	asks   Asks
	failed bool
}

func (c *compiler) wrong(at diag.Cursor, hint, format string, args ...any) {
	c.failed = true
	at.Hintf(hint, format, args...)
}

// exchanges are what is asked in a test of a tool, written in either way.
func (c *compiler) exchanges(cfg *ToolConfig) (out []exchange) {
	list, at := cfg.Exchanges, c.at.Key("exchanges")
	alone := cfg.Request != nil || cfg.Answer != nil
	switch {
	case alone && list != nil:
		c.wrong(at, "write all of them under exchanges", "a test has request and answer, or exchanges")
		return nil
	case alone:
		list = []ExchangeConfig{{cfg.Request, cfg.Answer}}
	}
	for i := range list {
		here := at.Index(i)
		if alone {
			here = c.at
		}
		out = append(out, c.exchange(here, list[i]))
	}
	return out
}

func (c *compiler) exchange(at diag.Cursor, cfg ExchangeConfig) exchange {
	e := exchange{request: cfg.Request, answer: cfg.Answer}
	if c.asks == AsksNobody {
		for key, given := range map[string]bool{"request": cfg.Request != nil, "answer": cfg.Answer != nil} {
			if given {
				c.wrong(at.Key(key), "remove it", "an expr tool asks nobody")
			}
		}
		return e
	}
	if cfg.Request != nil {
		c.request(at.Key("request"), cfg.Request)
	}
	if cfg.Answer == nil {
		hint := writeAnswer
		if c.asks == AsksProgram {
			hint = writeOutput
		}
		c.wrong(at.Key("answer"), hint, "is missing: nobody is asked while tests run, so the test says what is answered")
		return e
	}
	e.body = c.answer(at.Key("answer"), cfg.Answer)
	return e
}

// belongs reports keys of the other kind of tool.
func (c *compiler) belongs(at diag.Cursor, to Asks, keys map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if keys[key] && c.asks != to {
			c.wrong(at.Key(key), "remove it", "is for tests of tools that %s", map[Asks]string{AsksService: "send requests", AsksProgram: "run a program"}[to])
		}
	}
}

func (c *compiler) request(at diag.Cursor, cfg *RequestConfig) {
	c.belongs(at, AsksService, map[string]bool{
		"method": cfg.Method != "", "url": cfg.URL != "", "path": cfg.Path != "", "query": cfg.Query != nil, "headers": cfg.Headers != nil, "body": cfg.Body != nil,
	})
	c.belongs(at, AsksProgram, map[string]bool{"argv": cfg.Argv != nil, "stdin": cfg.Stdin != nil, "cwd": cfg.Cwd != "", "env": cfg.Env != nil})
	u, err := url.Parse(cfg.URL)
	switch {
	case cfg.URL != "" && cfg.Path != "":
		c.wrong(at.Key("path"), "remove one of them", "a request has url, or path and query")
	case cfg.URL != "" && (err != nil || u.Host == ""):
		c.wrong(at.Key("url"), "write it as https://host/path", "this is no address")
	case cfg.URL != "" && cfg.Query != nil:
		c.wrong(at.Key("query"), "write it into url, or write path in place of url", "a url is compared with its query")
	case cfg.Path != "" && (cfg.Path[0] != '/' || strings.Contains(cfg.Path, "?")):
		c.wrong(at.Key("path"), "write what stands behind the host, and query apart", "a path starts with / and has no query")
	}
	if b := cfg.Body; b != nil && one(b.JSON != nil, b.Form != nil, b.Text != nil, b.Multipart != nil) != 1 {
		c.wrong(at.Key("body"), "give it exactly one of json, form, text and multipart", "a body is of one kind")
	}
}

func one(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

// answer checks an answer and gives its body, or what it writes to standard output.
func (c *compiler) answer(at diag.Cursor, cfg *AnswerConfig) []byte {
	c.belongs(at, AsksService, map[string]bool{"status": cfg.Status != 0, "headers": cfg.Headers != nil, "body": cfg.Body != nil, "unreachable": cfg.Unreachable})
	c.belongs(at, AsksProgram, map[string]bool{"stdout": cfg.Stdout != nil, "stderr": cfg.Stderr != nil, "exit": cfg.Exit != 0})
	switch {
	case cfg.Status != 0 && (cfg.Status < http.StatusOK || cfg.Status > 599):
		c.wrong(at.Key("status"), "write a number from 200 to 599", "%d is no status of an answer", cfg.Status)
	case cfg.Exit < 0 || cfg.Exit > 255:
		c.wrong(at.Key("exit"), "write a number from 0 to 255", "%d is no exit status", cfg.Exit)
	case cfg.Unreachable && one(cfg.Status != 0, cfg.Headers != nil, cfg.Body != nil, cfg.File != "") > 0:
		c.wrong(at.Key("unreachable"), "remove it, or all beside it", "who cannot be reached answers nothing")
	case cfg.File != "" && (cfg.Body != nil || cfg.Stdout != nil):
		c.wrong(at.Key("file"), "remove one of them", "what is answered stands in the test, or in a file")
	case cfg.File != "":
		data, err := readFile(cfg.File)
		if err != nil {
			c.wrong(at.Key("file"), "a relative path belongs to the folder of the file that it stands in", "the answer cannot be read: %v", reason(err))
		}
		return data
	case cfg.Stdout != nil:
		return []byte(*cfg.Stdout)
	}
	return written(cfg.Body)
}

// written is a value as an answer has it: a text is the answer itself.
func written(raw json.RawMessage) []byte {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	return raw
}

// reason is an error without the path, which stands in the test already.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("it has more than %d bytes", MaxFile)
	}
	return data, err
}

// outcome checks what is expected of a call.
func (c *compiler) outcome(at diag.Cursor, result, content json.RawMessage, failure *FailureConfig) expected {
	if one(result != nil, content != nil, failure != nil) > 1 {
		c.wrong(at, writeOutcome, "a call ends in one way, and this names several")
	}
	if content != nil && content[0] != '[' {
		c.wrong(at.Key("content"), `write a list, such as [{type: text, text: …}]`, "content is a list of blocks")
	}
	c.failure(at.Key("error"), failure)
	return expected{result, content, failure}
}

func (c *compiler) failure(at diag.Cursor, failure *FailureConfig) {
	if failure == nil {
		return
	}
	var known []string
	for _, code := range tool.Codes() {
		known = append(known, string(code))
	}
	switch {
	case failure.Type == "" && failure.Message == "":
		c.wrong(at, "write error: upstream_error for example", "says nothing about the failure")
	case failure.Type != "" && !slices.Contains(known, failure.Type):
		slices.Sort(known)
		hint := diag.DidYouMean(failure.Type, known)
		if hint == "" {
			hint = "known: " + strings.Join(known, ", ")
		}
		c.wrong(at.Key("type"), hint, "%q is no error_type", failure.Type)
	}
}

// purpose reports a test of a tool that tests nothing, and one in which the tool would
// ask what is not answered.
func (c *compiler) purpose(cfg *ToolConfig) {
	asked := cfg.Request != nil || slices.ContainsFunc(cfg.Exchanges, func(e ExchangeConfig) bool { return e.Request != nil })
	switch {
	case c.failed:
	case cfg.Result == nil && cfg.Content == nil && cfg.Error == nil && !asked:
		c.wrong(c.at, writeOutcome, "the test does not say what has to come out")
	case c.asks != AsksNobody && cfg.Answer == nil && len(cfg.Exchanges) == 0 && cfg.Error == nil:
		hint := writeAnswer
		if c.asks == AsksProgram {
			hint = writeOutput
		}
		c.wrong(c.at.Key("answer"), hint, "is missing: nobody is asked while tests run, so the test says what is answered")
	}
}

// hook checks what a test gives hooks and expects of them.
func (c *compiler) hook(t *hookTest) {
	given, want := t.config.Given, t.config.Expect
	if given != nil {
		here := c.at.Key("given")
		if one(given.Result != nil, given.Content != nil, given.Error != nil) != 1 {
			c.wrong(here, "give it exactly one of result, content and error", "a tool answers in one way")
		}
		c.failure(here.Key("error"), given.Error)
		t.given = c.given(here, given)
	}
	if want == nil {
		return // reported as missing
	}
	here := c.at.Key("expect")
	t.expected = c.outcome(here, want.Result, want.Content, want.Error)
	one := one(want.Result != nil, want.Content != nil, want.Error != nil)
	switch {
	case want.Refuse == "" && want.Args == nil && one == 0:
		c.wrong(here, "write args, refuse, result, content or error", "the test does not say what has to come out")
	case want.Refuse != "" && (want.Args != nil || one > 0):
		c.wrong(here.Key("refuse"), "remove one of them", "a call that is refused has neither arguments nor a result")
	case given == nil && (want.Result != nil || want.Content != nil):
		c.wrong(c.at.Key("given"), "write given: {result: …}, which is what the tool is taken to answer", "is missing: hooks after a call get the answer of its tool")
	}
}

// given is how the tool is taken to have answered.
func (c *compiler) given(at diag.Cursor, cfg *GivenConfig) *outcome {
	o := &outcome{}
	switch {
	case cfg.Error != nil:
		o.err = tool.Errorf(tool.Code(cfg.Error.Type), "%s", cfg.Error.Message)
		if cfg.Error.Type == "" {
			o.err = tool.Errorf(tool.UpstreamError, "%s", cfg.Error.Message)
		}
		return o
	case cfg.Content != nil:
		out, err := tool.RenderJSON(cfg.Content, tool.OutputContent)
		if err != nil {
			c.wrong(at.Key("content"), `write a list, such as [{type: text, text: …}]`, "this is no list of content blocks: %v", err)
		}
		o.output = out
		return o
	}
	v, _ := decode(cfg.Result)
	o.output, _ = tool.RenderValue(v, tool.OutputAuto) // what was decoded has a JSON form
	return o
}
