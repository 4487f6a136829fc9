package source

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Choice is what becomes of an item.
type Choice struct {
	Index int                        // of the item
	Name  string                     // of its tool: legal, and no other chosen item's, nor one that could be taken for it
	Tags  []string                   // of its tool, each once
	Key   string                     // of the entry of Config.Tools that is about it; empty when there is none
	Hide  map[string]json.RawMessage // what Set and Override hide together; nil for nothing
	Defer bool                       // its tool is left out of lists until a search has found it
	Left  string                     // why it is left out; empty when it is chosen
}

// Choose decides about all items, in their order, and reports what is wrong with
// the configuration of the source, which stands at the cursor: an entry that is
// about none of the items, with the nearest of their names, is an error.
//
// The name of an item without an override does not depend on other items, but where
// two could be taken for each other. Its tags are those of its method, which say
// that it uses the network and, by the meaning of methods (RFC 9110 section 9.2.1),
// whether it only reads or removes something, then those of the source and of the
// entry of "include".
func Choose(at diag.Cursor, cfg Config, items []Item) []Choice {
	c := &chooser{at: at, cfg: cfg, items: items, names: nameItems(cfg.prefix(), items, cfg.Reserved)}
	c.override()
	c.compile()
	out := make([]Choice, len(items))
	for i := range items {
		out[i] = c.choose(i)
	}
	c.unusedEntries()
	c.idleOverrides(out)
	c.settle(out)
	return out
}

// chooser is one run of Choose.
type chooser struct {
	at      diag.Cursor
	cfg     Config
	items   []Item
	names   []named
	keys    []string // of the overrides of items
	entries []*entry
}

// choose decides about one item.
func (c *chooser) choose(i int) Choice {
	out := Choice{Index: i, Name: c.names[i].full, Key: c.keys[i]}
	e := c.entryFor(i)
	switch {
	case e != nil && e.Exclude:
		out.Left = fmt.Sprintf("include.%d leaves it out", e.index)
	case e == nil && c.chooses():
		out.Left = "no entry of include fits it"
	}
	set := &Set{}
	if e != nil && e.Set != nil {
		set = e.Set
	}
	out.Tags = slices.Concat(methodTags(c.items[i].Method), c.cfg.Tags, set.Tags)
	out.Hide, out.Defer = set.Hide, orElse(set.Defer, c.cfg.Defer)
	if o, ok := c.overrideOf(i); ok {
		if out.Left == "" && !o.on() {
			out.Left = "it is not enabled under tools"
		}
		if o.Tags != nil {
			out.Tags = o.Tags
		}
		out.Hide, out.Defer = together(set.Hide, o.Hide), orElse(o.Defer, out.Defer)
	}
	out.Tags = eachOnce(out.Tags)
	return out
}

// orElse is what was said or, where nothing was, what holds otherwise.
func orElse(said *bool, otherwise bool) bool {
	if said != nil {
		return *said
	}
	return otherwise
}

func (c *chooser) overrideOf(i int) (Override, bool) {
	if c.keys[i] == "" {
		return Override{}, false
	}
	return c.cfg.Tools[c.keys[i]], true
}

// methodTags are the tags that a method says something about a tool with. What a
// method that nobody knows does is not known either.
func methodTags(method string) []string {
	switch method {
	case "":
		return nil
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return []string{tool.TagReadOnly, tool.TagNetwork}
	case "DELETE":
		return []string{tool.TagDestructive, tool.TagNetwork}
	}
	return []string{tool.TagNetwork}
}

func eachOnce(tags []string) []string {
	var out []string
	for _, tag := range tags {
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// together are the values of two maps, of which the second goes first.
func together(one, two map[string]json.RawMessage) map[string]json.RawMessage {
	switch {
	case len(one) == 0:
		return two
	case len(two) == 0:
		return one
	}
	out := maps.Clone(one)
	maps.Copy(out, two)
	return out
}

// settle keeps any two chosen items from having names that models confuse. A name
// that the configuration gives goes before that of an item; of two such one has to
// be changed, and of two of items the second is left out.
func (c *chooser) settle(out []Choice) {
	var chosen []int
	for i := range out {
		if out[i].Left == "" {
			chosen = append(chosen, i)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(c.rank(a), c.rank(b)) })
	seen := map[string]int{}
	for _, i := range chosen {
		first, twice := seen[c.names[i].fold]
		switch {
		case !twice:
			seen[c.names[i].fold] = i
		case c.isRenamed(first):
			at := first
			if c.isRenamed(i) {
				at = i
			}
			c.renamed(at).Hintf("choose another name", "%s and %s would have the names %s and %s, which models confuse",
				c.items[first].place(), c.items[i].place(), out[first].Name, out[i].Name)
			out[i].Left = "its name is that of " + c.items[first].place()
		default:
			out[i].Left = "its name is that of " + c.items[first].place()
		}
	}
}

// rank puts the items that the configuration names first.
func (c *chooser) rank(i int) int {
	if c.isRenamed(i) {
		return 0
	}
	return 1
}

func (c *chooser) isRenamed(i int) bool {
	o, ok := c.overrideOf(i)
	return ok && o.Name != ""
}

func (c *chooser) renamed(i int) diag.Cursor {
	return c.at.Key("tools").Key(c.keys[i]).Key("name")
}
