package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Prepare makes of the arguments that a call sends to the tool of the request
// what rules see of them, Args and Reason: read, cast and checked as those of a
// real call are. The rest of the request is complete.
type Prepare func(req *Request, sent json.RawMessage) error

// Profiles say of each tool whether it is in a profile, by the name of that.
type Profiles map[string]func(*tool.Spec) bool

// Tests are the compiled tests of a policy.
type Tests struct {
	engine *Engine
	tests  []*ruleTest
}

// ruleTest is one test: about a call where req is set, else about a list.
type ruleTest struct {
	name   string
	req    *Request
	expect Effect  // empty when it does not matter
	rule   *string // nil when it does not matter
	caller tool.Caller
	lists  map[*tool.Spec]bool
	only   bool                  // tools that are not in lists must not be listed
	within func(*tool.Spec) bool // the profile; nil without one
	groups []string              // that are active in the chat
	inChat bool                  // tools count only where they are active in it
}

// TestResult is the outcome of one test.
type TestResult struct {
	Name        string
	Differences []string // what came out otherwise than the test says; empty when it passed
	Decision    Decision // of a test about a call
	Explanation *Explanation
}

// OK reports whether the test passed.
func (r *TestResult) OK() bool { return len(r.Differences) == 0 }

// CompileTests compiles the tests of a policy section, at is their place. It
// reports every mistake in them, and leaves out tests that have one. The engine
// must have been compiled with the tools of the configuration.
func (e *Engine) CompileTests(at diag.Cursor, cfg []TestConfig, prepare Prepare, profiles Profiles) *Tests {
	return e.compileTests(testCompiler{at: at, engine: e, prepare: prepare, profiles: profiles}, cfg)
}

// CompileSomeTests is CompileTests where tools come and go: a test that names one that
// is not there is left out with a warning.
func (e *Engine) CompileSomeTests(at diag.Cursor, cfg []TestConfig, prepare Prepare, profiles Profiles) *Tests {
	return e.compileTests(testCompiler{at: at, engine: e, prepare: prepare, profiles: profiles, lenient: true}, cfg)
}

func (e *Engine) compileTests(all testCompiler, cfg []TestConfig) *Tests {
	ts := &Tests{engine: e}
	seen := map[string]bool{}
	for i := range cfg {
		c := all
		c.at = all.at.Index(i)
		t := c.compile(&cfg[i])
		if seen[t.name] {
			c.fail("name", "rename one of them", "another test has the name %q too", t.name)
		}
		seen[t.name] = true
		if !c.failed {
			ts.tests = append(ts.tests, t)
		}
	}
	return ts
}

type testCompiler struct {
	at      diag.Cursor
	engine  *Engine
	prepare Prepare
	lenient bool // a tool that is not there is no mistake

	profiles Profiles
	failed   bool
}

func (c *testCompiler) fail(key, hint, format string, args ...any) {
	c.failed = true
	at := c.at
	for part := range strings.SplitSeq(key, " ") {
		at = at.Key(part)
	}
	at.Hintf(hint, format, args...)
}

func (c *testCompiler) compile(cfg *TestConfig) *ruleTest {
	t := &ruleTest{name: cfg.Name, caller: c.caller(cfg.Caller)}
	switch isCall := cfg.Call != ""; {
	case isCall == (len(cfg.Lists) > 0 || cfg.ListsOnly != nil):
		c.failed = true
		c.at.Hintf("write call: TOOL with expect, lists: {TOOL: true} or lists_only: [TOOL]", "a test is about one call or about lists")
	case isCall:
		c.call(t, cfg)
	default:
		c.lists(t, cfg)
	}
	return t
}

func (c *testCompiler) call(t *ruleTest, cfg *TestConfig) {
	if cfg.Profile != "" {
		c.fail("profile", "remove it", "rules decide about a call whatever the profile is that it comes through")
	}
	t.expect, t.rule = Effect(cfg.Expect), cfg.Rule
	if cfg.Expect == "" && cfg.Rule == nil {
		c.fail("expect", "write expect: allow, deny or ask", "is missing")
	}
	if cfg.Rule != nil {
		c.rule(*cfg.Rule)
	}
	t.req = &Request{Caller: t.caller, Chat: c.chat(cfg.Chat), Via: tool.Via(cfg.Via), Now: c.now(cfg.Now), Counter: c.calls(cfg.Calls)}
	if t.req.Via == "" {
		t.req.Via = tool.ViaDirect
	}
	if t.req.Tool = c.tool("call", cfg.Call); t.req.Tool == nil {
		return
	}
	if err := c.prepare(t.req, cfg.Args); err != nil {
		c.fail("args", "", "a call of %s with these arguments does not reach the rules: %v", cfg.Call, err)
	}
}

func (c *testCompiler) rule(name string) {
	names := make([]string, 0, len(c.engine.rules))
	for _, r := range c.engine.rules {
		names = append(names, r.name)
	}
	if name != "" && !slices.Contains(names, name) {
		slices.Sort(names)
		c.fail("rule", diag.DidYouMean(name, names), "no rule that is enabled has the name %q", name)
	}
}

func (c *testCompiler) tool(key, name string) *tool.Spec {
	spec := c.engine.catalogue.named(name)
	switch {
	case spec == nil && c.lenient:
		c.failed = true
		c.at.As(diag.UnmatchedPattern).Warnf("", "no tool is named %q now, so this test is left out", name)
	case spec == nil:
		c.fail(key, diag.DidYouMean(name, c.engine.catalogue.names()), "no tool is named %q", name)
	}
	return spec
}

func (c *testCompiler) lists(t *ruleTest, cfg *TestConfig) {
	for _, own := range []struct {
		key   string
		given bool
	}{
		{"args", cfg.Args != nil},
		{"via", cfg.Via != ""},
		{"now", cfg.Now != ""},
		{"calls", cfg.Calls != nil},
		{"expect", cfg.Expect != ""},
		{"rule", cfg.Rule != nil},
	} {
		if own.given {
			c.fail(own.key, "remove it", "lists are made before there is a call, so %s changes nothing here", own.key)
		}
	}
	c.view(t, cfg)
	t.lists = make(map[*tool.Spec]bool, len(cfg.Lists)+len(cfg.ListsOnly))
	t.only = cfg.ListsOnly != nil
	for i, name := range cfg.ListsOnly {
		if spec := c.tool(fmt.Sprintf("lists_only %d", i), name); spec != nil {
			t.lists[spec] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Lists)) {
		spec := c.tool("lists "+name, name)
		if spec == nil {
			continue
		}
		if t.lists[spec] && !cfg.Lists[name] {
			c.fail("lists "+name, "remove it in one of them", "the tool is named in lists_only, too")
		}
		t.lists[spec] = cfg.Lists[name]
	}
}

// view is what a list is asked for through: the profile and the groups of the chat.
func (c *testCompiler) view(t *ruleTest, cfg *TestConfig) {
	if cfg.Profile != "" {
		if t.within = c.profiles[cfg.Profile]; t.within == nil {
			c.fail("profile", diag.DidYouMean(cfg.Profile, slices.Sorted(maps.Keys(c.profiles))), "there is no profile %q", cfg.Profile)
		}
	}
	if cfg.Chat == nil {
		return
	}
	t.groups, t.inChat = cfg.Chat.Groups, true
	known := map[string]bool{}
	for _, k := range c.engine.catalogue {
		for _, group := range k.spec.Groups {
			known[group] = true
		}
	}
	for i, group := range t.groups {
		if !known[group] {
			c.fail(fmt.Sprintf("chat groups %d", i), diag.DidYouMean(group, slices.Sorted(maps.Keys(known))), "no tool is in a group %q", group)
		}
	}
}

// Run runs every test, in the order of the configuration.
func (ts *Tests) Run() []TestResult {
	out := make([]TestResult, len(ts.tests))
	for i, t := range ts.tests {
		if t.req != nil {
			out[i] = t.runCall(ts.engine)
		} else {
			out[i] = t.runLists(ts.engine)
		}
	}
	return out
}

func (t *ruleTest) runCall(e *Engine) TestResult {
	x := e.Explain(t.req)
	out := TestResult{Name: t.name, Decision: x.Decision, Explanation: &x}
	if t.expect != "" && t.expect != x.Effect {
		out.Differences = append(out.Differences, fmt.Sprintf("expected %s, got %s", t.expect, &x.Decision))
	}
	if t.rule != nil && *t.rule != x.Rule {
		out.Differences = append(out.Differences, fmt.Sprintf("expected that %s decides, and it was %s%s", by(*t.rule), x.by(), e.passedOver(&x, *t.rule)))
	}
	return out
}

// passedOver says why an expected rule did not decide.
func (e *Engine) passedOver(x *Explanation, rule string) string {
	for _, try := range x.Tried {
		if try.Rule == rule {
			return fmt.Sprintf(" (%s: %s)", by(rule), try.Why)
		}
	}
	if rule == "" {
		return ""
	}
	return fmt.Sprintf(" (%s comes later)", by(rule))
}

func (d *Decision) failure() string {
	if d.Err == nil {
		return ""
	}
	return ", which could not be evaluated: " + d.Err.Error()
}

// String says what was decided and by what.
func (d *Decision) String() string { return string(d.Effect) + " by " + d.by() + d.failure() }

// by names what decided.
func (d *Decision) by() string {
	if d.Builtin {
		return isBuiltin
	}
	return by(d.Rule)
}

// isBuiltin stands where otherwise a rule or the default is named.
const isBuiltin = "its being built in"

// by names a rule, or the default.
func by(rule string) string {
	if rule == "" {
		return "the default"
	}
	return fmt.Sprintf("rule %q", rule)
}

func (t *ruleTest) runLists(e *Engine) TestResult {
	out := TestResult{Name: t.name}
	for _, c := range e.catalogue {
		want, asked := t.lists[c.spec]
		if !asked && (!t.only || c.spec.Source == tool.SourceBuiltin) {
			continue
		}
		if got, why := t.listed(e, c.spec); got != want {
			verb := map[bool]string{true: "is listed, and should not be", false: "is not listed, and should be"}[got]
			out.Differences = append(out.Differences, fmt.Sprintf("%s %s (%s)", c.spec.Name, verb, why))
		}
	}
	return out
}

// listed reports whether a tool is listed, or found by searching, and why.
func (t *ruleTest) listed(e *Engine, s *tool.Spec) (listed bool, why string) {
	own := s.Source == tool.SourceBuiltin
	switch {
	case t.within != nil && !own && !t.within(s):
		return false, "it is not in the profile"
	case t.inChat && !own && !s.ActiveIn(t.groups):
		return false, "none of its groups is active in the chat: " + strings.Join(s.Groups, ", ")
	}
	return e.Lists(s, t.caller), e.Outlook(s, t.caller).String()
}

// String says what becomes of the calls and by which rules.
func (o Outlook) String() string {
	var who []string
	for _, name := range o.Rules {
		who = append(who, by(name))
	}
	switch {
	case o.Else && o.Builtin:
		who = append(who, isBuiltin)
	case o.Else:
		who = append(who, by(""))
	}
	return string(o.Effect) + " by " + strings.Join(who, " or ")
}
