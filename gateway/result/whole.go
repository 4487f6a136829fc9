package result

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/tool"
)

// loseShare says that a cut moves to the boundary of a line when that loses
// less than one part in loseShare of what is shown.
const loseShare = 5

// part is the text of one block of an answer.
type part struct {
	block int   // index in the content
	at    int64 // offset in the whole, in bytes
	text  string
	runes int
}

// whole is the text of an answer: its parts joined by newlines, without being
// joined in memory.
type whole struct {
	parts []part
	bytes int64
	runes int
}

// cutPoint is a place in a whole: before the byte at of a part's text.
type cutPoint struct{ part, at int }

func newWhole(content []tool.Content) *whole {
	w := &whole{}
	for i, c := range content {
		if !hasText(c) {
			continue
		}
		if len(w.parts) > 0 {
			w.bytes++
			w.runes++
		}
		p := part{block: i, at: w.bytes, text: c.Text, runes: utf8.RuneCountInString(c.Text)}
		w.parts = append(w.parts, p)
		w.bytes += int64(len(p.text))
		w.runes += p.runes
	}
	return w
}

// hasText reports whether a model reads the block as text.
func hasText(c tool.Content) bool {
	return c.Type == tool.ContentText || c.Type == tool.ContentResource && c.Text != ""
}

func (w *whole) reader() io.Reader {
	var all []io.Reader
	for i, p := range w.parts {
		if i > 0 {
			all = append(all, strings.NewReader("\n"))
		}
		all = append(all, strings.NewReader(p.text))
	}
	return io.MultiReader(all...)
}

// isJSON reports whether the whole is JSON as far as can be told without
// reading it.
func (w *whole) isJSON(out tool.Output) bool {
	if len(w.parts) != 1 {
		return false
	}
	text := strings.Trim(w.parts[0].text, " \t\r\n")
	if text == "" {
		return false
	}
	brackets := text[:1] + text[len(text)-1:]
	return brackets == "{}" || brackets == "[]" || out.Structured != nil
}

// head is the place after the first n characters, or a little before it.
func (w *whole) head(n int) cutPoint {
	left := n
	for i, p := range w.parts {
		if p.runes >= left {
			at := forward(p.text, left)
			return cutPoint{i, backToLine(p.text, at, (n-1)/loseShare, i > 0)}
		}
		left -= p.runes + 1 // never below zero: the cut is at the start of the next part then
	}
	last := len(w.parts) - 1
	return cutPoint{last, len(w.parts[last].text)}
}

// tail is the place before the last n characters, or a little after it.
func (w *whole) tail(n int) cutPoint {
	left := n
	for i, p := range slices.Backward(w.parts) {
		if p.runes >= left {
			at := len(p.text) - backward(p.text, left)
			at = onToLine(p.text, at, (n-1)/loseShare, i < len(w.parts)-1)
			return cutPoint{i, at}
		}
		left -= p.runes + 1
	}
	return cutPoint{}
}

// runesBefore counts the characters before a place, with newlines between
// parts.
func (w *whole) runesBefore(c cutPoint) int {
	n := utf8.RuneCountInString(w.parts[c.part].text[:c.at])
	for _, p := range w.parts[:c.part] {
		n += p.runes + 1
	}
	return n
}

// runesAfter counts the characters from a place on.
func (w *whole) runesAfter(c cutPoint) int {
	n := utf8.RuneCountInString(w.parts[c.part].text[c.at:])
	for _, p := range w.parts[c.part+1:] {
		n += p.runes + 1
	}
	return n
}

// assemble is the content with the notice instead of the text between head and
// tail. Text blocks that lie between them are left out, other blocks never.
func (w *whole) assemble(content []tool.Content, head, tail cutPoint, notice string) []tool.Content {
	out := make([]tool.Content, 0, len(content))
	next := 0 // part
	for i, c := range content {
		if next == len(w.parts) || w.parts[next].block != i {
			out = append(out, c)
			continue
		}
		if text, ok := w.shown(next, head, tail, notice); ok {
			c.Text = text
			out = append(out, c)
		}
		next++
	}
	return out
}

// shown is what is left of one part; false when nothing is.
func (w *whole) shown(i int, head, tail cutPoint, notice string) (string, bool) {
	text := w.parts[i].text
	switch {
	case i < head.part, i > tail.part:
		return text, true
	case i == head.part && i == tail.part:
		return joinLines(joinLines(text[:head.at], notice), text[tail.at:]), true
	case i == head.part:
		return joinLines(text[:head.at], notice), true
	case i == tail.part:
		return text[tail.at:], tail.at < len(text)
	}
	return "", false
}

// joinLines puts b on a line of its own after a.
func joinLines(a, b string) string {
	if a == "" || b == "" || strings.HasSuffix(a, "\n") {
		return a + b
	}
	return a + "\n" + b
}

// forward is the length in bytes of the first n characters.
func forward(text string, n int) int {
	at := 0
	for ; n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// backward is the length in bytes of the last n characters.
func backward(text string, n int) int {
	at := len(text)
	for ; n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return len(text) - at
}

// backToLine moves a cut back to the end of a line when that loses at most most
// characters, else to where no character of several code points is split. The
// start of the text is the end of a line where something stands before it.
func backToLine(text string, at, most int, before bool) int {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	if at == len(text) || text[at] == '\n' {
		line = at
	}
	if (line > 0 || before) && utf8.RuneCountInString(text[line:at]) <= most {
		at = line
	}
	for at > 0 && splits(text, at) {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// onToLine moves a cut on to the start of a line, like backToLine.
func onToLine(text string, at, most int, after bool) int {
	line := len(text)
	if at == 0 || text[at-1] == '\n' {
		line, after = at, true
	} else if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		line, after = at+i+1, true
	}
	if after && utf8.RuneCountInString(text[at:line]) <= most {
		at = line
	}
	for at < len(text) && splits(text, at) {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

const (
	zeroWidthJoiner = '\u200D'
	firstSkinTone   = '\U0001F3FB' // emoji modifiers, UTS #51
	lastSkinTone    = '\U0001F3FF'
)

// splits reports whether a cut at the offset would part a base and its
// combining marks, or what else a reader takes for one character.
func splits(text string, at int) bool {
	next, _ := utf8.DecodeRuneInString(text[at:])
	last, _ := utf8.DecodeLastRuneInString(text[:at])
	switch {
	case at == 0 || at == len(text):
		return false
	case unicode.In(next, unicode.M), next == zeroWidthJoiner, last == zeroWidthJoiner:
		return true
	case next >= firstSkinTone && next <= lastSkinTone:
		return true
	}
	return last == '\r' && next == '\n'
}
