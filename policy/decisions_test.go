package policy_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/policy"
)

// leastCases is how many decisions the tables hold at least.
const leastCases = 160

// table runs a file of decisions line by line.
type table struct {
	t      *testing.T
	line   int
	cfg    policy.Config
	test   policy.TestConfig
	engine *policy.Engine
	cases  int
}

// TestDecisions reads testdata/decisions.txt; what its lines mean is said
// there. Decide and Explain agree on every one.
func TestDecisions(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/decisions.txt")
	if err != nil {
		t.Fatal(err)
	}
	tab := table{t: t}
	for line := range strings.Lines(string(data)) {
		tab.line++
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			tab.read(line)
		}
	}
	t.Logf("%d decisions", tab.cases)
	if tab.cases < leastCases {
		t.Errorf("%d decisions, want %d at least", tab.cases, leastCases)
	}
}

func (tab *table) read(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "##":
		tab.cfg, tab.test, tab.engine = policy.Config{}, policy.TestConfig{}, nil
	case "default":
		tab.cfg.Default = rest
	case "data":
		tab.decode(rest, &tab.cfg.Data)
	case "rule":
		var r policy.RuleConfig
		tab.decode(rest, &r)
		tab.cfg.Rules = append(tab.cfg.Rules, r)
	case "caller":
		tab.test.Caller = nil
		tab.decode(rest, &tab.test.Caller)
	case "chat":
		tab.test.Chat = nil
		tab.decode(rest, &tab.test.Chat)
	case "calls":
		tab.test.Calls = nil
		tab.decode(rest, &tab.test.Calls)
	case "via":
		tab.test.Via = rest
	case "now":
		tab.test.Now = rest
	default:
		tab.decide(line)
	}
}

func (tab *table) decode(text string, into any) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		tab.t.Fatalf("line %d: %v", tab.line, err)
	}
}

// decide runs a call as a rule test.
func (tab *table) decide(line string) {
	call, want, ok := strings.Cut(line, " => ")
	name, args, _ := strings.Cut(call, " ")
	if !ok {
		tab.t.Fatalf("line %d is no call: %s", tab.line, line)
	}
	tab.cases++
	var report diag.Report
	at := diag.NewCursor(&report, nil)
	if tab.engine == nil {
		tab.engine = policy.Compile(at, &tab.cfg, known()...)
	}
	test := tab.test
	test.Name, test.Call, test.Args, test.Expect = line, name, json.RawMessage(args), "allow"
	results := tab.engine.CompileTests(at, []policy.TestConfig{test}, decodeArgs, nil).Run()
	if err := report.Problems().Err(); err != nil {
		tab.t.Fatalf("line %d: %v", tab.line, err)
	}
	d := results[0].Decision
	got := string(d.Effect) + " "
	if d.Err != nil {
		got += "error "
	}
	if got += d.Rule; d.Rule == "" {
		got += "-"
	}
	if got != want {
		tab.t.Errorf("line %d: %s\n got %s (%v)", tab.line, line, got, d.Err)
	}
}

// known are the tools of the tests, whose arguments may be anything.
func known() []policy.Known {
	var out []policy.Known
	for _, name := range []string{"find", "pay", "pay_back", "git-issue", "read_result"} {
		out = append(out, policy.Known{Spec: specs[name], Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return out
}

// decodeArgs prepares arguments that are not checked.
func decodeArgs(req *policy.Request, raw json.RawMessage) error {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	return dec.Decode(&req.Args)
}

// TestExplainAgreesOnFailures: the last rule tried is the one that decided, also
// where it failed.
func TestExplainAgreesOnFailures(t *testing.T) {
	t.Parallel()
	e := mustCompile(t, rules)
	for _, args := range []string{`{}`, `{"amount": 60}`, `{"amount": "x"}`, `{"note": 1}`, `{"amount": 500}`} {
		req := request(t, "pay", args, "ann")
		d, x := e.Decide(req), e.Explain(req)
		if d.Effect != x.Effect || d.Rule != x.Rule || d.Reason != x.Reason || (d.Err == nil) != (x.Err == nil) {
			t.Errorf("%s: decided %+v, explained %+v", args, d, x.Decision)
		}
		last := x.Tried[len(x.Tried)-1]
		if last.Decided != (d.Rule != "") || last.Decided && last.Rule != d.Rule {
			t.Errorf("%s: the last try is %+v", args, last)
		}
	}
}
