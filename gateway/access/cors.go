package access

import "net/http"

// What pages of the book's origins may send and read, by the protocol of the
// Fetch standard (section 3.2, "CORS protocol"). Cookies are not among it: nothing
// here reads one. Exposed is every header of an answer that a page may not read
// anyway; a test of the whole server holds it against answers.
const (
	corsMethods = "GET, HEAD, POST, PUT, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, If-None-Match, Range, Idempotency-Key, Last-Event-ID, X-Chat-Id, X-Request-Id, " +
		"Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
	corsExposed = "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Location, Retry-After, " +
		"WWW-Authenticate, Mcp-Session-Id, X-Request-Id"
	corsMaxAge = "600" // seconds for which a browser need not ask again
)

// shares lets pages of the book's origins read the answer, and answers a
// browser's question whether they may; it reports whether the request was one.
// Pages of other origins, those on this machine among them, are told nothing, so
// that browsers keep answers from them.
func (b *Book) shares(w http.ResponseWriter, r *http.Request) (answered bool) {
	if len(b.origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	from := r.Header.Values("Origin")
	if len(from) != 1 || !b.lists(from[0]) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", from[0])
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
