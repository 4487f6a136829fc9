package source

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// entry is an Include that is ready to be asked.
type entry struct {
	*Include
	index   int
	about   []matcher
	fits    int // items that it fits
	decides int // items that no earlier entry fits
}

// matcher is one key of an entry that chooses items.
type matcher struct {
	key, text string
	fits      func(string) bool
	of        func(*chooser, int) []string // what it is compared with
}

// compile makes the entries ready. One that is wrong in itself is reported and
// fits nothing.
func (c *chooser) compile() {
	for i := range c.cfg.Include {
		e, ok := &entry{Include: &c.cfg.Include[i], index: i}, true
		e.Check(func(key, hint, text string) {
			ok = false
			at := c.at.Key("include").Index(i)
			if key != "" {
				at = at.Key(key)
			}
			at.Hintf(hint, "%s", text)
		})
		if ok {
			e.about = e.matchers()
		}
		c.entries = append(c.entries, e)
	}
}

// matchers are the keys of a sound entry that are written.
func (e *Include) matchers() []matcher {
	path, _ := ParsePath(e.Path) // not asked when it is empty
	all := []matcher{
		{"tag", e.Tag, tool.Glob(e.Tag).Match, (*chooser).tags},
		{"operation", e.Operation, tool.Glob(e.Operation).Match, (*chooser).operation},
		{"method", e.Method, func(s string) bool { return strings.EqualFold(s, e.Method) }, (*chooser).method},
		{"path", e.Path, path.Match, (*chooser).path},
		{"name", e.Name, tool.Glob(e.Name).Match, (*chooser).shortName},
	}
	return slices.DeleteFunc(all, func(m matcher) bool { return m.text == "" })
}

func (c *chooser) tags(i int) []string { return c.items[i].Tags }

func (c *chooser) operation(i int) []string {
	if c.items[i].isUnnamed() {
		return nil
	}
	return []string{c.items[i].Original}
}

func (c *chooser) method(i int) []string { return notEmpty(c.items[i].Method) }

func (c *chooser) path(i int) []string { return notEmpty(c.items[i].Path) }

func (c *chooser) shortName(i int) []string {
	return []string{strings.TrimPrefix(c.names[i].full, c.cfg.prefix())}
}

func notEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func (m *matcher) isAbout(c *chooser, i int) bool { return slices.ContainsFunc(m.of(c, i), m.fits) }

// chooses reports whether an item needs an entry to be in.
func (c *chooser) chooses() bool {
	return slices.ContainsFunc(c.cfg.Include, func(e Include) bool { return !e.Exclude })
}

// entryFor is the first entry that fits an item; nil when none does.
func (c *chooser) entryFor(i int) *entry {
	var first *entry
	for _, e := range c.entries {
		if len(e.about) == 0 || slices.ContainsFunc(e.about, func(m matcher) bool { return !m.isAbout(c, i) }) {
			continue
		}
		e.fits++
		if first == nil {
			first = e
			e.decides++
		}
	}
	return first
}

// unusedEntries reports entries that change nothing.
func (c *chooser) unusedEntries() {
	for _, e := range c.entries {
		at := c.at.Key("include").Index(e.index)
		switch {
		case len(e.about) == 0: // reported already
		case e.fits == 0:
			c.fitsNothing(at, e)
		case e.decides == 0:
			at.As(diag.UselessSetting).Warnf("move it up, or remove it", "earlier entries decide about everything that this one fits, so it changes nothing")
		}
	}
}

// fitsNothing reports an entry that is about none of the items: the first of its
// keys that by itself fits none, or all together.
func (c *chooser) fitsNothing(at diag.Cursor, e *entry) {
	for _, m := range e.about {
		if known := c.known(m); !slices.ContainsFunc(known, m.fits) {
			at.Key(m.key).Hintf(near(m.text, known), "the source has nothing whose %s is %q", m.key, shorten(m.text))
			return
		}
	}
	at.Hintf("see what the source has, and write an entry for each", "the source has nothing that fits all of this together")
}

// known are the texts that a matcher is compared with, sorted.
func (c *chooser) known(m matcher) []string {
	var out []string
	for i := range c.items {
		out = append(out, m.of(c, i)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
