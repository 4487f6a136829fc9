package message

import "bytes"

// members goes through the members of an object or over a value, all of which
// is known to be valid JSON.
type members struct {
	rest       []byte // behind what was given
	key, value []byte // of the current member; the key without its quotes
}

// open starts before the first member of an object.
func open(object []byte) members { return members{rest: trim(object)[1:]} }

// next goes to the next member and reports whether there is one.
func (m *members) next() bool {
	m.rest = trim(m.rest)
	if m.rest[0] == ',' {
		m.rest = trim(m.rest[1:])
	}
	if m.rest[0] == '}' {
		return false
	}
	end := endOfString(m.rest)
	m.key = m.rest[1 : end-1]
	m.rest = trim(trim(m.rest[end:])[1:]) // the colon
	end = endOfValue(m.rest)
	m.value, m.rest = m.rest[:end], m.rest[end:]
	return true
}

// trim takes blanks off the front.
func trim(data []byte) []byte {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t' || data[0] == '\n' || data[0] == '\r') {
		data = data[1:]
	}
	return data
}

// endOfString is the length of the string that the data starts with.
func endOfString(data []byte) int {
	for at := 1; ; {
		at += bytes.IndexByte(data[at:], '"')
		if !escaped(data, at) {
			return at + 1
		}
		at++
	}
}

// escaped reports whether an odd number of backslashes stands before the place.
func escaped(data []byte, at int) bool {
	n := 0
	for at-n-1 >= 0 && data[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// endOfValue is the length of the value that the data starts with.
func endOfValue(data []byte) int {
	switch data[0] {
	case '"':
		return endOfString(data)
	case '{', '[':
		return endOfNested(data)
	}
	if end := bytes.IndexAny(data, ",}] \t\r\n"); end >= 0 {
		return end
	}
	return len(data)
}

func endOfNested(data []byte) int {
	depth := 0
	for at := 0; ; {
		switch data[at] {
		case '"':
			at += endOfString(data[at:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}
