package httptool

import (
	"regexp"

	"github.com/toolgate/toolgate/gateway/diag"
)

// elsewhere is a variable that other templates of the file know. Where one names
// it that does not, its writer is told why, and not that it is unknown.
type elsewhere struct {
	name       *regexp.Regexp
	text, hint string
}

var (
	// callsOnly is of what is written once for all calls.
	callsOnly = elsewhere{
		name: named("args"), text: "this is the same for every call and cannot hold arguments of one",
		hint: "write what depends on arguments under path, query, headers or body of the tools",
	}
	// requestsOnly is of an address that is made of an answer.
	requestsOnly = elsewhere{
		name: named("secret"), text: "the address of a poll is made of the answer and cannot hold a secret",
		hint: "put it under auth or headers: each poll sends them too",
	}
)

// named finds a variable inside a ${…}, where it is no member and no text.
func named(variable string) *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:[^}]*[^}\w."'])?` + variable + `\b`)
}

// knows reports that a text may name its variables, and otherwise tells where
// else it could.
func (c *compiler) knows(at diag.Cursor, text string) bool {
	if c.elsewhere == nil || !c.elsewhere.name.MatchString(text) {
		return true
	}
	c.wrong(at, c.elsewhere.hint, "%s", c.elsewhere.text)
	return false
}
