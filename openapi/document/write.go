package document

import (
	"encoding/json"
	"unicode/utf8"
)

// JSON is the node as compact JSON, its members in their order and its numbers
// as they are; null for a nil node.
func (n *Node) JSON() json.RawMessage { return n.AppendJSON(nil) }

// AppendJSON appends to dst what [Node.JSON] gives.
func (n *Node) AppendJSON(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Object:
		return n.appendMembers(dst, '{', '}')
	case Array:
		return n.appendMembers(dst, '[', ']')
	case String:
		return appendString(dst, n.Text)
	case Number, Bool:
		return append(dst, n.Text...)
	}
	return append(dst, "null"...)
}

func (n *Node) appendMembers(dst []byte, open, end byte) []byte {
	dst = append(dst, open)
	for i := range n.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == Object {
			dst = append(appendString(dst, n.Members[i].Name), ':')
		}
		dst = n.Members[i].Value.AppendJSON(dst)
	}
	return append(dst, end)
}

// appendString writes a string with no more escapes than JSON needs.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n - 1
				continue
			}
			dst = append(append(dst, s[from:i]...), "\ufffd"...)
			from = i + 1
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
