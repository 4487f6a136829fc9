// Package access says who is let in. A [Book] knows the callers by their tokens,
// and the hosts and origins that requests may name; [Guard] stands before the
// doors and asks it about every request.
package access

import (
	"encoding/json"
	"regexp"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// ClientName is the caller of server.token.
	ClientName = "client"
	// AdminName is the caller of server.admin_token.
	AdminName = "admin"
	// localName is the caller of the command line.
	localName = "local"
)

// Limits of what a configuration may say.
const (
	// MinToken is the fewest characters of a token. Anything shorter could be
	// guessed by trying.
	MinToken = 16
	// MaxToken is the most characters of a token: with the other headers of a
	// request it has to fit into what servers and proxies take.
	MaxToken = 4096
	// MaxCallers is the most callers. A request is compared with the token of
	// each.
	MaxCallers = 1000
	// MaxNames is the most hosts, and the most origins.
	MaxNames = 100
)

// Config is what the "server" section says about who is let in.
type Config struct {
	Token      string                  // of ClientName, a template; empty for none
	AdminToken string                  // of AdminName, a template; empty for none
	Callers    map[string]CallerConfig // by name
	Hosts      []string                // what a Host header may say beside this machine's own names
	Origins    []string                // of the web pages that may send requests and read the answers
}

// CallerConfig is one entry of "server.callers".
type CallerConfig struct {
	Token  string                     `koanf:"token"`  // a template
	Groups []string                   `koanf:"groups"` // that the caller belongs to
	Claims map[string]json.RawMessage `koanf:"claims"` // further facts about the caller
	May    []tool.Right               `koanf:"may"`    // tool.MayCall when empty
}

// HasTokens reports whether callers are told apart by tokens.
func (c *Config) HasTokens() bool { return c.Token != "" || c.AdminToken != "" || len(c.Callers) > 0 }

// callerName is what a caller may be called: what a tool may.
var callerName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// OwnNames are the callers that the gateway knows without an entry of "server.callers".
func OwnNames() []string { return []string{ClientName, AdminName, tool.Anonymous, localName} }
