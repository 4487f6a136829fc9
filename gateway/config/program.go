package config

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// CheckSpec holds a tool that a program brings to what holds for those of a file: its
// name, its numbers and its texts. What is zero takes its value from the defaults, and
// is not looked at. It reports whether the name is one that a tool may have.
func CheckSpec(at diag.Cursor, s *tool.Spec) bool {
	named := checkSpecName(at, s.Name)
	bounds := []struct {
		key            string
		n, least, most int64
	}{
		{"timeout", int64(s.Timeout), 1, 1<<63 - 1},
		{"max_output", s.MaxOutput, 1, 1<<63 - 1},
		{"max_result_size", int64(s.MaxResultSize), minResultSize, maxResultSize},
		{"retries", int64(s.Retries), 1, maxRetries},
	}
	for _, b := range bounds {
		if b.n != 0 && (b.n < b.least || b.n > b.most) {
			at.Key(b.key).Hintf("leave it zero to take what the configuration has for all tools", "%d is out of bounds", b.n)
		}
	}
	if s.Retries > 0 && !s.ReadOnly() {
		at.Key("retries").Hintf("remove it, or add the tag "+tool.TagReadOnly+" if the tool changes nothing",
			"only a tool that changes nothing may be tried again, and this one has no tag %s", tool.TagReadOnly)
	}
	if len(s.Exclusive) > maxExclusive {
		at.Key("exclusive").Hintf("shorten it", "the key has more than %d bytes", maxExclusive)
	}
	if n := utf8.RuneCountInString(s.SearchHint); n > maxSearchHint {
		at.Key("search_hint").Hintf("shorten it", "it has %d characters, more than %d", n, maxSearchHint)
	}
	if s.RateLimit != nil {
		s.RateLimit.Check(func(key, hint, text string) { at.Key("rate_limit").Key(key).Hintf(hint, "%s", text) })
	}
	return named
}

// checkSpecName reports a name that no tool may have. That of a tool of the gateway
// itself is one however it is written: there it is nobody's to tell apart.
func checkSpecName(at diag.Cursor, name string) bool {
	fold := tool.FoldName(name)
	switch {
	case !toolName.MatchString(name):
		at.Hintf("letters, digits, _ and - only, no digit or - at the start, at most "+strconv.Itoa(maxName)+
			" characters: "+legalName(name)+" for example", "the name of this tool is not one that models can call")
		return false
	case slices.ContainsFunc(reservedNames, func(r string) bool { return tool.FoldName(r) == fold }):
		at.Hintf(fmt.Sprintf("rename it, to my_%s for example", name), "this name is reserved for a tool of the gateway itself")
		return false
	case len(name) > longName:
		at.As(diag.LongName).Warnf("shorten it", "this name has %d characters, and some clients cut names that have more than %d", len(name), longName)
	}
	return true
}
