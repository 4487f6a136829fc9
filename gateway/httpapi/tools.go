package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// defaultFormat is the shape of a list that names none.
const defaultFormat = "openai-chat"

// etagBytes is how much of the digest of a list makes its ETag.
const etagBytes = 16

// shapes are the formats of a list. A format without a shape is known, but not
// built.
func shapes() map[string]func([]*tool.Spec) any {
	return map[string]func([]*tool.Spec) any{
		"openai-chat":      func(s []*tool.Spec) any { return provider.OpenAIChat(s) },
		"mcp":              func(s []*tool.Spec) any { return provider.MCP(s) },
		"openai-responses": nil,
		"anthropic":        nil,
		"gemini":           nil,
	}
}

// listTools answers {"tools": [...]} in the format asked for: one envelope for
// all of them, which can be merged into a provider's request as it is.
func (a *api) listTools(w http.ResponseWriter, r *http.Request) {
	shape, p := format(r)
	if p != nil {
		p.write(w)
		return
	}
	body, err := encode(map[string]any{"tools": shape(a.gateway.Tools(r.Context(), caller()))})
	if err != nil {
		p := &problem{status: http.StatusInternalServerError, Type: typeInternal, Message: "the list has no JSON form"}
		p.write(w)
		return
	}
	sendTagged(w, r, body)
}

// format finds the shape that the request's format names.
func format(r *http.Request) (func([]*tool.Spec) any, *problem) {
	values, p := query(r, "format")
	if p != nil {
		return nil, p
	}
	name := defaultFormat
	if values.Has("format") {
		name = values.Get("format")
	}
	all, built := shapes(), []string{}
	for known, shape := range all {
		if shape != nil {
			built = append(built, known)
		}
	}
	slices.Sort(built)
	shape, known := all[name]
	switch {
	case !known:
		return nil, badQuery(fmt.Sprintf("unknown format %q", name), knownHint(name, built))
	case shape == nil:
		return nil, badQuery(fmt.Sprintf("format %q is not built yet", name), "built: "+strings.Join(built, ", "))
	}
	return shape, nil
}

// sendTagged answers with the body and its ETag, or with 304 where the client
// has it already (RFC 9110, sections 8.8.3 and 13.1.2). What a list holds
// depends on who asks, so no shared cache may keep it.
func sendTagged(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:etagBytes]) + `"`
	w.Header().Set("ETag", etag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if matches(r.Header.Values("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, http.StatusOK, body)
}

// matches compares weakly, as If-None-Match does. None of our tags holds a
// comma, so splitting at commas finds each of them.
func matches(headers []string, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}
