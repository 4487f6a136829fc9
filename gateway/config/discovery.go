package config

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/expression"
)

// The values of "discovery.call_tools".
const (
	CallToolsOne    = "one"     // call_tool calls every tool
	CallToolsByRisk = "by_risk" // call_read_tool calls those that change nothing
)

// Bounds of what "discovery" may say.
const (
	minBudget = 2000    // characters: less has no room for a tool and how to call it
	maxBudget = 100_000 // characters
	maxGolden = 1000    // searches
)

// Discovery is the "discovery" section: how models find tools that are not in their
// list.
type Discovery struct {
	Limit     int      `koanf:"limit"`      // tools in an answer; discovery.DefaultLimit when absent
	Budget    int      `koanf:"budget"`     // most characters of an answer; that of package find when absent
	Learn     bool     `koanf:"learn"`      // searches that led to calls count for later ones
	CallTools string   `koanf:"call_tools"` // CallToolsOne when absent
	Golden    []Golden `koanf:"golden"`
}

// Most is how many tools are in an answer where the search does not say.
func (d *Discovery) Most() int {
	if d.Limit > 0 {
		return d.Limit
	}
	return discovery.DefaultLimit
}

// Golden is one entry of "discovery.golden": a search and the names of the tools that
// must be among the first [Discovery.Most] of its answer.
type Golden struct {
	Query  string           `koanf:"query"`
	Expect expression.Texts `koanf:"expect"`
}

// checkDiscovery holds the section to its bounds.
func (c *Config) checkDiscovery() {
	path, d := []string{"discovery"}, &c.Discovery
	c.checkNumber(further(path, "limit"), d.Limit, 1, discovery.MaxLimit)
	c.checkNumber(further(path, "budget"), d.Budget, minBudget, maxBudget)
	at := further(path, "golden")
	if len(d.Golden) > maxGolden {
		c.problemAt(at, "remove some", "there are more than %d searches", maxGolden)
	}
	if l := c.tree.get(at...); l == nil || len(l.items) != len(d.Golden) {
		return // an entry that could not be read moves those behind it
	}
	for i := range d.Golden {
		if entry := further(at, strconv.Itoa(i)); !c.Broken(entry...) {
			c.checkGolden(entry, &d.Golden[i])
		}
	}
}

func (c *Config) checkGolden(path []string, g *Golden) {
	if len(g.Query) > discovery.MaxQuery {
		c.problemAt(further(path, "query"), "shorten it", "the query has more than %d bytes, and what is behind them is not read", discovery.MaxQuery)
	}
	if most := c.Discovery.Most(); len(g.Expect) > most && !c.Broken("discovery", "limit") {
		c.problemAt(further(path, "expect"), "name fewer, or raise discovery.limit", "%d tools cannot be among the first %d that are found", len(g.Expect), most)
	}
	at := further(path, "expect")
	if l := c.tree.get(at...); l == nil || len(l.items) != len(g.Expect) {
		return // a name alone, or one that could not be read
	}
	for i, name := range g.Expect {
		if first := slices.Index(g.Expect, name); first < i {
			c.problemAt(further(at, strconv.Itoa(i)), "remove one", "%s is expected already, at %d", name, first)
		}
	}
}

// checkSearchHint holds the further words that the tool at a path is found by to
// their limit.
func (c *Config) checkSearchHint(path []string, hint string) {
	if n := utf8.RuneCountInString(hint); n > maxSearchHint {
		c.problemAt(further(path, "search_hint"), "keep the words that somebody would search with", "the hint has %d characters, and %d are the most", n, maxSearchHint)
	}
}
