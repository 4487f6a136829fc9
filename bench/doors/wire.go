package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

const (
	dialTimeout = 5 * time.Second
	answerLimit = 1 << 20 // bytes
	bufferSize  = 16 << 10
)

// wire is one kept-alive connection of one client. It is as plain as HTTP/1.1
// allows, so that most of the machine is left to the servers.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the last answer
}

func dial(address string) (*wire, error) {
	conn, err := net.DialTimeout("tcp", address, dialTimeout)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, bufferSize)}, nil
}

// answer is the head of one.
type answer struct {
	status  int
	session string // header Mcp-Session-Id
}

// head is what says where an answer ends.
type head struct {
	answer
	length  int // of the body; -1 when it is chunked
	chunked bool
	closed  bool // the server ends the connection
}

// ask sends a request and reads the whole answer, whose body is in w.body until
// the next one.
func (w *wire) ask(request []byte) (answer, error) {
	if _, err := w.conn.Write(request); err != nil {
		return answer{}, err
	}
	h, err := w.head()
	if err != nil {
		return answer{}, err
	}
	if h.closed {
		return answer{}, errors.New("the server closes the connection after its answer")
	}
	return h.answer, w.read(&h)
}

func (w *wire) head() (h head, err error) {
	line, err := w.line()
	if err != nil {
		return h, err
	}
	if _, rest, ok := strings.Cut(line, " "); ok && len(rest) >= 3 {
		h.status, err = strconv.Atoi(rest[:3])
	}
	if err != nil || h.status == 0 {
		return h, fmt.Errorf("not an answer: %q", line)
	}
	for {
		line, err := w.line()
		if err != nil || line == "" {
			return h, err
		}
		if err := h.field(line); err != nil {
			return h, err
		}
	}
}

func (h *head) field(line string) (err error) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case strings.EqualFold(name, "Content-Length"):
		h.length, err = strconv.Atoi(value)
		if h.length > answerLimit {
			err = fmt.Errorf("an answer of %d bytes", h.length)
		}
	case strings.EqualFold(name, "Transfer-Encoding"):
		h.chunked = strings.EqualFold(value, "chunked")
	case strings.EqualFold(name, "Connection"):
		h.closed = strings.EqualFold(value, "close")
	case strings.EqualFold(name, "Mcp-Session-Id"):
		h.session = value
	}
	return err
}

// line reads one line of a head.
func (w *wire) line() (string, error) {
	text, err := w.in.ReadSlice('\n')
	return string(bytes.TrimRight(text, "\r\n")), err
}

func (w *wire) read(h *head) error {
	w.body = w.body[:0]
	if !h.chunked {
		w.body = append(w.body, make([]byte, h.length)...)
		_, err := io.ReadFull(w.in, w.body)
		return err
	}
	var whole bytes.Buffer
	if _, err := io.Copy(&whole, io.LimitReader(httputil.NewChunkedReader(w.in), answerLimit)); err != nil {
		return err
	}
	w.body = append(w.body, whole.Bytes()...)
	_, err := w.line() // after the last chunk
	return err
}
