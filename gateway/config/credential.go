package config

import (
	"regexp"
	"strings"
)

var (
	// credentialKey are keys whose values may be credentials, wherever they
	// stand: those of this format, and names of headers and variables that speak
	// for themselves.
	credentialKey = regexp.MustCompile(`(?i)^(bearer|value|cookie|proxy|.*(auth|token|secret|passw|pwd|credential|apikey).*|(.*[-_])?key)$`)
	// addressKey are keys of addresses, which may match that too.
	addressKey = regexp.MustCompile(`(?i)[-_]ur[il]$`)
	// lineKey finds the keys on a line that have a text behind them.
	lineKey = regexp.MustCompile(`([A-Za-z_][\w-]*)["']?: *[^ {\[]`)
	// authKey finds the key of a block of credentials, in which names may be those
	// of a document.
	authKey = regexp.MustCompile(`(^|[\s{,])["']?auth["']?:`)
	// userInfo is the start of an address that names a user.
	userInfo = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*@`)
)

// mayBeCredential reports whether a text may be a credential that was written
// into the file: its key says so, and no ${…} stands for the value.
func mayBeCredential(key, value string) bool {
	return credentialKey.MatchString(key) && !addressKey.MatchString(key) && !strings.Contains(value, "${")
}

// holdsCredential reports a line that may hold a credential.
func holdsCredential(line string) bool {
	for _, m := range lineKey.FindAllStringSubmatch(line, -1) {
		if mayBeCredential(m[1], "") {
			return true
		}
	}
	return false
}

// underAuth reports a line of a block of credentials: one that starts it, or one
// that is indented below such a line.
func underAuth(src *source, line int) bool {
	text := src.line(line)
	if authKey.MatchString(text) {
		return true
	}
	indent := indentOf(text)
	for n := line - 1; indent > 0 && n >= max(line-openQuoteLines, 1); n-- {
		above := src.line(n)
		if strings.TrimSpace(above) == "" || indentOf(above) >= indent {
			continue
		}
		if indent = indentOf(above); authKey.MatchString(above) {
			return true
		}
	}
	return false
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// Shapes of what stands where it does not belong: the value of an unknown key,
// and anything that is of another kind than a private value may be.
var (
	unknownShape = &shape{form: formText, note: note{private: true}}
	alienShape   = &shape{form: formObject, note: note{private: true}}
)

// hideCredentials copies a value of the shape, which stands behind a key,
// without texts that may be credentials.
func hideCredentials(n *node, s *shape, key string) *node {
	if s.form == formJSON || n.kind == broken {
		return n
	}
	c := *n
	if n.scalar() && n.kind != null {
		if shown := withoutCredential(n.text, s, key); shown != n.text {
			c.kind, c.text = text, shown
		}
		return &c
	}
	c.items, c.members, c.index = nil, nil, nil
	for _, item := range n.items {
		c.items = append(c.items, hideCredentials(item, s.holding(n.kind, key), key))
	}
	for i := range n.members {
		m := n.members[i]
		m.value = hideCredentials(m.value, s.holding(n.kind, m.key), m.key)
		c.put(m)
	}
	return &c
}

// holding is the shape of what a value of a kind holds where s is expected.
func (s *shape) holding(k kind, key string) *shape {
	switch {
	case k == list && s.form == formTexts:
		return s
	case k == list && s.form == formList, k == mapping && s.form == formDict:
		return s.elem
	case k == mapping && s.form == formObject && s.fields[key] != nil:
		return s.fields[key]
	case s.note.private:
		return alienShape
	}
	return unknownShape
}

// withoutCredential is a text as it may be shown.
func withoutCredential(value string, s *shape, key string) string {
	whole := s.form == formObject || s.form == formDict || s.form == formList
	switch {
	case strings.Contains(value, "://") && (key == "spec" || key == "base_url"):
		return userInfo.ReplaceAllString(value, "${1}"+hiddenSecret+"@")
	case s.note.path && !isContent(value), strings.Contains(value, "${"):
		return value
	case s.note.private && (s.note.path || whole):
		return hiddenSecret
	case key == "url", key == "proxy":
		return userInfo.ReplaceAllString(value, "${1}"+hiddenSecret+"@")
	case s.note.private && mayBeCredential(key, value):
		return hiddenSecret
	}
	return value
}
