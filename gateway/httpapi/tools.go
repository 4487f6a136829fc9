package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// etagBytes is how much of the digest of an answer makes its ETag.
const etagBytes = 16

// shape writes tools in one format.
type shape struct {
	list func([]*tool.Spec) any
	one  func(*tool.Spec) any
}

// shapeOf makes a shape of what writes lists, which give one entry for each tool.
func shapeOf[T any](list func([]*tool.Spec) []T) *shape {
	return &shape{
		list: func(specs []*tool.Spec) any { return list(specs) },
		one:  func(s *tool.Spec) any { return list([]*tool.Spec{s})[0] },
	}
}

// shapes are the formats of tools.
func shapes() map[string]*shape {
	return map[string]*shape{
		"openai-chat":      shapeOf(provider.OpenAIChat),
		"openai-responses": shapeOf(provider.OpenAIResponses),
		"anthropic":        shapeOf(provider.Anthropic),
		"gemini": {
			list: func(specs []*tool.Spec) any { return provider.Gemini(specs) },
			one:  func(s *tool.Spec) any { return provider.GeminiFunctions([]*tool.Spec{s})[0] },
		},
		"mcp": shapeOf(provider.MCP),
	}
}

// listTools answers {"tools": [...]} in the format asked for: one envelope for
// all of them, which can be merged into a provider's request as it is.
func (a *api) listTools(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "format", "tags", "exclude_tags", "chat", "profile")
	if p != nil {
		p.write(w)
		return
	}
	write, p := chosen(values, shapes())
	if p != nil {
		p.write(w)
		return
	}
	filter, p := filtering(values)
	if p != nil {
		p.write(w)
		return
	}
	view, p := a.view(r, values)
	if p != nil {
		p.write(w)
		return
	}
	specs := a.gateway.Tools(r.Context(), view)
	sendTagged(w, r, map[string]any{"tools": write.list(filter.of(specs))})
}

// sendTagged answers with v and its ETag, or with 304 where the client has it
// already (RFC 9110, sections 8.8.3 and 13.1.2). What there is depends on who
// asks, so no shared cache may keep it.
func sendTagged(w http.ResponseWriter, r *http.Request, v any) {
	body, err := encode(v)
	if err != nil {
		unencodable().write(w)
		return
	}
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
