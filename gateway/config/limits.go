package config

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Bounds of what a configuration may say.
const (
	minResultSize = 1000       // characters: less has no room for the text that says how to read on
	maxResultSize = 10_000_000 // characters
	maxRetries    = 10
	maxExclusive  = 100  // bytes of a key
	maxSearchHint = 2000 // characters
)

// checkLimits holds numbers to their bounds, and retries to tools that may be
// run twice.
func (c *Config) checkLimits() {
	defaults := []string{"defaults"}
	c.checkNumber(further(defaults, "max_result_size"), c.Defaults.MaxResultSize, minResultSize, maxResultSize)
	c.checkNumber(further(defaults, "retries"), c.Defaults.Retries, 0, maxRetries)
	c.checkNumber([]string{"chats", "most_per_caller"}, c.Chats.MostPerCaller, 1, chat.MaxMost)
	if idle := []string{"chats", "idle"}; c.Chats.Idle > 0 && c.Chats.Idle < chat.MinIdle && !c.Broken(idle...) {
		c.problemAt(idle, "write 7d for example", "%v is too short: when a chat was used is written down once a minute, so it is kept for at least %v", c.Chats.Idle, chat.MinIdle)
	}
	c.checkFiles()
	for _, m := range c.tree.sectionMembers("tools") {
		t, path := c.Tools[m.key], []string{"tools", m.key}
		c.checkNumber(further(path, "max_result_size"), t.MaxResultSize, minResultSize, maxResultSize)
		c.checkRate(further(path, "rate_limit"), t.RateLimit)
		c.checkSearchHint(path, t.SearchHint)
		if len(t.Exclusive) > maxExclusive {
			c.problemAt(further(path, "exclusive"), "shorten it", "the key has more than %d bytes", maxExclusive)
		}
		if t.Retries == nil || !c.checkNumber(further(path, "retries"), *t.Retries, 0, maxRetries) {
			continue
		}
		if *t.Retries > 0 && !slices.Contains(t.Tags, tool.TagReadOnly) {
			c.problemAt(further(path, "retries"), "remove it, or add the tag "+tool.TagReadOnly+" if the tool changes nothing",
				"only a tool that changes nothing may be tried again, and this one has no tag %s", tool.TagReadOnly)
		}
	}
}

// checkFiles holds the limits of files of chats to their bounds.
func (c *Config) checkFiles() {
	at := []string{"chats", "files"}
	files := &c.Chats.Files
	c.checkNumber(further(at, "most"), files.Most, 1, chat.MaxMostFiles)
	size, total := further(at, "size"), further(at, "total")
	sizeFits, totalFits := c.checkSize(size, files.Size, chat.MaxFileSize, "100MiB"), c.checkSize(total, files.Total, chat.MaxFileTotal, "10GiB")
	if sizeFits && totalFits && files.Total > 0 && files.Size > files.Total && !c.Broken(size...) && !c.Broken(total...) {
		c.problemAt(size, "write less, or more under total", "one file may be larger than all files of a chat together")
	}
	for i, pattern := range files.Types {
		one := further(further(at, "types"), strconv.Itoa(i))
		if c.Broken(one...) {
			continue
		}
		if err := chat.CheckFileType(pattern); err != nil {
			c.problemAt(one, "write text/csv, image/* or .csv for example", "%s", err)
		}
	}
}

// checkSize reports a size over its bound, and whether it is fine.
func (c *Config) checkSize(path []string, size, most tool.Size, written string) bool {
	if size <= most || c.Broken(path...) {
		return true
	}
	c.problemAt(path, "write at most "+written, "it is out of bounds")
	return false
}

// checkRate holds a limit of calls to its bounds.
func (c *Config) checkRate(path []string, limit *tool.RateLimit) {
	if limit == nil {
		return
	}
	limit.Check(func(key, hint, text string) {
		if at := further(path, key); !c.Broken(at...) {
			c.problemAt(at, hint, "%s", text)
		}
	})
}

// checkNumber reports a number that is written and out of its bounds, and
// whether it is fine.
func (c *Config) checkNumber(path []string, n, least, most int) bool {
	last := len(path) - 1
	if !c.wrote(path[:last], path[last]) || c.Broken(path...) {
		return true
	}
	if n >= least && n <= most {
		return true
	}
	c.problemAt(path, fmt.Sprintf("write a number from %d to %d", least, most), "%s is out of bounds", strconv.Itoa(n))
	return false
}

// checkUpstreams reports names that a tool could not tell apart, and numbers out
// of their bounds.
func (c *Config) checkUpstreams() {
	seen := map[string]*member{}
	for _, m := range c.tree.sectionMembers("upstreams") {
		path := []string{"upstreams", m.key}
		if !toolName.MatchString(m.key) {
			c.problemAt(path, "write "+legalName(m.key)+" for example", "the name of an upstream has letters, digits, _ and - only, no digit or - at the start")
			continue
		}
		c.checkLookalike(seen, m, path)
		if retries := c.Upstreams[m.key].Retries; retries != nil {
			c.checkNumber(further(path, "retries"), *retries, 0, maxRetries)
		}
	}
}
