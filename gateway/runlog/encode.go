package runlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// minDeep is the shortest JSON that may be nested as deeply as encoding/json
// reads at all (10,000 levels, each with its two brackets). Inside a record it
// would be one level deeper, and the line could not be read again.
const minDeep = 2 * 10_000

// cut returns the first limit characters of text and, when that is not all,
// how much is missing.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end += size; end == len(text) {
			return text
		}
	}
	return text[:end] + "… (" + strconv.Itoa(len(text)-end) + " more bytes)"
}

// cutNotes returns the first notes, each cut, and how many more there are.
func cutNotes(notes []string) []string {
	var out []string
	for i, note := range notes {
		if i == MaxNotes {
			return append(out, "… ("+strconv.Itoa(len(notes)-i)+" more notes)")
		}
		out = append(out, cut(note, MaxText))
	}
	return out
}

// cutArguments returns args, or an object that says how large they were.
func cutArguments(args json.RawMessage, limit int) json.RawMessage {
	switch {
	case len(args) > limit:
		return fmt.Appendf(nil, `{"$omitted":"%d bytes of arguments, more than the %d that the log keeps"}`, len(args), limit)
	case !utf8.Valid(args):
		return bytes.ToValidUTF8(args, []byte("\uFFFD"))
	}
	return args
}

// encode appends l and a line break to buf. Arguments that are not JSON, or
// too deeply nested to be read again, are written as text.
func encode(buf *bytes.Buffer, l *line) error {
	if encodePlain(buf, l) {
		return nil
	}
	return encodeAny(buf, l)
}

// encodeAny is encode for records of any kind.
func encodeAny(buf *bytes.Buffer, l *line) error {
	start := buf.Len()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(l)
	if err == nil && (len(l.Arguments) < minDeep || json.Valid(buf.Bytes()[start:])) {
		return nil
	}
	if len(l.Arguments) == 0 {
		return err
	}
	buf.Truncate(start)
	l.ArgumentsText, l.Arguments = string(l.Arguments), nil
	return encodeAny(buf, l)
}

// MarshalJSON writes the entry as one JSON object, in the words of the
// journal: status in place of kind, time in RFC 3339 with microseconds (UTC),
// duration_ms with fractions.
func (e Entry) MarshalJSON() ([]byte, error) {
	l := newLine("", &e.Record)
	l.Status = e.Status
	var buf bytes.Buffer
	if err := encode(&buf, &l); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
