package result

import (
	"bytes"
	"encoding/json"
)

// keyBuffer takes the spelling of a key as far as it is of use.
type keyBuffer struct {
	raw  []byte
	long bool
}

func (k *keyBuffer) reset() { k.raw, k.long = k.raw[:0], false }

// Write keeps p unless the key is too long already.
func (k *keyBuffer) Write(p []byte) (int, error) {
	if k.long = k.long || len(k.raw)+len(p) > maxKey; !k.long {
		k.raw = append(k.raw, p...)
	}
	return len(p), nil
}

func (k *keyBuffer) decoded() ([]byte, error) {
	if k.long {
		return nil, nil
	}
	if bytes.IndexByte(k.raw, '\\') < 0 {
		return k.raw[1 : len(k.raw)-1], nil
	}
	var key string
	err := json.Unmarshal(k.raw, &key)
	return []byte(key), err
}

// kindOf names the kind of the value that starts with c, or is "".
func kindOf(c byte) string {
	switch {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a text"
	case c == 't', c == 'f':
		return "true or false"
	case c == 'n':
		return "null"
	case c == '-', c >= '0' && c <= '9':
		return "a number"
	}
	return ""
}
