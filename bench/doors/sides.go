package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// side is one server by one door.
type side struct {
	name   string
	era    string // legacy, modern or http
	server *server
	open   func(address string) (*client, error)
}

// sides are those that are asked, bare ones first.
func sides(all servers, opts *options) []*side {
	ask := asking{}
	if opts.others() > 0 {
		ask.last = toolName(opts.others() - 1)
	}
	var out []*side
	add := func(server, era string, open func(string) (*client, error)) {
		s := &side{name: server + " " + era, era: era, server: all[server], open: open}
		if strings.Contains(s.name, opts.only) && s.server != nil {
			out = append(out, s)
		}
	}
	if opts.list > 0 {
		add("static", "http", ask.file)
	}
	if opts.proxy {
		add("echo", "http", ask.echo)
	}
	for _, server := range []string{"mcp-go", "go-sdk", "proxy", "gateway"} {
		add(server, "legacy", ask.legacy)
		add(server, "modern", ask.modern)
	}
	add("gateway", "http", ask.http)
	return out
}

// asking is what all sides are asked for: a call of echo, or the list of tools.
type asking struct{ last string } // the last tool of the list; empty for calls

// message is the JSON-RPC request, and the name that a header has to hold.
func (a asking) message(meta string) (body, method, name string) {
	if a.last != "" {
		return `{"jsonrpc":"2.0","id":` + numberMark + `,"method":"tools/list","params":{` + strings.TrimPrefix(meta, ",") + `}}`, "tools/list", ""
	}
	return `{"jsonrpc":"2.0","id":` + numberMark + `,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + textMark + `"}` + meta + `}}`, "tools/call", "echo"
}

// expecting makes a client look for the last tool instead of a text.
func (a asking) expecting(c *client) *client {
	if a.last != "" {
		c.list = []byte(`"` + a.last + `"`)
	}
	return c
}

// Where a call's number stands in a request; both are of the same length.
const (
	textMark   = "echo-0000000000"
	numberMark = "1000000000"
)

// client calls over one connection.
type client struct {
	*wire
	request []byte // of a call; its number is written into it
	end     []byte // request that ends the session; nil without one
	texts   []int  // where the text stands in it
	numbers []int  // where the number stands in it
	expect  []byte // what an answer has to hold; its number is written into it, too
	list    []byte // what an answer has to hold instead, when tools are listed
	n       int
}

// call calls once and checks the answer.
func (c *client) call() error {
	c.n++
	digits := fmt.Appendf(nil, "%010d", c.n)
	for _, at := range c.texts {
		copy(c.request[at+len("echo-"):], digits)
	}
	for _, at := range c.numbers {
		copy(c.request[at+1:], digits[1:])
	}
	copy(c.expect[len("echo-"):], digits)
	expect := c.expect
	if c.list != nil {
		expect = c.list
	}
	a, err := c.ask(c.request)
	switch {
	case err != nil:
		return err
	case a.status != 200 || !bytes.Contains(c.body, expect):
		return fmt.Errorf("status %d: %.500s", a.status, c.body)
	}
	return nil
}

// newClient makes a client that sends the body with these headers.
func newClient(w *wire, path, body string, headers ...string) *client {
	c := &client{wire: w, request: post(w, path, body, headers...), expect: []byte(textMark)}
	c.texts, c.numbers = places(c.request, textMark), places(c.request, numberMark)
	return c
}

func post(w *wire, path, body string, headers ...string) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, w.conn.RemoteAddr(), len(body))
	for _, h := range headers {
		head += h + "\r\n"
	}
	return []byte(head + "\r\n" + body)
}

func places(text []byte, mark string) []int {
	var out []int
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(mark))
		if i < 0 {
			return out
		}
		out = append(out, from+i)
		from += i + len(mark)
	}
}

// accept is what MCP wants every client to accept.
const accept = "Accept: application/json, text/event-stream"

// legacy opens a session of 2025-11-25.
func (a asking) legacy(address string) (*client, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	answer, err := w.ask(post(w, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, accept))
	if err != nil {
		return nil, err
	}
	if answer.session == "" {
		return nil, fmt.Errorf("no session: status %d: %.500s", answer.status, w.body)
	}
	version, session := "Mcp-Protocol-Version: 2025-11-25", "Mcp-Session-Id: "+answer.session
	if answer, err = w.ask(post(w, "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, accept, version, session)); err != nil {
		return nil, err
	}
	if answer.status != 202 {
		return nil, errors.New("the session does not begin: " + string(w.body))
	}
	body, _, _ := a.message("")
	c := a.expecting(newClient(w, "/mcp", body, accept, version, session))
	c.end = fmt.Appendf(nil, "DELETE /mcp HTTP/1.1\r\nHost: %s\r\n%s\r\n%s\r\n\r\n", address, version, session)
	return c, nil
}

// modern opens a connection for requests of 2026-07-28.
func (a asking) modern(address string) (*client, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + firstStateless + `","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}`
	body, method, name := a.message(meta)
	headers := []string{accept, "Mcp-Protocol-Version: " + firstStateless, "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return a.expecting(newClient(w, "/mcp", body, headers...)), nil
}

// http opens a connection for requests of the HTTP API.
func (a asking) http(address string) (*client, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	if a.last != "" {
		return a.expecting(&client{wire: w, request: get(w, "/v1/tools?format=mcp"), expect: []byte(textMark)}), nil
	}
	return newClient(w, "/v1/tools/echo/call", `{"text":"`+textMark+`"}`), nil
}

// echo opens a connection for requests of the API itself.
func (a asking) echo(address string) (*client, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	return newClient(w, "/mcp", `{"text":"`+textMark+`"}`), nil
}

// file opens a connection for the list in a file.
func (a asking) file(address string) (*client, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	return a.expecting(&client{wire: w, request: get(w, "/mcp"), expect: []byte(textMark)}), nil
}

func get(w *wire, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, w.conn.RemoteAddr())
}
