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
	// deferring is list for a request that searches tools: those that are deferred are
	// marked, where the format has a way to.
	deferring func([]*tool.Spec) any
}

// shapeOf makes a shape of what writes lists, which give one entry for each tool.
func shapeOf[T any](list, deferring func([]*tool.Spec) []T) *shape {
	return &shape{
		list:      func(specs []*tool.Spec) any { return list(specs) },
		one:       func(s *tool.Spec) any { return list([]*tool.Spec{s})[0] },
		deferring: func(specs []*tool.Spec) any { return deferring(specs) },
	}
}

// shapes are the formats of tools.
func shapes() map[string]*shape {
	gemini := func(specs []*tool.Spec) any { return provider.Gemini(specs) }
	return map[string]*shape{
		"openai-chat":      shapeOf(provider.OpenAIChat, provider.OpenAIChat),
		"openai-responses": shapeOf(provider.OpenAIResponses, provider.OpenAIResponsesDeferred),
		"anthropic":        shapeOf(provider.Anthropic, provider.AnthropicDeferred),
		"gemini": {
			list:      gemini,
			one:       func(s *tool.Spec) any { return provider.GeminiFunctions([]*tool.Spec{s})[0] },
			deferring: gemini,
		},
		"mcp": shapeOf(provider.MCP, provider.MCPDeferred),
	}
}

// The values of the parameter "deferred" of a list.
const (
	deferredLeftOut = "false" // deferred tools are not in the list, but for those that the chat has found
	deferredToo     = "true"  // all of them are behind the others, and marked
	deferredOnly    = "only"  // nothing else is
)

// listTools answers {"tools": [...]} in the format asked for: one envelope for
// all of them, which can be merged into a provider's request as it is.
func (a *api) listTools(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "format", "tags", "exclude_tags", "namespace", "deferred", "chat", "profile")
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
	if filter.deferred == deferredLeftOut {
		specs := a.gateway.Tools(r.Context(), view)
		a.sendList(w, r, values.Get("format"), false, filter.of(specs), write.list)
		return
	}
	specs := a.gateway.AllTools(r.Context(), view)
	a.sendList(w, r, values.Get("format"), true, filter.of(specs), write.deferring)
}

// sendList answers with a list, which is written once for the same tools.
func (a *api) sendList(w http.ResponseWriter, r *http.Request, format string, deferring bool, specs []*tool.Spec, write func([]*tool.Spec) any) {
	list, err := a.written.get(format, deferring, specs, func() (tagged, error) {
		return tag(map[string]any{"tools": write(specs)})
	})
	if err != nil {
		unencodable().write(w)
		return
	}
	list.send(w, r)
}

// sendTagged answers with v and its ETag, or with 304 where the client has it
// already (RFC 9110, sections 8.8.3 and 13.1.2). What there is depends on who
// asks, so no shared cache may keep it.
func sendTagged(w http.ResponseWriter, r *http.Request, v any) {
	t, err := tag(v)
	if err != nil {
		unencodable().write(w)
		return
	}
	t.send(w, r)
}

// tag writes an answer and gives it its ETag.
func tag(v any) (tagged, error) {
	body, err := encode(v)
	if err != nil {
		return tagged{}, err
	}
	sum := sha256.Sum256(body)
	return tagged{body, `"` + hex.EncodeToString(sum[:etagBytes]) + `"`}, nil
}

func (t *tagged) send(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", t.etag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if matches(r.Header.Values("If-None-Match"), t.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, http.StatusOK, t.body)
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
