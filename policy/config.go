package policy

import (
	"encoding/json"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Config is the "policy" section of a configuration.
type Config struct {
	Default string                     `koanf:"default"` // what happens where no rule matches: allow, deny or ask; deny when empty
	Data    map[string]json.RawMessage `koanf:"data"`    // values that rules see as data.NAME
	Rules   []RuleConfig               `koanf:"rules"`
	Tests   []TestConfig               `koanf:"tests"`
}

// RuleConfig is one rule. All matchers that are given must hold; within one of
// them, one entry is enough. When is an expression that must hold too; Reason
// is a template.
type RuleConfig struct {
	Name    string   `koanf:"name"`
	Enabled *bool    `koanf:"enabled"` // true when absent
	Tools   []string `koanf:"tools"`   // globs on the full name
	Tags    []string `koanf:"tags"`
	Groups  []string `koanf:"groups"`  // names of groups that the tool is in
	Callers []string `koanf:"callers"` // globs on the caller's name
	Via     []string `koanf:"via"`     // how the call was made: direct, batch, call_tool or code
	Preset  string   `koanf:"preset"`  // a ready-made rule; it has tags, action and reason of its own
	When    *string  `koanf:"when"`
	Action  string   `koanf:"action"` // allow, deny or ask
	Reason  string   `koanf:"reason"`
	// RateLimit is how many calls that the rule decides about are let through in a
	// time, or, by an ask rule, put to a person; any number when nil.
	RateLimit *tool.RateLimit `koanf:"rate_limit"`
	Show      bool            `koanf:"show"` // a caller that the rule keeps from a tool may be told its name and the reason

	// What follows is for rules that ask.

	Expires   time.Duration  `koanf:"expires"`    // how long a call may wait for an answer; that of the section "approvals" when absent
	Wait      *time.Duration `koanf:"wait"`       // how long the caller is kept waiting for it
	ApproveBy string         `koanf:"approve_by"` // who may answer: desk, client or any; desk when absent
	Approvers *string        `koanf:"approvers"`  // expression over approver too: who of those with the right may answer
	Remember  []string       `koanf:"remember"`   // how far an answer may be made to reach: same_args, chat
	Summary   string         `koanf:"summary"`    // template of the line that says what is asked
	Notify    *NotifyConfig  `koanf:"notify"`     // who is told of its questions in place of those whom the section "approvals" names
}

// NotifyConfig is a service that is told of the questions of a rule. Both are
// templates. What decides about calls reads none of it.
type NotifyConfig struct {
	URL    string `koanf:"url"`
	Secret string `koanf:"secret"` // that requests are signed with
}

// TestConfig is one test of the rules: what they decide about a call, or what
// they list for a caller. A test has Call, or Lists or ListsOnly or both of these.
type TestConfig struct {
	Name   string          `koanf:"name"`
	Call   string          `koanf:"call"` // name of a tool
	Args   json.RawMessage `koanf:"args"` // an object; {} when absent
	Caller *CallerConfig   `koanf:"caller"`
	Chat   *ChatConfig     `koanf:"chat"`
	Via    string          `koanf:"via"`    // direct when empty
	Now    string          `koanf:"now"`    // what now() gives, RFC 3339; the present when absent
	Calls  map[string]int  `koanf:"calls"`  // what calls(window, by) gives, by "window by"
	Expect string          `koanf:"expect"` // allow, deny or ask
	Rule   *string         `koanf:"rule"`   // name of the rule that decides; not compared when absent
	Lists  map[string]bool `koanf:"lists"`  // name of a tool: whether it is listed
	// ListsOnly are the names of all tools that are listed. The gateway's own count only
	// where they are named. It is nil where that does not matter.
	ListsOnly []string `koanf:"lists_only"`
	Profile   string   `koanf:"profile"` // that lists are asked for through; none when empty
}

// CallerConfig is who calls in a test.
type CallerConfig struct {
	ID     string                     `koanf:"id"`
	Name   string                     `koanf:"name"`
	Kind   string                     `koanf:"kind"`
	Groups []string                   `koanf:"groups"`
	Claims map[string]json.RawMessage `koanf:"claims"`
}

// ChatConfig is the chat of a test.
type ChatConfig struct {
	ID      string                     `koanf:"id"`
	Groups  []string                   `koanf:"groups"`
	Context map[string]json.RawMessage `koanf:"context"`
}
