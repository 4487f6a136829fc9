// Package source decides which of the things that a source offers, such as the
// operations of an OpenAPI document, become tools, and what they are called. It
// knows of them what [Item] says and nothing of how they run.
package source

import (
	"encoding/json"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// MaxPrefix is the longest prefix of names, in characters: it leaves half of a
// name to what the source calls its tools.
const MaxPrefix = 32

// Item is one thing that a source offers.
type Item struct {
	// Original is its own name in the source, by which "tools" names it: the
	// operationId, or METHOD and path as "GET /pets" for an operation without one.
	Original string
	Name     string   // what its tool would best be called, of any characters; that of an operation is Original
	Method   string   // upper case; empty for what is no HTTP operation
	Path     string   // the template that the document has; empty for what is no HTTP operation
	Tags     []string // that the source itself gives it; they choose and are never the tool's own
}

// Config is what a configuration says of choosing and naming.
type Config struct {
	Namespace string
	Prefix    *string             // goes before every name, with a "-"; the namespace when nil, nothing when empty
	Tags      []string            // of every tool
	Defer     bool                // every tool, unless Include or Tools say otherwise
	Include   []Include           // the first that fits an item decides about it; every item is in when there are none
	Tools     map[string]Override // by Item.Original, or by METHOD and path where several items have that name
	Reserved  []string            // names that no tool may have
}

// prefix is what stands before every name.
func (c *Config) prefix() string {
	switch {
	case c.Prefix == nil:
		return c.Namespace + "-"
	case *c.Prefix == "":
		return ""
	}
	return *c.Prefix + "-"
}

// Include is an entry of "include": which items it is about, all of whose texts
// must fit, and what becomes of them. An item that no entry fits is in only when
// all entries exclude.
type Include struct {
	Tag       string `koanf:"tag"`       // glob on the tags of the source
	Operation string `koanf:"operation"` // glob on the item's own name; an operation without operationId fits none
	Method    string `koanf:"method"`    // in any case
	Path      string `koanf:"path"`      // a pattern for ParsePath
	Name      string `koanf:"name"`      // glob on the tool's name without the prefix
	Exclude   bool   `koanf:"exclude"`   // leaves out what fits
	Set       *Set   `koanf:"set"`       // goes to the tools of what fits
}

// Set is what an entry of "include" gives the tools it is about.
type Set struct {
	Tags []string                   `koanf:"tags"` // beside those they have
	Hide map[string]json.RawMessage `koanf:"hide"` // by the name of an argument: it is taken out of the schema and this value is sent; tools without it go as they are
	// Defer leaves the tools out of lists until a search has found them, or does not;
	// what Config.Defer says when nil.
	Defer *bool `koanf:"defer"`
}

// Override is what an entry of "tools" says of one item.
type Override struct {
	Name    string                     // of the tool, without the prefix; the item's when empty
	Enabled *bool                      // true when nil
	Tags    []string                   // in place of all others; nil leaves them
	Hide    map[string]json.RawMessage // as in Set, before it
	Defer   *bool                      // as in Set, before it
}

func (o *Override) on() bool { return o.Enabled == nil || *o.Enabled }

// Check reports what is wrong with the entry by itself: at which of its keys, with
// "" for the entry, what is wrong, and what to do.
func (e *Include) Check(report func(key, hint, text string)) {
	if e.Tag+e.Operation+e.Method+e.Path+e.Name == "" {
		report("", "write at least one of tag, operation, method, path and name", "the entry does not say what it is about")
	}
	if e.Exclude && e.Set != nil {
		report("set", "remove it, or remove exclude", "an entry that leaves tools out sets nothing on them")
	}
	for _, g := range []struct{ key, pattern string }{{"tag", e.Tag}, {"operation", e.Operation}, {"name", e.Name}} {
		if g.pattern == "" {
			continue
		}
		if _, err := tool.ParseGlob(g.pattern); err != nil {
			report(g.key, "", err.Error())
		}
	}
	if e.Path == "" {
		return
	}
	if _, err := ParsePath(e.Path); err != nil {
		report("path", "write /repos/** or /repos/*/issues for example", err.Error())
	}
}

// isUnnamed reports an operation that its document gives no name.
func (i *Item) isUnnamed() bool {
	return i.Method != "" && strings.EqualFold(i.Original, i.Method+" "+i.Path)
}

// place is METHOD and path of an operation; the own name of what is none. No two
// items of a source have the same.
func (i *Item) place() string {
	if i.Method == "" {
		return i.Original
	}
	return i.Method + " " + i.Path
}
