package mcpserver

// The short way: requests that are understood completely are answered here, and
// everything else is handed to the SDK as it came. The SDK spends several times
// the work of a whole call on decoding, and on a session for every request since
// 2026-07-28.
//
//   - A request is taken when its headers are those of an ordinary client, its
//     body is understood by package message, and it fits its headers. Whatever is
//     odd about it, the SDK judges.
//   - A request of an older revision is taken in a session that the SDK opened
//     and that is the caller's. The SDK knows nothing of it then: what counts
//     calls, ends them, and ends sessions is in this package.
//   - The answer is the SDK's to the letter, but for escapes that say the same and
//     for its frame: one JSON body, where the SDK always sends events. It becomes
//     events with the first step of progress that the client asked to be told, and
//     where a search found something that the session has to list.
//   - A call about which the user of the client may be asked is the SDK's.
//   - A client that hangs up cancels its call from 2026-07-28. Before, it has to
//     say so in a notification, which the SDK gets as well.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/mcpserver/message"
	"github.com/toolgate/toolgate/gateway/tool"
)

// sessionVersions are the revisions that a request in a session may be of.
var sessionVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// shortStateless answers a request of 2026-07-28 that it understands.
func (s *Server) shortStateless(w http.ResponseWriter, r *http.Request) bool {
	if !isOrdinary(r) || r.Header.Get(headerVersion) != statelessVersion {
		return false
	}
	body, ok := peek(r)
	if !ok {
		return false
	}
	m, ok := message.Read(body)
	if !ok || !fitsHeaders(m, r.Header) || s.mayAsk(r.Context(), m) {
		giveBack(r, body)
		return false
	}
	b := &brief{Message: m, Server: s, reply: reply{w: w, gone: r.Context().Done()}, who: caller(r.Context())}
	b.serve(r.Context())
	return true
}

// mayAsk reports whether the user of the client may be asked about the call, which
// needs a session of the SDK or an answer of its own.
func (s *Server) mayAsk(ctx context.Context, m *message.Message) bool {
	if m.Method != message.CallTool {
		return false
	}
	name, ok := string(m.Name), true
	if name == callTool || name == callReadTool {
		name, ok = inner(m.Arguments)
	}
	return !ok || name == activationTool || s.gateway.AsksClient(ctx, name)
}

// inner is the name of the tool that is called by another one, where it stands in its
// arguments in the usual way. It is what runs, and about which the user is asked.
func inner(arguments json.RawMessage) (name string, ok bool) {
	var members map[string]json.RawMessage // no struct, which would take NAME, too
	if json.Unmarshal(arguments, &members) != nil || json.Unmarshal(members["name"], &name) != nil {
		return "", false
	}
	return name, true
}

// fitsHeaders reports whether a message is of 2026-07-28 and is what its headers
// say.
func fitsHeaders(m *message.Message, h http.Header) bool {
	return string(m.Version) == statelessVersion && m.Described && m.Method != message.Ping &&
		h.Get(headerMethod) == m.Method &&
		(m.Method != message.CallTool || (len(m.Name) > 0 && h.Get(headerName) == string(m.Name)))
}

// shortSession answers a request in a session that it understands.
func (s *Server) shortSession(w http.ResponseWriter, r *http.Request, open *session, who tool.Caller) bool {
	version := r.Header.Get(headerVersion)
	if r.Method != http.MethodPost {
		return false
	}
	body, ok := peek(r)
	if !ok {
		return false
	}
	m, ok := message.Read(body)
	if !ok { // the SDK does not know the calls that were taken here
		if id, ok := message.Cancelled(body); ok && claimsJSON(r) {
			s.calls.cancel(callName{open.sdk, string(id)})
		}
		giveBack(r, body)
		return false
	}
	if m.Version != nil || !isOrdinary(r) || s.mayAsk(r.Context(), m) || (version != "" && !slices.Contains(sessionVersions, version)) {
		giveBack(r, body)
		return false
	}
	b := &brief{Message: m, Server: s, reply: reply{w: w, gone: r.Context().Done()}, session: open, who: who}
	b.serve(context.WithoutCancel(r.Context()))
	return true
}

// isOrdinary reports whether a request's headers are those that clients send
// with a message.
func isOrdinary(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Content-Type") == "application/json" &&
		acceptsBoth(r.Header["Accept"]) && r.Header.Get(headerEvent) == ""
}

// claimsJSON reports whether a body is said to be JSON, as every message must be.
func claimsJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// acceptsBoth reports whether an answer may be JSON and events.
func acceptsBoth(accept []string) bool {
	if len(accept) != 1 {
		return false
	}
	var asJSON, asEvents bool
	for kind := range strings.SplitSeq(accept[0], ",") {
		switch strings.TrimSpace(kind) {
		case "application/json":
			asJSON = true
		case "text/event-stream":
			asEvents = true
		}
	}
	return asJSON && asEvents
}

// peek reads the body; where it cannot be read or is too long, that is as if it
// had not been read, and false.
func peek(r *http.Request) (body []byte, ok bool) {
	body, err := readUpTo(r, maxMessage)
	if err != nil {
		r.Body = &replay{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		return nil, false
	}
	return body, true
}

// giveBack leaves a body that was read as if it had not been.
func giveBack(r *http.Request, body []byte) { r.Body = &replay{bytes.NewReader(body), r.Body} }

// maxTrusted is the most bytes that a request is given room for before it sent
// them.
const maxTrusted = 64 << 10

var errTooLong = errors.New("the body is too long")

func readUpTo(r *http.Request, most int64) ([]byte, error) {
	switch {
	case r.ContentLength > most:
		return nil, errTooLong
	case r.ContentLength >= 0 && r.ContentLength <= maxTrusted:
		body := make([]byte, r.ContentLength)
		n, err := io.ReadFull(r.Body, body)
		return body[:n], err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = errTooLong
	}
	return body, err
}

// replay is a body that was read.
type replay struct {
	io.Reader
	io.Closer
}
