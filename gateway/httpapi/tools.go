package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// etagBytes is how much of the digest of a list makes its ETag.
const etagBytes = 16

// shape writes a list of tools.
type shape func([]*tool.Spec) any

// shapes are the formats of a list. One that is nil is known, but not built.
func shapes() map[string]*shape {
	chat := shape(func(s []*tool.Spec) any { return provider.OpenAIChat(s) })
	mcp := shape(func(s []*tool.Spec) any { return provider.MCP(s) })
	return map[string]*shape{
		"openai-chat":      &chat,
		"mcp":              &mcp,
		"openai-responses": nil,
		"anthropic":        nil,
		"gemini":           nil,
	}
}

// listTools answers {"tools": [...]} in the format asked for: one envelope for
// all of them, which can be merged into a provider's request as it is.
func (a *api) listTools(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "format")
	if p != nil {
		p.write(w)
		return
	}
	write, p := chosen(values, shapes())
	if p != nil {
		p.write(w)
		return
	}
	body, err := encode(map[string]any{"tools": (*write)(a.gateway.Tools(r.Context(), tool.View{Caller: caller(r)}))})
	if err != nil {
		p := &problem{status: http.StatusInternalServerError, Type: typeInternal, Message: "the list has no JSON form"}
		p.write(w)
		return
	}
	sendTagged(w, r, body)
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
