package access

import (
	"encoding/json"
	"net/http"
)

// The codes of RFC 6750 section 3.1.
const (
	invalidRequest = "invalid_request"
	invalidToken   = "invalid_token"
)

// refusal is why a request is not answered. Its JSON form is that of every
// refusal of the HTTP API, at the door for MCP too.
type refusal struct {
	status    int
	challenge string // of WWW-Authenticate; none when empty
	Type      string `json:"error_type"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
}

func forbidden(message, hint string) *refusal {
	return &refusal{status: http.StatusForbidden, Type: "forbidden", Message: message, Hint: hint}
}

// unauthorized says that no caller is known; code is one of RFC 6750, empty where
// the request did not even try.
func unauthorized(code, message string) *refusal {
	r := &refusal{
		status: http.StatusUnauthorized, challenge: "Bearer", Type: "unauthorized", Message: message,
		Hint: "Send one header, Authorization: Bearer and a token of this gateway. A token in the URL is not read.",
	}
	if code != "" {
		r.challenge += ` error="` + code + `"`
	}
	return r
}

func (r *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if r.challenge != "" {
		h.Set("WWW-Authenticate", r.challenge)
	}
	w.WriteHeader(r.status)
	_ = json.NewEncoder(w).Encode(map[string]*refusal{"error": r}) // a client that hung up has no use for the error
}
