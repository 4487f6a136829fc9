package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The answers of the short way are written here, in the SDK's form: a test holds
// the two against each other.

// appendStart starts the answer to the request of the identifier.
func appendStart(b, id []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	return append(b, id...)
}

// appendError writes the answer to a request that failed as such.
func appendError(b, id []byte, e *jsonrpc.Error) []byte {
	b = append(appendStart(b, id), `,"error":{"code":`...)
	b = strconv.AppendInt(b, e.Code, 10)
	b = appendText(append(b, `,"message":`...), e.Message)
	if len(e.Data) > 0 {
		b = append(append(b, `,"data":`...), e.Data...)
	}
	return append(b, "}}"...)
}

// appendResult writes the answer to a call. From 2026-07-28 an answer says what
// it is and whose.
func (s *Server) appendResult(b, id []byte, res *tool.Result, stateless bool) []byte {
	b = append(appendStart(b, id), `,"result":{`...)
	b = s.appendMeta(b, res, stateless)
	b = appendContents(append(b, `"content":[`...), res.Output.Content)
	b = append(b, ']')
	if hasObject(&res.Output) {
		b = appendStructured(b, res.Output.Structured)
	}
	if res.Status == tool.StatusError {
		b = append(b, `,"isError":true`...)
	}
	if stateless {
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, "}}"...)
}

// appendMeta writes the _meta of a result, if it has one, and a comma.
func (s *Server) appendMeta(b []byte, res *tool.Result, stateless bool) []byte {
	failure, search := res.Error, res.Output.Search
	if failure == nil && search == nil && !stateless {
		return b
	}
	b = append(b, `"_meta":{`...)
	if stateless {
		b = append(append(append(b, `"io.modelcontextprotocol/serverInfo":`...), s.info...), ',')
	}
	if failure != nil {
		b = append(append(append(b, `"`+metaError+`":`...), errorJSON(failure)...), ',')
	}
	if search != nil {
		b = append(strconv.AppendInt(append(b, `"`+metaSpared+`":`...), int64(search.Spared), 10), ',')
	}
	return append(b[:len(b)-1], "},"...)
}

func appendContents(b []byte, blocks []tool.Content) []byte {
	for i := range blocks {
		if i > 0 {
			b = append(b, ',')
		}
		if blocks[i].Type == tool.ContentText {
			b = append(appendText(append(b, `{"type":"text","text":`...), blocks[i].Text), '}')
			continue
		}
		block, _ := json.Marshal(content(&blocks[i])) // texts and bytes
		b = append(b, block...)
	}
	return b
}

// appendStructured writes a value on one line, as events need it.
func appendStructured(b []byte, value json.RawMessage) []byte {
	whole := bytes.NewBuffer(append(b, `,"structuredContent":`...))
	if json.Compact(whole, value) != nil {
		return b // no JSON: the content says the same
	}
	return whole.Bytes()
}

// appendText writes a text as JSON. What is not UTF-8 is replaced.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for at := 0; at < len(text); {
		c := text[at]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			at++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(text[at:]); r != utf8.RuneError || size > 1 {
				at += size
				continue
			}
		}
		b = append(b, text[from:at]...)
		switch {
		case c >= utf8.RuneSelf:
			b = append(b, "\uFFFD"...)
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		at++
		from = at
	}
	return append(append(b, text[from:]...), '"')
}
