package secret

import (
	"bytes"
	"encoding/json"
	"strings"
)

// isJSON reports whether text is a JSON object, list or string.
func isJSON(text string) bool {
	plain := strings.TrimLeft(text, " \t\r\n")
	return plain != "" && strings.IndexByte(`{["`, plain[0]) >= 0 && json.Valid([]byte(text))
}

// json masks valid JSON and leaves it valid: a string is masked as what it
// stands for, a number that holds a secret becomes a string. Where a secret
// reaches over several strings and numbers, each of them goes as a whole.
func (m *Masker) json(text string) string {
	text = tokens(text, m.token)
	spans := m.forms.find(text, whole)
	if len(spans) == 0 {
		return text
	}
	return tokens(text, func(token string, from int) string {
		if len(within(spans, from, from+len(token))) > 0 {
			return quote(masked)
		}
		return token
	})
}

// token masks a string or a number.
func (m *Masker) token(token string, _ int) string {
	plain := token
	if token[0] == '"' && json.Unmarshal([]byte(token), &plain) != nil {
		return token // not reached: the whole was valid
	}
	if out := m.Text(plain); out != plain {
		return quote(out)
	}
	return token
}

// tokens copies JSON and puts what change gives in place of each string and
// number.
func tokens(text string, change func(token string, from int) string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := tokenEnd(text, i)
		if end == i {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString(change(text[i:end], i))
		i = end
	}
	return b.String()
}

// tokenEnd is the end of the string or number at a place, the place itself
// when there is none.
func tokenEnd(text string, at int) int {
	if text[at] != '"' {
		end := at
		for end < len(text) && (isAlphanumeric(text[end]) || strings.IndexByte("+-.", text[end]) >= 0) {
			end++
		}
		return end
	}
	for end := at + 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '"':
			return end + 1
		}
	}
	return len(text) // not reached: the whole was valid
}

// quote writes a JSON string without HTML escapes.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // no string fails
	return strings.TrimSuffix(b.String(), "\n")
}
