package message

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// MaxNesting is the most opening brackets of a message that is understood. What
// is nested deeper than the complete implementation allows has more.
const MaxNesting = 1000

// The methods of the messages that are understood.
const (
	CallTool  = "tools/call"
	ListTools = "tools/list"
	Ping      = "ping"
)

// Message is a request. Its slices are parts of what was read.
type Message struct {
	Method    string
	ID        []byte // JSON, to be repeated in the answer
	Name      []byte // of the tool that is called, as its bytes
	Arguments []byte // of the call, a JSON object; nil when absent
	Cursor    []byte // of the list; nil when absent
	Token     []byte // JSON, names the call in notifications of progress; nil when absent
	Version   []byte // that the message says it is of, from 2026-07-28; nil when absent
	// Described says that _meta has the client's capabilities, as messages from
	// 2026-07-28 must.
	Described bool
}

// The members that a part of a message has, as bits, to find one that is there
// twice.
const (
	hasProtocol = 1 << iota
	hasID
	hasMethod
	hasParams
	hasName
	hasArguments
	hasCursor
	hasMeta
)

// part is the parsing of one object.
type part struct {
	*Message
	seen int
}

// once notes a member and reports whether it is the first of its name.
func (p *part) once(member int) bool {
	first := p.seen&member == 0
	p.seen |= member
	return first
}

// Read gives the message, or false when it is not understood.
func Read(body []byte) (*Message, bool) {
	text := trim(body)
	if len(text) == 0 || text[0] != '{' || bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > MaxNesting ||
		!utf8.Valid(text) || !json.Valid(text) {
		return nil, false
	}
	p := part{Message: new(Message)}
	var params []byte
	for m := open(text); m.next(); {
		if !p.envelope(m.key, m.value) {
			return nil, false
		}
		if string(m.key) == "params" {
			params = m.value
		}
	}
	const needed = hasProtocol | hasID | hasMethod
	if p.seen&needed != needed || !p.readParams(params) {
		return nil, false
	}
	return p.Message, true
}

// envelope takes a member of the message itself.
func (p *part) envelope(key, value []byte) bool {
	switch string(key) {
	case "jsonrpc":
		return p.once(hasProtocol) && string(value) == `"2.0"`
	case "id":
		p.ID = value
		return p.once(hasID) && isPlain(value)
	case "method":
		return p.once(hasMethod) && p.method(value)
	case "params":
		return p.once(hasParams) && value[0] == '{'
	}
	return false
}

func (p *part) method(value []byte) bool {
	switch string(value) {
	case `"tools/call"`:
		p.Method = CallTool
	case `"tools/list"`:
		p.Method = ListTools
	case `"ping"`:
		p.Method = Ping
	}
	return p.Method != ""
}

// readParams takes the params, which only a call must have.
func (p *part) readParams(params []byte) bool {
	if params == nil {
		return p.Method != CallTool
	}
	for m := open(params); m.next(); {
		if !p.param(m.key, m.value) {
			return false
		}
	}
	return p.Method != CallTool || p.seen&hasName != 0
}

func (p *part) param(key, value []byte) (ok bool) {
	switch string(key) {
	case "name":
		p.Name, ok = plainText(value)
		return ok && p.Method == CallTool && p.once(hasName)
	case "arguments":
		p.Arguments = value
		return value[0] == '{' && p.Method == CallTool && p.once(hasArguments)
	case "cursor":
		p.Cursor, ok = plainText(value)
		return ok && p.Method == ListTools && p.once(hasCursor)
	case "_meta":
		return value[0] == '{' && p.once(hasMeta) && p.readMeta(value)
	}
	return false
}

// plainText is a text whose bytes are what it says.
func plainText(value []byte) ([]byte, bool) {
	if value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return nil, false
	}
	return value[1 : len(value)-1], true
}

// isPlain reports whether a value is a text without escapes or a whole number
// that has one spelling only and is exact as a float64.
func isPlain(value []byte) bool {
	if _, ok := plainText(value); ok {
		return true
	}
	return isWhole(value)
}

// isWhole reports whether a value is a whole number of at most fifteen digits,
// which is below 2^53, and is not spelt -0.
func isWhole(value []byte) bool {
	digits := bytes.TrimPrefix(value, []byte("-"))
	if len(digits) == 0 || len(digits) > 15 || (digits[0] == '0' && len(value) > 1) {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// Cancelled reads which request a notification asks to cancel, as the bytes of
// its identifier. It is false for anything else, and for an identifier that no
// understood message can have.
func Cancelled(body []byte) (id []byte, ok bool) {
	if !bytes.Contains(body, []byte("notifications/cancelled")) || !json.Valid(body) {
		return nil, false
	}
	var note struct {
		Method string `json:"method"`
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &note); err != nil || note.Method != "notifications/cancelled" || len(note.Params.ID) == 0 {
		return nil, false
	}
	return note.Params.ID, isPlain(note.Params.ID)
}
