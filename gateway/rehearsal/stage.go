package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/cmdtool"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// exchange is what is asked and how it is answered.
type exchange struct {
	request *RequestConfig
	answer  *AnswerConfig
	body    []byte // of the answer
}

// script is what happens in one test; safe for concurrent use.
type script struct {
	dir       string             // of the configuration
	stop      context.CancelFunc // ends the test, which has failed
	exchanges []exchange
	webhooks  map[string]exchange // by the name of the hook

	mu          sync.Mutex // guards what follows
	next        int
	asked       map[string]bool // hooks
	differences []Difference
	stray       bool // something was asked that the test does not answer
}

type scriptKey struct{}

func scriptOf(ctx context.Context) *script {
	s, _ := ctx.Value(scriptKey{}).(*script)
	return s
}

// errNoTest is what asks outside of a test.
var errNoTest = errors.New("nothing is connected while tests run")

// errStray ends what asks something that its test does not answer.
var errStray = errors.New("the test has no answer to this")

// Network stands in the place of the network: what is asked there is answered by the
// test that it is asked in.
type Network struct{}

// RoundTrip answers as the test says whose context the request has.
func (Network) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	s := scriptOf(req.Context())
	if s == nil {
		return nil, errNoTest
	}
	if isGrant(req, body) {
		return response(req, &AnswerConfig{}, []byte(`{"access_token":"`+Placeholder("access_token")+`","token_type":"Bearer"}`), "application/json"), nil
	}
	e, err := s.answer(req, body)
	if err != nil {
		return nil, err
	}
	if e.answer.Unreachable {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("the test says that nobody answers")}
	}
	return response(req, e.answer, e.body, typeOf(e.answer)), nil
}

// Wait lets no time pass.
func (Network) Wait(ctx context.Context, _ time.Duration) error {
	if ctx.Err() != nil {
		return tool.Ended(ctx)
	}
	return nil
}

func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer func() { _ = req.Body.Close() }()
	return io.ReadAll(req.Body)
}

// isGrant reports a request for an access token of the gateway itself (RFC 6749
// section 4.4.2).
func isGrant(req *http.Request, body []byte) bool {
	if req.Method != http.MethodPost || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return false
	}
	form, err := url.ParseQuery(string(body))
	return err == nil && form.Get("grant_type") == "client_credentials"
}

// answer takes the next exchange, or the one of a hook that asks.
func (s *script) answer(req *http.Request, body []byte) (*exchange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhooks != nil {
		return s.webhook(body)
	}
	e, field := s.take()
	if e == nil {
		return nil, s.refuse(field, describe(req, body))
	}
	s.add(field, e.request.compareHTTP(req, body))
	return e, nil
}

// webhook answers the question of a hook.
func (s *script) webhook(body []byte) (*exchange, error) {
	var question struct {
		Hook string `json:"hook"`
	}
	_ = json.Unmarshal(body, &question) // the gateway itself has written it
	e, ok := s.webhooks[question.Hook]
	if !ok {
		return nil, s.refuse("webhooks."+question.Hook, "it asks: "+shown(body))
	}
	s.asked[question.Hook] = true
	return &e, nil
}

// take gives the next exchange, or nil, and where it stands in the test. It needs the
// mutex.
func (s *script) take() (e *exchange, field string) {
	field = "request"
	if len(s.exchanges) > 1 || s.next > 0 {
		field = fmt.Sprintf("exchanges.%d.request", s.next)
	}
	if s.next < len(s.exchanges) {
		e = &s.exchanges[s.next]
		s.next++
	}
	return e, field
}

func (s *script) add(field string, differences []Difference) {
	for _, d := range differences {
		d.Field = field + "." + d.Field
		s.differences = append(s.differences, d)
	}
}

// refuse ends a test in which something is asked that it does not answer. It needs the
// mutex.
func (s *script) refuse(field, got string) error {
	if !s.stray {
		s.stray = true
		s.differences = append(s.differences, Difference{field, "nothing: the test has no answer to it", got})
	}
	s.stop()
	return errStray
}

// describe is a request for a reader.
func describe(req *http.Request, body []byte) string {
	text := req.Method + " " + readable(req.URL)
	if len(body) > 0 {
		text += "\n" + shown(body)
	}
	return text
}

// end is what a test finds when its call is over.
func (s *script) end() (differences []Difference, stray bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next < len(s.exchanges) && !s.stray {
		e, field := s.take()
		s.differences = append(s.differences, Difference{field, e.request.String(), "(nothing was asked)"})
	}
	return s.differences, s.stray
}

// String is the request for a reader.
func (w *RequestConfig) String() string {
	switch {
	case w == nil:
		return "a request"
	case len(w.Argv) > 0:
		return pretty([]string(w.Argv))
	}
	if text := strings.TrimSpace(w.Method + " " + w.URL + w.Path); text != "" {
		return text
	}
	return "a request"
}

// typeOf is the media type of an answer that does not say.
func typeOf(a *AnswerConfig) string {
	switch {
	case a.File != "":
		if t := mime.TypeByExtension(filepath.Ext(a.File)); t != "" {
			return t
		}
		return "text/plain; charset=utf-8"
	case len(a.Body) > 0 && a.Body[0] != '"':
		return "application/json"
	case len(a.Body) > 0:
		return "text/plain; charset=utf-8"
	}
	return ""
}

func response(req *http.Request, a *AnswerConfig, body []byte, contentType string) *http.Response {
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	resp := &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: headersOf(a.Headers), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
	if contentType != "" && resp.Header.Get("Content-Type") == "" {
		resp.Header.Set("Content-Type", contentType)
	}
	return resp
}

func headersOf(in map[string]expression.Texts) http.Header {
	out := http.Header{}
	for name, values := range in {
		for _, v := range values {
			out.Add(name, v)
		}
	}
	return out
}

// Machine stands in the place of the machine that commands run on. Every program and
// every folder is there.
type Machine struct{}

// Find gives the name of the program.
func (Machine) Find(program string) (string, error) { return program, nil }

// Folder gives the path itself.
func (Machine) Folder(path string) (string, error) { return filepath.Clean(path), nil }

// Variable gives none: a test ends the same way on every machine, and shows no value
// of one.
func (Machine) Variable(string) (string, bool) { return "", false }

// Run answers as the test says whose context it is.
func (Machine) Run(ctx context.Context, p *cmdtool.Process) error {
	s := scriptOf(ctx)
	if s == nil {
		return errNoTest
	}
	var stdin []byte
	if p.Stdin != nil {
		stdin, _ = io.ReadAll(p.Stdin) // of a text
	}
	e, err := s.run(p, stdin)
	if err != nil {
		return err
	}
	if _, err := p.Stdout.Write(e.body); err != nil {
		return err
	}
	if e.answer.Stderr != nil {
		if _, err := io.WriteString(p.Stderr, *e.answer.Stderr); err != nil {
			return err
		}
	}
	if e.answer.Exit != 0 {
		return &cmdtool.Exit{Status: e.answer.Exit}
	}
	return nil
}

func (s *script) run(p *cmdtool.Process, stdin []byte) (*exchange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, field := s.take()
	if e == nil {
		return nil, s.refuse(field, pretty(p.Argv))
	}
	s.add(field, e.request.compareProcess(p, stdin, s.dir))
	return e, nil
}
