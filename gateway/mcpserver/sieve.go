package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The JSON-RPC codes of lines that are no message (JSON-RPC 2.0 section 5.1).
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// sieve lets the lines of an input through that hold a message each. Any other
// line is answered with an error and left out: the SDK would end the session
// over it, and with it every call under way. Reading holds no more than one
// line.
type sieve struct {
	in    io.Closer
	lines *bufio.Reader
	out   io.Writer // shared with the transport; a line is one Write
	rest  []byte    // of a good line, not read yet
}

func newSieve(in io.ReadCloser, out io.Writer) *sieve {
	return &sieve{in: in, lines: bufio.NewReader(in), out: out}
}

// Read gives parts of good lines.
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.next()
		if len(line) > 0 && s.judge(line) {
			s.rest = line
			break
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close closes the input.
func (s *sieve) Close() error { return s.in.Close() }

// next reads a line, without blank ones around it. Of a line that is too long
// only its start is kept.
func (s *sieve) next() ([]byte, error) {
	var line []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		if room := maxMessage + 1 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// judge reports whether the line is a message and answers it otherwise. Batches
// were in one revision only (2025-03-26) and are in none since.
func (s *sieve) judge(line []byte) bool {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return false
	case len(line) > maxMessage:
		s.refuse(codeInvalid, nil, fmt.Sprintf("the message is larger than %d bytes", maxMessage))
		return false
	case !json.Valid(text):
		s.refuse(codeParse, nil, "the line is not JSON; a message is one line of JSON")
		return false
	case text[0] == '[':
		s.refuse(codeInvalid, nil, "batches are not supported; send one message a line")
		return false
	case !exactID(text):
		s.refuse(codeInvalid, nil, "the id must be a text or a whole number of at most 2^53, so that the answer can carry it unchanged")
		return false
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		s.refuse(codeInvalid, text, `the line is not a JSON-RPC 2.0 message: it needs "jsonrpc": "2.0", a "method" and, for a request, an "id"`)
		return false
	}
	return true
}

// exactID reports whether the identifier of a message, if it has one, comes
// back as it was sent: the SDK keeps numbers as float64.
func exactID(text []byte) bool {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(text, &named); err != nil || len(named.ID) == 0 || !bytes.ContainsAny(named.ID[:1], "-0123456789") {
		return true // not a number; what else is wrong with it is found later
	}
	const most = 1 << 53
	n, err := strconv.ParseInt(string(named.ID), 10, 64)
	return err == nil && n >= -most && n <= most
}

// refuse answers a line under the identifier it has, if it has a usable one.
func (s *sieve) refuse(code int, line []byte, message string) {
	var named struct {
		ID any `json:"id"`
	}
	if err := json.Unmarshal(line, &named); err != nil {
		named.ID = nil
	}
	switch named.ID.(type) {
	case string, float64:
	default:
		named.ID = nil
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": named.ID, "error": map[string]any{"code": code, "message": message},
	})
	if err == nil {
		_, _ = s.out.Write(append(answer, '\n')) // a broken pipe shows at the next answer
	}
}

// sharedWriter is a borrowed writer that several write whole lines to.
type sharedWriter struct {
	mu sync.Mutex // one line at a time
	w  io.Writer
}

// Write writes one line.
func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// Close does nothing: the writer belongs to whoever lent it.
func (*sharedWriter) Close() error { return nil }
