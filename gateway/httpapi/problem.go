package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// The kinds of refusals of this door itself. They stand where the code of a
// failed call stands in a result, so that a client always finds error.error_type.
const (
	typeBadRequest  = "bad_request"
	typeForbidden   = "forbidden"
	typeNoRoute     = "no_such_route"
	typeBadMethod   = "method_not_allowed"
	typeUnsupported = "unsupported_media_type"
	typeInternal    = "internal"

	typePrecondition = "precondition_failed"
)

// problem is why this door refused a request that never became a call.
type problem struct {
	status  int
	after   time.Duration // when to try again; 0 when nothing is known of it
	Type    string        `json:"error_type"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}

func (p *problem) write(w http.ResponseWriter) {
	retryAfter(w, p.after)
	writeJSON(w, p.status, map[string]*problem{"error": p})
}

// writeJSON answers with v. Nothing is sent before v is encoded, so what cannot
// be encoded is an error and not half an answer.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := encode(v)
	if err != nil {
		unencodable().write(w)
		return
	}
	send(w, status, body)
}

func unencodable() *problem {
	return &problem{status: http.StatusInternalServerError, Type: typeInternal, Message: "the answer has no JSON form"}
}

// noStore keeps an answer out of caches.
func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }

// encode writes JSON without HTML escapes: no browser renders it, and a model
// should read "<" where a tool wrote "<".
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// sendTimeout is how long a client may take to read an answer.
const sendTimeout = time.Minute

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// A client that does not read must not keep the answer in memory for ever.
	control := http.NewResponseController(w)
	if control.SetWriteDeadline(time.Now().Add(sendTimeout)) == nil {
		defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	}
	_, _ = w.Write(body) // a client that hung up has no use for the error
}
