package tool

import (
	"encoding/json"
	"slices"
	"time"
)

// Tags with a meaning of their own; every other tag is free text that policy
// rules may match.
const (
	TagReadOnly    = "read_only"   // changes nothing
	TagDestructive = "destructive" // changes or removes something for good
	TagNetwork     = "network"     // talks to another machine
	TagFileSystem  = "file_system" // touches files of this machine
	TagSlow        = "slow"        // takes seconds rather than milliseconds
	TagPrivileged  = "privileged"  // needs rights beyond the ordinary
)

// KnownTags are the tags with a meaning of their own.
func KnownTags() []string {
	return []string{TagReadOnly, TagDestructive, TagNetwork, TagFileSystem, TagSlow, TagPrivileged}
}

// Limits that apply to a tool unless its declaration says otherwise.
const (
	DefaultTimeout       = 30 * time.Second
	DefaultMaxOutput     = 8 << 20 // bytes
	DefaultMaxResultSize = 16_000  // characters
)

// Where a tool comes from: the values of [Spec.Source].
const (
	SourceBuiltin  = "builtin"  // the gateway itself
	SourceDeclared = "declared" // the "tools" of the configuration
	SourceOpenAPI  = "openapi"  // an OpenAPI document
	// SourceInterpreter is the "code_interpreter" of the configuration.
	SourceInterpreter = "interpreter"
	SourceGo          = "go" // the Go program that the gateway is a part of
)

// Spec describes one tool: what a model is shown of it and the limits of one
// run. A Spec is immutable once it is in a registry.
type Spec struct {
	Name        string          // full name, unique in its configuration
	Title       string          // short name for people; may be empty
	Description string          // what the model reads to decide when to use it
	Parameters  json.RawMessage // what models are shown of the arguments: an object schema of JSON Schema 2020-12, its keys in the order declared
	Tags        []string        // in the order declared
	Deferred    bool            // left out of lists until a search has found it in the chat
	SearchHint  string          // further words that searches find it by; may be empty
	Groups      []string        // names of the groups the tool is in, sorted
	ByGroup     bool            // only in chats where one of Groups is active; else in every chat
	Namespace   string          // the source's name; empty for a declared tool
	Method      string          // the tool's own name within its namespace
	Source      string          // SourceBuiltin, SourceDeclared, SourceOpenAPI or SourceInterpreter
	Origin      string          // for people: what the source has it as and where, such as GET /pets at pets.yaml:8:5; empty for what is declared
	// Print tells apart what calls of the tool do, whatever its name: it is another one
	// where the same arguments would be sent elsewhere or in another form. It is empty
	// for what no configuration changes.
	Print     string
	Timeout   time.Duration // longest run, all its attempts together; more than zero
	MaxOutput int64         // most bytes a runner reads of an answer; more than zero
	// MaxResultSize is the most characters of text a model is given at once; the
	// rest is kept for it. DefaultMaxResultSize when zero.
	MaxResultSize   int
	ConcurrencySafe bool       // may run beside other calls of its batch
	RateLimit       *RateLimit // how many calls are let through in a time; nil for any number
	Exclusive       string     // of all tools with this key one call runs at a time; empty for none
	Logged          Logged     // how much of a call is recorded
	Retries         int        // further attempts after one that may succeed later; for read-only tools only
}

// HasTag reports whether the tool carries the tag.
func (s *Spec) HasTag(tag string) bool { return slices.Contains(s.Tags, tag) }

// ActiveIn reports whether the tool is active in a chat with these active groups.
func (s *Spec) ActiveIn(groups []string) bool {
	return !s.ByGroup || slices.ContainsFunc(groups, func(name string) bool { return slices.Contains(s.Groups, name) })
}

// ReadOnly reports whether the tool is declared to change nothing.
func (s *Spec) ReadOnly() bool { return s.HasTag(TagReadOnly) }
