package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxShown   = 100  // bytes of a text of the configuration or the source in a problem
	maxListed  = 8    // names that are listed where none is near
	maxCompare = 5000 // names that are looked through for a near one
)

// override finds the item of every override and gives it its name.
func (c *chooser) override() {
	c.keys = make([]string, len(c.items))
	byName, byPlace := map[string][]int{}, map[string]int{}
	for i := range c.items {
		byName[c.items[i].Original] = append(byName[c.items[i].Original], i)
		byPlace[c.items[i].place()] = i
	}
	for _, key := range slices.Sorted(maps.Keys(c.cfg.Tools)) {
		at := c.at.Key("tools").Key(key)
		found := byName[key]
		if i, ok := byPlace[key]; ok && len(found) == 0 && len(byName[c.items[i].Original]) > 1 {
			found = []int{i}
		}
		switch len(found) {
		case 0:
			c.overridesNothing(at, key)
		case 1:
			c.rename(at, key, found[0])
		default:
			at.Hintf("write one of "+c.places(found), "the source has %d of this name", len(found))
		}
	}
}

// rename makes an override that of an item.
func (c *chooser) rename(at diag.Cursor, key string, i int) {
	c.keys[i] = key
	name := c.cfg.Tools[key].Name
	if name == "" {
		return
	}
	full := c.cfg.prefix() + name
	switch {
	case !legalName.MatchString(full):
		at.Key("name").Hintf(fmt.Sprintf("letters, digits, _ and - only, no digit or - at the start, with the prefix at most %d characters", maxName),
			"%q is not a name that models can call", shorten(full))
	case slices.ContainsFunc(c.cfg.Reserved, func(r string) bool { return tool.FoldName(r) == tool.FoldName(full) }):
		at.Key("name").Hintf("choose another name", "%s is reserved for a tool of the gateway itself", full)
	default:
		c.names[i] = named{full: full, fold: tool.FoldName(full)}
	}
}

// overridesNothing reports a key that names no item.
func (c *chooser) overridesNothing(at diag.Cursor, key string) {
	for i := range c.items {
		item := &c.items[i]
		if item.place() == key {
			at.Hintf("write "+shorten(item.Original), "this operation has a name of its own in the source, which goes here")
			return
		}
		if fold := tool.FoldName(key); fold != "" && (fold == c.names[i].fold || fold == tool.FoldName(item.Original)) {
			at.Hintf("write "+shorten(item.Original), "the source has nothing of this name; tools are named here as the source names them")
			return
		}
	}
	var known []string
	for i := range c.items {
		known = append(known, c.items[i].Original)
	}
	slices.Sort(known)
	at.Hintf(near(key, slices.Compact(known)), "the source has nothing of this name")
}

// idleOverrides warns of overrides of what is left out for other reasons.
func (c *chooser) idleOverrides(out []Choice) {
	for i := range out {
		if o, ok := c.overrideOf(i); ok && out[i].Left != "" && o.on() {
			c.at.Key("tools").Key(out[i].Key).As(diag.UselessSetting).Warnf("", "this is left out, so the entry changes nothing: %s", out[i].Left)
		}
	}
}

// places lists where items are.
func (c *chooser) places(items []int) string {
	var out []string
	for _, i := range items[:min(len(items), maxListed)] {
		out = append(out, shorten(c.items[i].place()))
	}
	return strings.Join(out, ", ")
}

// near is the hint with the nearest of some names or, where there are few, with
// all of them.
func near(text string, known []string) string {
	if len(known) > maxCompare {
		return ""
	}
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return shorten(name) != name })
	if hint := diag.DidYouMean(shorten(text), known); hint != "" {
		return hint
	}
	if len(known) == 0 || len(known) > maxListed {
		return ""
	}
	return "it has " + shorten(strings.Join(known, ", "))
}

// shorten makes a text, which may be that of a document, fit for a problem.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}
