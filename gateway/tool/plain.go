package tool

import (
	"strconv"
	"unicode/utf8"
)

// roomBeside is what a plain result takes beside its texts, in bytes: enough for
// nearly all of them.
const roomBeside = 160

// plain is the result as MarshalJSON writes it, to the byte, when it is of texts
// alone, as nearly all are; else it reports false. It costs a fraction of what
// encoding/json does, which goes over each text once for every object it stands in.
func (r *Result) plain() (text []byte, ok bool) {
	if r.Error != nil || r.Output.Object() != nil {
		return nil, false
	}
	size := roomBeside
	for i := range r.Output.Content {
		if r.Output.Content[i].Type != ContentText {
			return nil, false
		}
		size += len(r.Output.Content[i].Text)
	}
	w := plainWriter{text: make([]byte, 0, size), ok: true}
	w.add(`{"call_id":`, r.CallID)
	w.add(`,"tool":`, r.Tool)
	w.add(`,"status":`, string(r.Status))
	w.text = append(w.text, `,"content":[`...)
	before := `{"type":"text","text":`
	for i := range r.Output.Content {
		w.add(before, r.Output.Content[i].Text)
		w.text = append(w.text, '}')
		before = `,{"type":"text","text":`
	}
	w.text = append(w.text, `],"duration_ms":`...)
	w.text = strconv.AppendFloat(w.text, float64(r.Duration.Microseconds())/1000, 'f', -1, 64)
	return append(w.text, '}'), w.ok
}

// plainWriter writes texts as encoding/json does.
type plainWriter struct {
	text []byte
	ok   bool // all could be written
}

// add writes what stands before a text and the text. One that encoding/json
// changes, or writes in figures, is not written.
func (w *plainWriter) add(before, text string) {
	w.text = append(append(w.text, before...), '"')
	from := 0
	for at := 0; at < len(text) && w.ok; {
		c, size := text[at], 1
		switch {
		case c == '"' || c == '\\':
			w.text = append(append(w.text, text[from:at]...), '\\')
			from = at
		case c == '\n':
			w.text = append(append(w.text, text[from:at]...), `\n`...)
			from = at + 1
		case c < ' ':
			w.ok = false
		case c >= utf8.RuneSelf:
			size = w.wide(text[at:])
		}
		at += size
	}
	w.text = append(append(w.text, text[from:]...), '"')
}

// wide is the size of a character that is not of ASCII. Breaks of lines and
// paragraphs are written in figures, since JavaScript took them for its own.
func (w *plainWriter) wide(text string) int {
	char, size := utf8.DecodeRuneInString(text)
	if (char == utf8.RuneError && size == 1) || char == '\u2028' || char == '\u2029' {
		w.ok = false
	}
	return size
}
