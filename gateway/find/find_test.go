package find_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with the file of that name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// many are deferred tools of several sources.
func many(n int) []*tool.Spec {
	var specs []*tool.Spec
	for i := range n {
		s := &tool.Spec{Name: fmt.Sprintf("tool_%03d", i), Description: "Does this. And that.\nAnd more.", Deferred: true}
		if source := i % 7; source > 0 {
			s.Namespace = fmt.Sprintf("source%d", source)
		}
		specs = append(specs, s)
	}
	return specs
}

// large are tools of one big source, whose tags say what they are about, a smaller one
// without tags, and declared ones.
func large() []*tool.Spec {
	var specs []*tool.Spec
	for _, area := range []string{"actions", "issues", "pulls", "repos", "users"} {
		for i := range 150 {
			s := &tool.Spec{Name: fmt.Sprintf("github-%s_do-thing-%d", area, i), Namespace: "github", Tags: []string{"network", area}, Description: "Do a thing with " + area + ". At length."}
			if area == "repos" && i == 77 {
				s.SearchHint = "archive a project"
			}
			specs = append(specs, s)
		}
	}
	for _, name := range []string{"postMessage", "listChannels", "archiveChannel", "inviteUser", "listUsers"} {
		specs = append(specs, &tool.Spec{Name: "slack-" + name, Namespace: "slack", Description: name + " of Slack."})
	}
	return append(specs, &tool.Spec{Name: "refund_payment", Description: "Give money back."}, &tool.Spec{Name: "book_trip"})
}

// TestDescriptions holds the words that models read.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	few := []*tool.Spec{
		{Name: "find_customer", SearchHint: "client  account\nlookup", Description: "Find a customer."},
		{Name: "silent"},
		{Name: "github-create_issue", Namespace: "github", Description: "Create an issue. It is open then."},
		{Name: "wordy", Description: strings.Repeat("é many words ", 40)},
	}
	var sources []*tool.Spec
	for i := range 60 {
		sources = append(sources, &tool.Spec{Name: fmt.Sprintf("s%02d-t", i), Namespace: fmt.Sprintf("s%02d", i), Description: strings.Repeat("x", 300)})
	}
	for name, spec := range map[string]*tool.Spec{
		"discover-nothing": find.NewSpec(nil), "discover-few": find.NewSpec(few), "discover-many": find.NewSpec(many(412)), "discover-sources": find.NewSpec(sources),
		"call": find.CallSpec(false), "call-by-risk": find.CallSpec(true), "call-read": find.CallReadSpec(true), "call-read-alone": find.CallReadSpec(false),
		"discover-large": find.NewSpec(large()), "discover-names": find.NewSpec(many(412)[:2]),
	} {
		golden(t, name, spec.Description+"\n"+string(spec.Parameters)+"\n"+strings.Join(spec.Tags, " "))
		if n := utf8.RuneCountInString(spec.Description); n > 3000 {
			t.Errorf("%s: %d characters", name, n)
		}
	}
	if a, b := find.NewSpec(many(50)), find.NewSpec(many(50)); a.Description != b.Description {
		t.Error("the same tools give other words")
	}
	if !json.Valid(find.Accepted()) {
		t.Error("the schema of what is accepted is no JSON")
	}
}

// listed stands for a tool that is in every list.
var listed = &tool.Spec{Source: "listed"}

// TestLines holds what the line about a tool says of it: what no reader sees, and what
// terminals obey, is not in it.
func TestLines(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Pays.\r\n\tAll of it. More.":             "Pays.",
		"\x1b[2JPays\u0007 \x00 now.":             "[2JPays now.",
		"\u202eyaP\u202c \u2066x\u2069":           "yaP x",
		"Pa\u200by\ufeff \u00ad\u2060s\U000e0041": "Pay s",
		"pa\u200dy\u200c":                         "pay",
		"می\u200cخواهم 👩\u200d💻":                  "می\u200cخواهم 👩\u200d💻",
		"👩\u200d\u200d\u200d💻 é\u200d":            "👩💻 é",
		"\u2028one\u2029two\u0085":                "one two",
		"\x1b\u200b":                              "",
		strings.Repeat("\u200b", 200) + "Pays.":   "Pays.",
	} {
		spec := find.NewSpec([]*tool.Spec{{Name: "pay", Description: said}})
		line := spec.Description[strings.LastIndex(spec.Description, "\n- ")+1:]
		if want != "" {
			want = ": " + want
		}
		if diff := cmp.Diff("- pay"+want, line); diff != "" {
			t.Errorf("%q: %s", said, diff)
		}
	}
}

func found(name string, f find.Found) find.Found {
	s := tool.Spec{
		Name: name, Description: "Does " + name + ".", Deferred: true,
		Parameters: json.RawMessage(`{"type": "object", "properties": {"<q>": {"type": "string", "description": "` + strings.Repeat("What it is about. ", 10) + `"}}}`),
	}
	if f.Spec != nil {
		s.Tags, s.Deferred = f.Spec.Tags, f.Spec.Source != "listed"
	}
	f.Spec = &s
	if f.Permission == "" {
		f.Permission = find.Allow
	}
	return f
}

// TestAnswers holds what searches answer with.
func TestAnswers(t *testing.T) {
	t.Parallel()
	reads, destroys := &tool.Spec{Tags: []string{"read_only", "crm"}}, &tool.Spec{Tags: []string{"destructive"}}
	three := func(with ...string) []find.Found {
		return []find.Found{
			found("c", find.Found{Spec: listed, With: "call_tool", Permission: find.Depends}),
			found("a", find.Found{Spec: reads, With: with[0]}), found("b", find.Found{Spec: destroys, With: with[1], Permission: find.Ask}),
		}
	}
	usual := three("call_tool", "call_tool")
	x := &discovery.Explanation{
		Terms:   []discovery.TermScore{{Term: "open", IDF: 1.5, Fields: map[string]float64{"name": 3, "description": 1}, Score: 2.5}, {Term: "issu", For: "tickets", Why: "synonym", IDF: 1, Fields: map[string]float64{"name": 1}, Score: 1}},
		Bonuses: []discovery.Bonus{{Name: "pairs", Score: 0.5}},
	}
	for name, tt := range map[string]struct {
		answer find.Answer
		in     find.Request
		budget int
	}{
		"answer-usual":       {answer: find.Answer{Tools: usual, More: 7}},
		"answer-by-risk":     {answer: find.Answer{Tools: three("call_read_tool", "call_tool")}},
		"answer-risk-reads":  {answer: find.Answer{Tools: three("call_read_tool", "call_tool")[:2]}},
		"answer-risk-writes": {answer: find.Answer{Tools: three("call_read_tool", "call_tool")[2:]}},
		"answer-read-only":   {answer: find.Answer{Tools: three("call_read_tool", "")}},
		"answer-denied-via":  {answer: find.Answer{Tools: three("", "call_tool")}},
		"answer-no-call":     {answer: find.Answer{Tools: three("", "")}},
		"answer-listed":      {answer: find.Answer{Tools: usual[:1]}},
		"answer-names":       {answer: find.Answer{Tools: usual}, in: find.Request{Detail: find.Names}},
		"answer-summary":     {answer: find.Answer{Tools: usual}, in: find.Request{Detail: find.Summary}},
		"answer-schema":      {answer: find.Answer{Tools: usual}, in: find.Request{Detail: find.Schema}},
		"answer-explained":   {answer: find.Answer{Tools: []find.Found{found("a", find.Found{Score: 4, Explained: x, With: "call_tool"})}}, in: find.Request{Explain: true}},
		"answer-short":       {answer: find.Answer{Tools: usual}, budget: 1000},
		"answer-shorter":     {answer: find.Answer{Tools: usual}, budget: 600},
		"answer-tiny":        {answer: find.Answer{Tools: usual, More: 2}, budget: 10},
		"answer-exact":       {answer: find.Answer{Tools: usual[:1], Exact: true}, budget: 10},
		"answer-nothing":     {in: find.Request{Query: " fly\nto the \"moon\" "}},
		"answer-empty":       {in: find.Request{Query: " \n", Namespace: "crm"}},
		"answer-filtered":    {in: find.Request{Query: "issues", Namespace: "nope", Tags: []string{"a", "b"}}},
		"answer-near":        {answer: find.Answer{Near: []string{"find_it", "find_all"}}, in: find.Request{Query: strings.Repeat("finde ", 60)}},
		"answer-unavailable": {answer: find.Answer{Unavailable: []find.Unavailable{{Name: "pay", Reason: "Not on Sundays."}}}, in: find.Request{Query: "pay"}},
		"answer-inactive":    {answer: find.Answer{Tools: usual[:1], Unavailable: []find.Unavailable{{Name: "pay", Reason: "not active"}}, Advice: "Ask for it."}, in: find.Request{Query: "pay"}},
		"answer-unsaved":     {answer: find.Answer{Tools: usual[1:2], Unsaved: true}},
	} {
		budget := tt.budget
		if budget == 0 {
			budget = find.DefaultBudget
		}
		w, err := tt.answer.Write(&tt.in, budget)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(w.JSON))
		if !json.Valid(w.JSON) {
			t.Errorf("%s: no JSON", name)
		}
	}
}

// TestBudget holds that no answer is longer than its budget, that as much as possible
// is said, and that what is left out is counted.
func TestBudget(t *testing.T) {
	t.Parallel()
	a := find.Answer{More: 3}
	for i := range 50 {
		of := &tool.Spec{}
		if i%5 == 4 {
			of = listed
		}
		f := found(fmt.Sprintf("tool_%d", i), find.Found{Spec: of, With: find.CallName})
		f.Spec.Description = strings.Repeat("é", i*20)
		a.Tools = append(a.Tools, f)
	}
	last := 0
	for budget := 400; budget < 60_000; budget += 371 {
		w, err := a.Write(&find.Request{}, budget)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Tools []struct {
				Name   string
				Schema json.RawMessage `json:"input_schema"`
				About  string          `json:"description"`
			}
			More int
		}
		if err := json.Unmarshal(w.JSON, &got); err != nil {
			t.Fatal(err)
		}
		full := 0
		for _, s := range got.Tools {
			if s.Schema != nil {
				full++
			}
		}
		n := utf8.RuneCount(w.JSON)
		switch {
		case n > budget:
			t.Errorf("%d characters in a budget of %d", n, budget)
		case len(got.Tools)+got.More != 53 || full != len(w.Full) || len(w.Told) < full:
			t.Errorf("budget %d: %d tools, %d more, %d schemas, %d and %d are said", budget, len(got.Tools), got.More, full, len(w.Full), len(w.Told))
		case full < last-1:
			t.Errorf("budget %d: %d schemas, and %d with less room", budget, full, last)
		}
		last = full
	}
	if last != 40 {
		t.Errorf("%d schemas with all room", last)
	}
}

// TestHardLimit holds that even a tool of an exact name has a limit.
func TestHardLimit(t *testing.T) {
	t.Parallel()
	f := found("huge", find.Found{})
	f.Spec.Parameters = json.RawMessage(`{"description":"` + strings.Repeat("x", find.MaxSchema) + `"}`)
	w, err := (&find.Answer{Tools: []find.Found{f}, Exact: true}).Write(&find.Request{}, 100)
	if err != nil || utf8.RuneCount(w.JSON) > 1000 || len(w.Full) != 0 {
		t.Errorf("%d bytes, %v", len(w.JSON), err)
	}
}

// TestReadRequest holds how arguments are read.
func TestReadRequest(t *testing.T) {
	t.Parallel()
	args := map[string]any{"query": "q", "limit": json.Number("7.0"), "detail": "names", "namespace": "n", "tags": []any{"a", "b"}, "explain": true}
	want := find.Request{Query: "q", Limit: 7, Detail: find.Names, Namespace: "n", Tags: []string{"a", "b"}, Explain: true}
	if diff := cmp.Diff(want, find.ReadRequest(args)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(find.Request{}, find.ReadRequest(nil)); diff != "" {
		t.Error(diff)
	}
}

// TestUnwrap holds which calls of a call are understood, and how others are answered.
func TestUnwrap(t *testing.T) {
	t.Parallel()
	const form = ` Send {"name": "the_tool", "arguments": {…}}: the exact name of one tool, and the arguments that its own schema describes.`
	for _, tt := range []struct{ in, name, args, err string }{
		{in: `{"name":"pay","arguments":{"amount":12345678901234567890.10}}`, name: "pay", args: `{"amount":12345678901234567890.10}`},
		{in: `{"name":"pay"}`, name: "pay"},
		{in: `{"name":"pay","arguments":null}`, name: "pay", args: `null`},
		{in: `{"name":"pay","arguments":"{\"amount\":1}"}`, name: "pay", args: `"{\"amount\":1}"`}, // read as arguments of the tool are
		{in: `"{\"name\":\"pay\",\"arguments\":{}}"`, name: "pay", args: `{}`},
		{in: `{"arguments":{"name":"pay","arguments":{"amount":1}}}`, name: "pay", args: `{"amount":1}`},
		{in: `{"arguments":"{\"name\":\"pay\"}"}`, name: "pay"},
		{in: `{"name":"greet","arguments":{"name":"Ann"}}`, name: "greet", args: `{"name":"Ann"}`},
		{in: `{"arguments":"{\"name\":\"pay\",\"name\":\"refund\"}"}`, err: `"name" is missing.` + form},
		{in: `"{\"name\":\"pay\",\"name\":\"refund\"}"`, err: `its arguments are not a JSON object.` + form},
		{in: ``, err: `"name" is missing.` + form},
		{in: `{"tool_name":"pay","args":{}}`, err: `"name" is missing.` + form},
		{in: `{"name":7}`, err: `"name" is not the name of a tool.` + form},
		{in: `{"name":""}`, err: `"name" is not the name of a tool.` + form},
		{in: `[1]`, err: `its arguments are not a JSON object.` + form},
		{in: `"pay"`, err: `its arguments are not a JSON object.` + form},
		{in: `{`, err: `its arguments are not a JSON object.` + form},
		{in: `{"name":"call_tool"}`, err: `call_tool cannot be called with call_tool. Send the name and the arguments of the tool that is to run.`},
		{in: `{"name":"call_read_tool"}`, err: `call_read_tool cannot be called with call_tool. Send the name and the arguments of the tool that is to run.`},
		{in: `{"name":"discover_tools","arguments":{"query":"x"}}`, err: `discover_tools cannot be called with call_tool. Call discover_tools itself, not with call_tool.`},
	} {
		in, err := find.Unwrap(find.CallName, json.RawMessage(tt.in))
		text := ""
		if e, ok := errors.AsType[*tool.Error](err); ok {
			text = strings.TrimPrefix(e.Message, "invalid arguments for call_tool: ") + ". " + e.Hint
		}
		if in.Name != tt.name || string(in.Arguments) != tt.args || text != tt.err {
			t.Errorf("%s: got %s %s, %q", tt.in, in.Name, in.Arguments, text)
		}
	}
}

// TestStrays holds that an argument beside the others is not guessed.
func TestStrays(t *testing.T) {
	t.Parallel()
	in, err := find.Unwrap(find.CallName, json.RawMessage(`{"name":"pay","arguments":{},"why":1,"amount":5}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `invalid arguments for call_tool: "amount" stands beside "name" and "arguments"; what the tool is given goes into "arguments"`
	if err := in.Strays(find.CallName, "why"); err == nil || tool.AsError(err).Message != want {
		t.Errorf("got %v", err)
	}
	if err := in.Strays(find.CallName, "why", "amount"); err != nil {
		t.Error(err)
	}
}

// TestStraysOutside holds that what stands beside a call within "arguments" is not lost.
func TestStraysOutside(t *testing.T) {
	t.Parallel()
	in, err := find.Unwrap(find.CallName, json.RawMessage(`{"arguments":{"name":"pay","arguments":{},"why":1},"why":2,"amount":5}`))
	if err != nil || in.Strays(find.CallName, "why") == nil || string(in.Beside["why"]) != "1" {
		t.Errorf("%+v, %v", in, err)
	}
}

// TestMeansCalls holds which names are taken for those of the tools that call others.
func TestMeansCalls(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"call_tool": true, "callTool": true, "Call-Read_Tool": true, "call_read_tool": true, "call_tools": false, "discover_tools": false, "": false,
	} {
		if find.MeansCalls(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}

// TestWith holds where one more argument is put, and that nothing is guessed for it.
func TestWith(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{``, `{"why":"tea"}`},
		{`null`, `{"why":"tea"}`},
		{`""`, `{"why":"tea"}`},
		{`{"a":1.0}`, `{"a":1.0,"why":"tea"}`},
		{`"{\"a\":1.0}"`, `{"a":1.0,"why":"tea"}`},
		{`{"why":"cake"}`, `{"why":"cake"}`},
		{`"{\"a\":1,\"a\":2}"`, `"{\"a\":1,\"a\":2}"`},
		{`[1]`, `[1]`},
		{`"x"`, `"x"`},
	} {
		in := find.Inner{Arguments: json.RawMessage(tt.args)}
		if got := in.With("why", json.RawMessage(`"tea"`)); string(got) != tt.want {
			t.Errorf("%s: got %s", tt.args, got)
		}
	}
}

// TestUnplaced holds that the tools do nothing by themselves.
func TestUnplaced(t *testing.T) {
	t.Parallel()
	_, err := find.Unplaced{}.Run(t.Context(), tool.Input{Spec: find.CallSpec(false)})
	if tool.AsError(err).Code != tool.Internal {
		t.Errorf("got %v", err)
	}
}
