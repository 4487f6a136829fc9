package config

import (
	"encoding/json"
	"net/netip"
	"time"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/cmdtool"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

const (
	// Version is the version of the file's format that this package reads.
	Version = 1
	// DefaultListen is the address of the server unless "server.listen" says
	// otherwise: this machine only.
	DefaultListen = "127.0.0.1:8080"
	// DefaultStore is where state is kept unless "store.url" says otherwise.
	DefaultStore = StorePrefix + "gateway.db"
	// DefaultKeepResults is how long results that were too large to show are kept
	// unless "store.keep.results" says otherwise.
	DefaultKeepResults = 24 * time.Hour
	// DefaultLogLevel and DefaultLogFormat are those of the server's lines unless
	// "log" says otherwise.
	DefaultLogLevel  = "info"
	DefaultLogFormat = "text"
	// DefaultKeepLog is how long the record of calls is kept unless
	// "store.keep.log.age" says otherwise.
	DefaultKeepLog = 30 * 24 * time.Hour
	// DefaultLogSize is what calls may take in the store's file before the oldest
	// are removed, in bytes, unless "store.keep.log.size" says otherwise.
	DefaultLogSize = 1 << 30
	// StorePrefix starts the URL of a store in a file.
	StorePrefix = "sqlite:"
)

// Config is a configuration as it was read from all its layers. Values that
// were wrong are zero; [Config.Broken] tells which parts those are.
type Config struct {
	// Include holds the patterns of all files, in the order they were read.
	// What they name is part of the Config already.
	Include     []string                           `koanf:"include"`
	Version     int                                `koanf:"version"`
	Server      Server                             `koanf:"server"`
	Secrets     map[string]secret.Config           `koanf:"secrets"` // by name; paths of files are absolute
	Networks    Networks                           `koanf:"networks"`
	Upstreams   map[string]httptool.UpstreamConfig `koanf:"upstreams"` // by name; paths of files are absolute
	Defaults    Defaults                           `koanf:"defaults"`
	Admit       Admit                              `koanf:"admit"`
	Tools       map[string]Tool                    `koanf:"tools"`    // by name
	Sources     map[string]Source                  `koanf:"sources"`  // by namespace
	Groups      map[string]Group                   `koanf:"groups"`   // by name
	Profiles    map[string]Profile                 `koanf:"profiles"` // by name
	Inject      []hook.InjectConfig                `koanf:"inject"`
	Hooks       Hooks                              `koanf:"hooks"`
	Policy      *policy.Config                     `koanf:"policy"` // nil when the file has no policy
	Chats       chat.Config                        `koanf:"chats"`
	Discovery   Discovery                          `koanf:"discovery"`
	Interpreter Interpreter                        `koanf:"code_interpreter"`
	Approvals   approval.Config                    `koanf:"approvals"`
	Store       Store                              `koanf:"store"`
	Log         Log                                `koanf:"log"`

	findings *findings
	tree     *node
	dir      string // the folder of the first file
}

// Hooks is the "hooks" section.
type Hooks struct {
	Before []hook.BeforeConfig    `koanf:"before"` // in this order, on the arguments
	After  []hook.AfterConfig     `koanf:"after"`  // in this order, on the result
	Tests  []rehearsal.HookConfig `koanf:"tests"`  // paths of files are absolute
}

// Config is what the section says about calls.
func (h *Hooks) Config() hook.Config { return hook.Config{Before: h.Before, After: h.After} }

// Server is the "server" section.
type Server struct {
	Listen       string                         `koanf:"listen"`       // host:port; an empty host is every address of the machine
	Token        string                         `koanf:"token"`        // of the caller access.ClientName, a template
	AdminToken   string                         `koanf:"admin_token"`  // of the caller access.AdminName, a template
	Callers      map[string]access.CallerConfig `koanf:"callers"`      // by name
	Hosts        []string                       `koanf:"hosts"`        // that a Host header may name beside this machine
	Origins      []string                       `koanf:"origins"`      // of the web pages that may use the gateway
	Instructions string                         `koanf:"instructions"` // that MCP clients may show their model
}

// Access is what the section says about who is let in.
func (s *Server) Access() access.Config {
	return access.Config{Token: s.Token, AdminToken: s.AdminToken, Callers: s.Callers, Hosts: s.Hosts, Origins: s.Origins}
}

// Networks is the "networks" section.
type Networks struct {
	Allow []netip.Prefix `koanf:"allow"` // private ranges that runners may reach
}

// Defaults is the "defaults" section: what holds for a tool that does not say
// otherwise.
type Defaults struct {
	Timeout       time.Duration `koanf:"timeout"`         // more than zero
	MaxOutput     tool.Size     `koanf:"max_output"`      // more than zero
	MaxResultSize int           `koanf:"max_result_size"` // characters; more than zero
	Retries       int           `koanf:"retries"`         // of read-only tools; not negative
	// ThinkAugment lets models say why they call a tool; false when absent.
	ThinkAugment bool        `koanf:"think_augment"`
	Log          tool.Logged `koanf:"log"` // how much of a call is recorded
}

// Admit is the "admit" section: which tools are registered at all. Each entry
// is a glob on the name, or tag: and a tag. Deny wins over Allow.
type Admit struct {
	Allow []string `koanf:"allow"` // every tool when absent
	Deny  []string `koanf:"deny"`
}

// Group is one entry of the "groups" section.
type Group struct {
	Description string   `koanf:"description"`
	Tools       []string `koanf:"tools"` // globs on the full name
}

// Profile is one entry of the "profiles" section: a fixed subset of the tools.
// A tool is in it that one of the lists names.
type Profile struct {
	Tools  []string `koanf:"tools"`  // globs on the full name
	Tags   []string `koanf:"tags"`   // tags, of which a tool has at least one
	Groups []string `koanf:"groups"` // names of groups, of which a tool is in at least one
}

// Requires is what a tool needs around it.
type Requires struct {
	Env     []string `koanf:"env"`     // names of environment variables that must be set
	Command []string `koanf:"command"` // programs that must be found
	URL     []string `koanf:"url"`     // addresses that must answer
	// Check says when this is looked at: load (when absent), and then a tool
	// that lacks something is left out; watch, which is load again and again; or
	// call, and then its calls fail.
	Check string `koanf:"check"`
}

// Tool is one entry of the "tools" section. Exactly one of HTTP, Command and
// Expr is set.
type Tool struct {
	Enabled         *bool           `koanf:"enabled"` // true when absent
	Title           string          `koanf:"title"`
	Description     string          `koanf:"description"`
	SearchHint      string          `koanf:"search_hint"` // further words that searches find it by
	Tags            []string        `koanf:"tags"`
	Defer           bool            `koanf:"defer"`            // left out of lists until a search has found it in the chat
	Core            *bool           `koanf:"core"`             // true when absent; else active only in chats where one of its groups is
	Parameters      json.RawMessage `koanf:"parameters"`       // key order and numbers as written; nil when absent
	Output          tool.OutputMode `koanf:"output"`           // OutputAuto when absent
	Timeout         time.Duration   `koanf:"timeout"`          // that of Defaults when absent
	MaxOutput       tool.Size       `koanf:"max_output"`       // that of Defaults when absent
	MaxResultSize   int             `koanf:"max_result_size"`  // characters; that of Defaults when absent
	Retries         *int            `koanf:"retries"`          // that of the upstream, else of Defaults, when absent; of read-only tools
	ConcurrencySafe *bool           `koanf:"concurrency_safe"` // true when absent, but for destructive and privileged tools
	Exclusive       string          `koanf:"exclusive"`        // of all tools with this key one call runs at a time
	RateLimit       *tool.RateLimit `koanf:"rate_limit"`       // how many calls are let through in a time; any number when nil
	Log             tool.Logged     `koanf:"log"`              // that of Defaults, key by key, when absent

	ThinkAugment *bool             `koanf:"think_augment"` // that of Defaults when absent
	Requires     *Requires         `koanf:"requires"`
	Hints        map[string]string `koanf:"hints"` // text for the model, by the result's action, else mode, else *

	Tests []rehearsal.ToolConfig `koanf:"tests"` // paths of files are absolute

	HTTP    *httptool.Config `koanf:"http"`
	Command *cmdtool.Config  `koanf:"command"`
	Expr    *string          `koanf:"expr"`
}

// IsCore reports whether the tool is active in every chat.
func (t *Tool) IsCore() bool { return t.Core == nil || *t.Core }

// On reports whether the tool is enabled.
func (t *Tool) On() bool { return t.Enabled == nil || *t.Enabled }

// Store is the "store" section.
type Store struct {
	URL  string `koanf:"url"` // StorePrefix and an absolute path
	Keep Keep   `koanf:"keep"`
}

// Keep is how long what the store holds is kept.
type Keep struct {
	Log     KeepLog       `koanf:"log"`
	Results time.Duration `koanf:"results"` // results that were too large to show; DefaultKeepResults when absent
	Files   time.Duration `koanf:"files"`   // files of chats, after they were put; as long as their chats when absent
}

// KeepLog is how long the record of calls is kept.
type KeepLog struct {
	Age  time.Duration `koanf:"age"`  // since a call was stored; DefaultKeepLog when absent
	Size tool.Size     `koanf:"size"` // of what calls take in the store, about; the oldest go first; DefaultLogSize when absent
}

// Log is the "log" section: the lines that the server writes of what it does.
// The record of calls is another thing.
type Log struct {
	Level  string `koanf:"level"`  // debug, info, warn or error; DefaultLogLevel when absent
	Format string `koanf:"format"` // text or json; DefaultLogFormat when absent
}

// At is a cursor at the root of the file. What is reported through it and
// through the cursors made from it is part of [Config.Problems]. Cursors of a
// Config that Load made are safe for concurrent use.
func (c *Config) At() diag.Cursor { return diag.NewCursor(&c.found().report, c.spot) }

// Problems returns everything that was reported on the file until now, by
// [Load] and through cursors, sorted by place.
func (c *Config) Problems() diag.Problems { return c.found().report.Problems() }

// Broken reports whether Load found an error at the path or anywhere inside
// it, so that the value there is not the one that was meant. What is reported
// through cursors later does not count. Without a path it is about the whole
// file.
func (c *Config) Broken(path ...string) bool { return c.found().isBroken(path) }

// Forget gives up the places of all values, which take more memory than the
// values. What is reported later names its key and no place, and nothing can be
// printed any more. It is for a program that goes on with what it has made of the
// Config, whose parts hold on to cursors.
func (c *Config) Forget() { c.tree = nil }

// found lets a Config that a program made itself take problems too.
func (c *Config) found() *findings {
	if c.findings == nil {
		c.findings = newFindings()
	}
	return c.findings
}

// spot is the side table of places: the tree itself, walked along the path.
func (c *Config) spot(path []string) (diag.Spot, bool) {
	if c.tree == nil {
		return diag.Spot{}, false
	}
	key, n := c.tree.place, c.tree
	for _, step := range path {
		var ok bool
		if key, n, ok = n.child(step); !ok {
			return diag.Spot{}, false
		}
	}
	return diag.Spot{Key: key.place(), Value: n.place.place(), Plain: func() int { return n.place.src.plain(n) }}, true
}
