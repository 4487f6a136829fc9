package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Limits of a value as JSON: the driver keeps them, and a program that forges its
// answer is held to them. Other readers of JSON have these limits too.
const (
	// MaxDepth is how deep lists and objects may lie in one another.
	MaxDepth = 128
	// MaxDigits is how many characters a number may have, as CPython's for texts of
	// integers (sys.int_info.default_max_str_digits).
	MaxDigits = 4300
)

// PlainJSON reports whether data is one JSON value that every reader takes: UTF-8 with
// whole characters, of bounded depth, with numbers that are finite and of bounded length.
func PlainJSON(data []byte) bool {
	if !utf8.Valid(data) || loneSurrogate(data) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	depth, values := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return depth == 0 && values == 1
		}
		if err != nil {
			return false
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '[' || t == '{' {
				depth++
			} else {
				depth--
			}
		case json.Number:
			if f, err := t.Float64(); len(t) > MaxDigits || strings.ContainsAny(string(t), ".eE") && (err != nil || math.IsInf(f, 0)) {
				return false
			}
		}
		if depth > MaxDepth {
			return false
		}
		if depth == 0 {
			values++
		}
	}
}

// loneSurrogate reports an escape of half a character, which is not told from a whole
// one by most readers until they write it.
func loneSurrogate(data []byte) bool {
	for {
		at := bytes.Index(data, []byte(`\`))
		if at < 0 || at+1 >= len(data) {
			return false
		}
		data = data[at+1:]
		if data[0] != 'u' {
			data = data[1:]
			continue
		}
		switch {
		case !surrogate(data, "89abAB"):
			data = data[1:]
			if !surrogateHex(data) {
				continue
			}
			return true // a low one first
		case len(data) < 11 || data[5] != '\\' || data[6] != 'u' || !surrogateHex(data[7:]):
			return true
		default:
			data = data[11:]
		}
	}
}

// surrogate reports a high surrogate behind its u, by its third letter.
func surrogate(data []byte, third string) bool {
	return len(data) >= 5 && (data[1] == 'd' || data[1] == 'D') && strings.IndexByte(third, data[2]) >= 0
}

// surrogateHex reports the digits of a low surrogate.
func surrogateHex(data []byte) bool {
	return len(data) >= 4 && (data[0] == 'd' || data[0] == 'D') && strings.IndexByte("cdefCDEF", data[1]) >= 0
}
