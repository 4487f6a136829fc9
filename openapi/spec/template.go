package spec

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Template is the path of an operation, taken apart.
type Template struct {
	Path  []Piece
	Query []Piece // what stands behind a question mark; what is behind a # is nothing that is sent
}

// Piece is a part of a [Template].
type Piece struct {
	Text string // as it is written; of a placeholder what is between its braces
	Hole bool   // whether it is a placeholder
}

// marks are what RFC 6570 and frameworks put around the name of a placeholder.
const (
	marksBefore = "+#./;?&"
	marksBehind = "*+.…"
)

// TakeApart reads the template of a path. Braces without an end are text, and
// {/name} is a slash before {name} (RFC 6570 section 3.2.6). The error says in one
// sentence why no address can be made of the template: a placeholder without a
// name or with a slash in it, or a segment that is . or .. and so names another
// place.
func TakeApart(path string) (Template, error) {
	var t Template
	into, start, at := &t.Path, 0, 0
	flush := func() {
		if start < at {
			*into = append(*into, Piece{Text: path[start:at]})
		}
	}
	for at < len(path) && path[at] != '#' {
		if path[at] == '?' && into == &t.Path {
			flush()
			into, at = &t.Query, at+1
			start = at
			continue
		}
		name, ok := braced(path[at:])
		if !ok {
			at++
			continue
		}
		flush()
		at += len(name) + 2
		start = at
		if rest, segment := strings.CutPrefix(name, "/"); segment {
			name = rest
			*into = append(*into, Piece{Text: "/"})
		}
		if plain(name) == "" || strings.Contains(name, "/") {
			return Template{}, fmt.Errorf("the placeholder {%s} has no name that a parameter can have", name)
		}
		*into = append(*into, Piece{Text: name, Hole: true})
	}
	flush()
	if IsElsewhere(written(t.Path, "x")) {
		return Template{}, fmt.Errorf("the path has a segment that is . or .., which names another place")
	}
	return t, nil
}

// braced is what stands between the braces that text starts with.
func braced(text string) (name string, ok bool) {
	if text[0] != '{' {
		return "", false
	}
	name, _, ok = strings.Cut(text[1:], "}")
	return name, ok && !strings.Contains(name, "{")
}

// plain is a name without marks.
func plain(name string) string {
	return strings.TrimRight(strings.TrimLeft(name, marksBefore), marksBehind)
}

// IsExpansion reports whether a placeholder is one of a query or a fragment (RFC
// 6570 sections 3.2.4, 3.2.8 and 3.2.9). Nothing is put in its place, as the
// parameters of the query stand for it, unless a parameter has its very text for a
// name.
func (p Piece) IsExpansion() bool { return p.Hole && strings.IndexByte("?&#", p.Text[0]) >= 0 }

// Parameter is the index of the path parameter that fills a placeholder, of these
// names: that of its very text, else one of the same name without marks; -1 for
// none.
func (p Piece) Parameter(names []string) int {
	i := slices.Index(names, p.Text)
	if i >= 0 || p.IsExpansion() {
		return i
	}
	name := plain(p.Text)
	return slices.IndexFunc(names, func(other string) bool { return plain(other) == name })
}

// Fixed are the names that a template gives in the query itself, decoded.
func (t Template) Fixed() []string {
	var names []string
	for text := range strings.SplitSeq(written(t.Query, ""), "&") {
		name, _, _ := strings.Cut(text, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// written are pieces with a text in place of each placeholder.
func written(pieces []Piece, hole string) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hole {
			b.WriteString(hole)
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// IsElsewhere reports whether a part of a path has . or .. between slashes or
// backslashes (RFC 3986 section 5.2.4), however often it is percent-encoded: there
// are proxies and servers that decode before they look, and such that cut off what
// follows a semicolon.
func IsElsewhere(path string) bool {
	for {
		for part := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
			if part, _, _ = strings.Cut(part, ";"); part == "." || part == ".." {
				return true
			}
		}
		decoded := Unescaped(path)
		if decoded == path {
			return false
		}
		path = decoded
	}
}

// Unescaped decodes what is percent-encoded in a text, once. What is no escape
// stays.
func Unescaped(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); at++ {
		if text[at] == '%' && at+2 < len(text) {
			if c, err := strconv.ParseUint(text[at+1:at+3], 16, 8); err == nil {
				out = append(out, byte(c))
				at += 2
				continue
			}
		}
		out = append(out, text[at])
	}
	return string(out)
}

// IsGateways reports whether no parameter can give a header field of this name, in
// any case: the first three by OpenAPI (3.1 section 4.8.12), as the media types and
// the credentials give them; cookies, which are parameters of their own place, as a
// whole field of them would hold others' too; and those that say how a message is
// framed and sent on (RFC 9110 section 7.6.1, RFC 9112 section 6), by whom, and
// which codings of an answer are understood.
func IsGateways(header string) bool {
	switch strings.ToLower(header) {
	case "accept", "authorization", "content-type", "cookie",
		"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
		"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "user-agent":
		return true
	}
	return false
}
