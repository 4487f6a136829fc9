package httptool

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// mediaProblem is of answers that say what went wrong in a common form (RFC
// 9457).
const mediaProblem = "application/problem+json"

// problem is what such an answer says, in one line without secrets: its title
// and its detail, and then the members that are its own, such as "errors". It is
// empty for an answer that says nothing so, whose body has to speak for itself.
func (a *answer) problem(m *secret.Masker) string {
	if a.media != mediaProblem || !a.json {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(a.body, &members) != nil {
		return ""
	}
	title, detail := text(members["title"]), text(members["detail"])
	if strings.EqualFold(title, http.StatusText(a.status)) || strings.HasPrefix(detail, title) {
		title = "" // it is told already
	}
	var said []string
	for _, part := range []string{title, detail} {
		if part != "" {
			said = append(said, part)
		}
	}
	if said == nil {
		return ""
	}
	line := strings.Join(said, ": ")
	for _, name := range []string{"type", "title", "status", "detail", "instance"} {
		delete(members, name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		line += "; " + name + ": " + compact(members[name])
	}
	return tool.Excerpt([]byte(m.Text(line)), maxExcerpt)
}

// text is a JSON text, empty for anything else.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

// compact is JSON without the space between its parts; a text is as it is.
func compact(value json.RawMessage) string {
	if s := text(value); s != "" {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
