package httpapi

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// requestHeader carries a request's identifier, both ways.
const requestHeader = "X-Request-Id"

// requestDigits is how long an identifier of ours is: 130 random bits.
const requestDigits = 26

// maxShownPath is the most bytes of a path that a log line shows.
const maxShownPath = 200

// Identify gives every request an identifier: the one in its header
// X-Request-Id where that can be one (see [tool.IsRequestID]), else a new one. It
// stands in the context ([tool.RequestOf]), in the request's header for what
// reads only that, and in the answer's. With a logger that takes lines of level
// debug, each request makes one when it has been answered; it holds no query, no
// header and no body.
func Identify(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := requestID(r.Header.Values(requestHeader))
		ids := []string{id, id}
		r.Header[requestHeader], w.Header()[requestHeader] = ids[0:1:1], ids[1:2:2]
		r = r.WithContext(tool.WithRequest(r.Context(), id))
		if logger == nil || !logger.Enabled(r.Context(), slog.LevelDebug) {
			next.ServeHTTP(w, r)
			return
		}
		began, seen := time.Now(), &sight{ResponseWriter: w}
		defer func() { logRequest(r.Context(), logger, r, seen, time.Since(began)) }()
		next.ServeHTTP(seen, r)
	})
}

func requestID(sent []string) string {
	if len(sent) == 1 && tool.IsRequestID(sent[0]) {
		return sent[0]
	}
	const digits, prefix = "abcdefghijklmnopqrstuvwxyz234567", "req_" // 5 bits each
	var id [len(prefix) + requestDigits]byte
	_, _ = rand.Read(id[copy(id[:], prefix):]) // it never fails
	for i := len(prefix); i < len(id); i++ {
		id[i] = digits[id[i]&31]
	}
	return string(id[:])
}

func logRequest(ctx context.Context, logger *slog.Logger, r *http.Request, seen *sight, took time.Duration) {
	shown := r.URL.EscapedPath()
	if len(shown) > maxShownPath {
		shown = shown[:maxShownPath] + "…"
	}
	logger.LogAttrs(ctx, slog.LevelDebug, "request",
		slog.String("request", tool.RequestOf(ctx)), slog.String("method", r.Method), slog.String("path", shown),
		slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes), slog.Duration("took", took))
}

// sight sees what is answered.
type sight struct {
	http.ResponseWriter
	status int // 0 while nothing is answered
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (s *sight) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Flush sends on what was written.
func (s *sight) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }

// WriteHeader notes the status.
func (s *sight) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (s *sight) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	n, err := s.ResponseWriter.Write(p)
	s.bytes += int64(n)
	return n, err
}
