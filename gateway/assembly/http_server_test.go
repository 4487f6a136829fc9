package assembly_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// reply is one answer of the recording server, as a case writes it: one JSON
// object a line.
type reply struct {
	On      string            `json:"on"`     // "GET /path", which it answers every time; empty: the next request that no other reply is for
	Status  int               `json:"status"` // 200 when absent
	Headers map[string]string `json:"headers"`
	JSON    json.RawMessage   `json:"json"`   // body, with its Content-Type
	Text    string            `json:"text"`   // body
	Base64  string            `json:"base64"` // body
	Gzip    bool              `json:"gzip"`   // the body is sent compressed
	Repeat  int               `json:"repeat"` // times the body is sent
	Endless bool              `json:"endless"`
	Header  int               `json:"header"` // bytes of one more header field
	Leave   bool              `json:"leave"`  // the caller leaves when the request has come, and there is no answer
	Delay   string            `json:"delay"`  // before the header
	Stall   string            `json:"stall"`  // before the body
	Reset   bool              `json:"reset"`  // the connection is closed instead of an answer
	Short   bool              `json:"short"`  // the connection is closed in the middle of the body
}

// unasked are the headers that every request has and no case is about.
var unasked = []string{"Accept-Encoding", "Content-Length", "User-Agent"}

// recorder is a server that answers by a script and writes down what it is
// asked.
type recorder struct {
	*httptest.Server
	label   string
	mu      sync.Mutex // guards what follows
	script  []reply
	answers map[string]reply // by what they are on
	leave   func()           // ends the call that is made now
	seen    strings.Builder
}

// newRecorder starts a server. In what it answers SELF is its own origin and
// OTHER that of the other one.
func newRecorder(t *testing.T, label, script, other string) *recorder {
	t.Helper()
	r := &recorder{label: label, answers: map[string]reply{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	script = strings.NewReplacer("SELF", r.URL, "OTHER", other).Replace(script)
	d := json.NewDecoder(strings.NewReader(script))
	d.DisallowUnknownFields()
	for {
		var next reply
		err := d.Decode(&next)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the script of %s: %v", label, err)
		}
		if next.On != "" {
			r.answers[next.On] = next
		} else {
			r.script = append(r.script, next)
		}
	}
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	next, ok := r.next(req, body)
	if !ok {
		http.Error(w, "nothing more in the script", http.StatusTeapot)
		return
	}
	if next.Leave {
		r.left()
		<-req.Context().Done()
		return
	}
	pause(req, next.Delay)
	if next.Reset {
		panic(http.ErrAbortHandler)
	}
	next.write(w, req)
}

// during says how the call that is made next is ended by its caller.
func (r *recorder) during(leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave = leave
}

func (r *recorder) left() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave()
}

// next writes the request down and finds its answer.
func (r *recorder) next(req *http.Request, body []byte) (reply, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.seen, "%s%s %s\n", r.label, req.Method, strings.ReplaceAll(req.RequestURI, req.Host, "HOST"))
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		if !slices.Contains(unasked, name) {
			fmt.Fprintf(&r.seen, "%s: %s\n", name, strings.Join(req.Header[name], " | "))
		}
	}
	if len(body) > 0 {
		fmt.Fprintf(&r.seen, "\n%s\n", bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))
	}
	r.seen.WriteString("\n")
	if found, ok := r.answers[req.Method+" "+req.URL.Path]; ok {
		return found, true
	}
	if len(r.script) == 0 {
		return reply{}, false
	}
	next := r.script[0]
	r.script = r.script[1:]
	return next, true
}

func (r *reply) write(w http.ResponseWriter, req *http.Request) {
	body := []byte(r.Text)
	if r.JSON != nil {
		w.Header().Set("Content-Type", "application/json")
		body = r.JSON
	}
	if r.Base64 != "" {
		body, _ = base64.StdEncoding.DecodeString(r.Base64)
	}
	for name, value := range r.Headers {
		w.Header().Set(name, value)
	}
	if r.Header > 0 {
		w.Header().Set("X-Filled", strings.Repeat("x", r.Header))
	}
	out := io.Writer(w)
	if r.Gzip {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		defer func() { _ = zip.Close() }()
		out = zip
	}
	if r.Short {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+100))
	}
	w.WriteHeader(max(r.Status, 200))
	if r.Stall != "" {
		_ = http.NewResponseController(w).Flush()
		pause(req, r.Stall)
	}
	for i := 0; (r.Endless || i < max(r.Repeat, 1)) && req.Context().Err() == nil; i++ {
		if _, err := out.Write(body); err != nil {
			return
		}
	}
	if r.Short {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// pause waits, but not for a client that is gone.
func pause(req *http.Request, text string) {
	if wait, err := time.ParseDuration(text); err == nil {
		select {
		case <-time.After(wait):
		case <-req.Context().Done():
		}
	}
}

// requests are what the server was asked.
func (r *recorder) requests() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen.String()
}
