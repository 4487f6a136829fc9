package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// oneOf words what is wrong where exactly one of some keys must be written.
type oneOf struct {
	none    string // what is said where there is none of them
	choices string // the keys that can be written, for the hint
	several string // what is said where there are two, before "and this one has …"
}

// checkOneOf reports a map that has none or several of the keys.
func (c *Config) checkOneOf(path, keys []string, say oneOf) {
	n := c.tree.get(path...)
	if n == nil || n.kind != mapping {
		return
	}
	var found []*member
	for i := range n.members {
		if m := &n.members[i]; slices.Contains(keys, m.key) {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0:
		c.problemAt(path, "give it exactly one of "+say.choices, "%s", say.none)
	case len(found) > 1:
		c.problemAt(further(path, found[1].key), "remove one of them", "%s, and this one has %s %s",
			say.several, found[0].key, found[0].place.seenFrom(found[1].place))
	}
}

// checkNamed reports items of a list that have the name of an earlier one, and
// returns the indexes of those that are maps.
func (c *Config) checkNamed(what string, path ...string) []int {
	l := c.tree.get(path...)
	if l == nil || l.kind != list {
		return nil
	}
	var maps []int
	seen := map[string]*node{}
	for i, item := range l.items {
		if item.kind == mapping {
			maps = append(maps, i)
		}
		name := itemName(item)
		if first := seen[name]; first != nil {
			at := further(further(path, strconv.Itoa(i)), "name")
			c.problemAt(at, "rename one of them", "the %s %s has the name %q too",
				what, first.find("name").place.seenFrom(item.find("name").place), shorten(name, maxShown))
		} else if name != "" {
			seen[name] = item
		}
	}
	return maps
}

func (c *Config) checkPolicy() {
	rules := []string{"policy", "rules"}
	for _, i := range c.checkNamed("rule", rules...) {
		c.checkRule(further(rules, strconv.Itoa(i)))
	}
	tests := []string{"policy", "tests"}
	for _, i := range c.checkNamed("test", tests...) {
		c.checkTest(further(tests, strconv.Itoa(i)))
	}
}

// checkRule holds a rule to what it takes from its preset.
func (c *Config) checkRule(path []string) {
	if !c.wrote(path, "preset") {
		if !c.wrote(path, "action") {
			c.problemAt(further(path, "action"), "write action: allow, deny or ask", "is missing")
		}
		return
	}
	for _, key := range []string{"tags", "action", "reason", "when"} {
		if c.wrote(path, key) {
			c.problemAt(further(path, key), "remove it, or write the rule without preset", "a rule with a preset takes its %s from there", key)
		}
	}
}

// checkTest holds a test to one of its two forms: what is decided about a call,
// or what is listed.
func (c *Config) checkTest(path []string) {
	lists := "lists"
	if !c.wrote(path, lists) {
		lists = "lists_only"
	}
	c.checkOneOf(path, []string{"call", lists}, oneOf{
		none: "the test does not say what it tests", choices: "call, lists and lists_only", several: "a test is about a call or about a list",
	})
	switch {
	case c.wrote(path, "call"):
		if !c.wrote(path, "expect") {
			c.problemAt(further(path, "expect"), "write expect: allow, deny or ask", "is missing")
		}
	case c.wrote(path, lists):
		for _, key := range []string{"args", "expect", "rule"} {
			if c.wrote(path, key) {
				c.problemAt(further(path, key), "remove it", "belongs to a test with call, and this one has %s", lists)
			}
		}
	}
}

// The keys of which a hook has exactly one, those of later versions among them.
var (
	beforeBlocks = []string{"set", "refuse", "http", "python"}
	afterBlocks  = []string{"result", "append", "refuse", "http", "python"}
)

func (c *Config) checkHooks() {
	const none, several = "the hook does not say what it does", "a hook does one thing"
	before, after := []string{"hooks", "before"}, []string{"hooks", "after"}
	for _, i := range c.checkNamed("hook", before...) {
		c.checkOneOf(further(before, strconv.Itoa(i)), beforeBlocks, oneOf{none, "set, refuse and http", several})
	}
	for _, i := range c.checkNamed("hook", after...) {
		c.checkOneOf(further(after, strconv.Itoa(i)), afterBlocks, oneOf{none, "result, append, refuse and http", several})
	}
}

// checkSection reports names of groups or profiles that nobody could write, and
// names of groups that models would confuse.
func (c *Config) checkSection(section, noun string) {
	seen := map[string]*member{}
	for _, m := range c.tree.sectionMembers(section) {
		path := []string{section, m.key}
		switch {
		case !toolName.MatchString(m.key):
			c.problemAt(path, "write "+legalName(m.key)+" for example", "the name of a %s has letters, digits, _ and - only, no digit or - at the start", noun)
		case section == "groups":
			c.checkLookalike(seen, m, path)
		}
	}
}

// tagPrefix starts an entry of admit that is about a tag.
const tagPrefix = "tag:"

func (c *Config) checkAdmit() {
	for _, key := range []string{"allow", "deny"} {
		l := c.tree.get("admit", key)
		if l == nil || l.kind != list {
			continue
		}
		for i, item := range l.items {
			if tag, ok := strings.CutPrefix(item.text, tagPrefix); ok && strings.TrimSpace(tag) == "" {
				c.problemAt([]string{"admit", key, strconv.Itoa(i)}, "write tag:read_only for example", "names no tag")
			}
		}
	}
}

// wrote reports whether a key stands in the map at a path.
func (c *Config) wrote(path []string, key string) bool {
	n := c.tree.get(path...)
	return n != nil && n.kind == mapping && n.find(key) != nil
}

// problemAt reports an error at a key, or where it would be.
func (c *Config) problemAt(path []string, hint, format string, args ...any) {
	c.addAt(path, diag.Problem{Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *Config) addAt(path []string, p diag.Problem) {
	at := c.At()
	for _, key := range path {
		at = at.Key(key)
	}
	p.Place = at.Place()
	c.findings.add(path, p)
}
