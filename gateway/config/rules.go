package config

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxName  = 64 // characters of a tool's name that all providers take
	longName = 48 // characters from which on hosts that add a prefix may cut it
)

var (
	toolName      = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	notInToolName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

	// reservedNames are the gateway's own tools.
	reservedNames = []string{
		"discover_tools", "call_tool", "call_read_tool", "request_tool_activation", "code_interpreter", "read_result",
	}
)

// checkRules checks what concerns more than the form of one value.
func (c *Config) checkRules() {
	c.checkVersion()
	c.checkListen()
	c.checkSecrets()
	c.checkNames()
	c.checkKinds()
	c.checkLimits()
	c.checkDiscovery()
	c.checkInterpreter()
	c.checkUpstreams()
	c.checkAuth()
	c.checkRequests()
	c.checkSources()
	c.checkPolicy()
	c.checkHooks()
	c.checkTests()
	c.checkSection("groups", "group")
	c.checkSection("profiles", "profile")
	c.checkAdmit()
	c.checkStore()
}

func (c *Config) checkVersion() {
	if path := []string{"version"}; c.Version != Version && !c.Broken(path...) {
		c.problemAt(path, writeVersion, "%s", otherVersion(c.Version))
	}
}

// writeVersion is the hint where a file is of another version.
var writeVersion = fmt.Sprintf("write version: %d", Version)

func otherVersion(n int) string {
	return fmt.Sprintf("this gateway reads version %d, and the file is of version %d", Version, n)
}

func (c *Config) checkListen() {
	path := []string{"server", "listen"}
	if c.Broken(path...) {
		return
	}
	host, port, err := net.SplitHostPort(c.Server.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		c.problemAt(path, "write "+DefaultListen+" for example", "%q is not a host and a port from 0 to 65535", shorten(c.Server.Listen, maxShown))
		return
	}
	if !isLoopback(host) && !c.hasTokens() {
		c.problemAt(path, `set server.token to "${secret.name}", or listen on 127.0.0.1, [::1] or localhost`,
			"%q can be reached from other machines, and without tokens everybody there could call the tools", shorten(c.Server.Listen, maxShown))
	}
}

// hasTokens reports whether callers are told apart, or were meant to be.
func (c *Config) hasTokens() bool {
	section := c.Server.Access()
	return section.HasTokens() || c.Broken("server", "token") || c.Broken("server", "admin_token") || c.Broken("server", "callers")
}

// isLoopback reports whether a host is this machine and nothing else. Names are
// not looked up: what one resolves to can change.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// checkSecrets leaves out entries that are broken, so that one mistake is not
// reported twice.
func (c *Config) checkSecrets() {
	for _, m := range c.tree.sectionMembers("secrets") {
		path := []string{"secrets", m.key}
		if m.value.kind != mapping || c.Broken(path...) {
			continue
		}
		env, file := m.value.find("env"), m.value.find("file")
		switch {
		case env == nil && file == nil:
			c.problemAt(path, "write {env: NAME} or {file: PATH}", "says nowhere where its value comes from")
		case env != nil && file != nil:
			c.problemAt(path, "remove one of them", "has both env and file")
		}
	}
}

func (c *Config) checkNames() {
	seen := map[string]*member{}
	for _, m := range c.tree.sectionMembers("tools") {
		path := []string{"tools", m.key}
		if !toolName.MatchString(m.key) {
			c.problemAt(path, "letters, digits, _ and - only, no digit or - at the start, at most "+strconv.Itoa(maxName)+
				" characters: "+legalName(m.key)+" for example", "the name of this tool is not one that models can call")
			continue
		}
		if slices.Contains(reservedNames, m.key) {
			c.problemAt(path, "rename it, to my_"+m.key+" for example", "this name is reserved for a tool of the gateway itself")
			continue
		}
		c.checkLookalike(seen, m, path)
		if len(m.key) > longName {
			c.addAt(path, diag.Problem{
				Text: fmt.Sprintf("this name has %d characters, and some clients cut names that have more than %d", len(m.key), longName),
				Hint: "shorten it", Warning: true, Class: diag.LongName,
			})
		}
	}
}

// checkLookalike reports a name that a model could take for an earlier one.
func (c *Config) checkLookalike(seen map[string]*member, m *member, path []string) {
	folded := tool.FoldName(m.key)
	if first := seen[folded]; first != nil {
		c.problemAt(path, "rename one of them", "this name differs from %s %s only in -, _ or case, and models confuse such names", first.key, first.place.seenFrom(m.place))
		return
	}
	seen[folded] = m
}

// legalName is the nearest legal name to one that is not.
func legalName(name string) string {
	name = notInToolName.ReplaceAllString(name, "_")
	if name == "" || !toolName.MatchString(name[:1]) {
		name = "_" + name
	}
	return name[:min(len(name), maxName)]
}

// checkKinds looks at the keys that are written, so that a kind whose block is
// broken still is the tool's kind.
func (c *Config) checkKinds() {
	for _, m := range c.tree.sectionMembers("tools") {
		c.checkOneOf([]string{"tools", m.key}, kindBlocks, oneOf{
			none: "the tool does not say how it runs", choices: "http, command and expr", several: "a tool runs in one way",
		})
	}
}

func (c *Config) checkStore() {
	path := []string{"store", "url"}
	if c.Broken(path...) {
		return
	}
	file, ok := strings.CutPrefix(c.Store.URL, StorePrefix)
	switch {
	case !ok || file == "":
		c.problemAt(path, "write "+DefaultStore+" for example", "must be %s and a path", StorePrefix)
	case strings.Contains(file, "${"):
		c.problemAt(path, "write the path itself", "templates are not built yet in this key")
	}
}

// sectionMembers returns the members of a top-level section in the order of
// the file; none when it is not a map.
func (n *node) sectionMembers(section string) []*member {
	n = n.get(section)
	if n == nil || n.kind != mapping {
		return nil
	}
	out := make([]*member, len(n.members))
	for i := range n.members {
		out[i] = &n.members[i]
	}
	return out
}
