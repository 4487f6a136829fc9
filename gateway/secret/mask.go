package secret

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Masker replaces known secrets in text by "[secret]", however their
// characters are spelled there: as they are, percent-encoded, as escapes of
// JSON and of programming languages, as HTML entities, one in the other, with
// line breaks between; and in hex and base64. A Masker is safe for concurrent
// use; the nil Masker changes nothing.
//
// Only whole secrets are found: if a piece of one were treated like no other
// text, whoever may send a text and read it back could learn the secret piece by
// piece. Where only a part of a text is at hand, use [Masker.Head] or
// [Masker.Tail], which leave out what may be a piece, whatever it is.
//
// What it knows may grow while it masks. The zero Masker knows nothing yet.
type Masker struct {
	mu    sync.Mutex // of those who add
	known atomic.Pointer[known]
}

// forms is what is looked for; nil for nothing.
func (m *Masker) forms() *trie {
	if m == nil {
		return nil
	}
	if k := m.known.Load(); k != nil {
		return k.forms
	}
	return nil
}

// NewMasker returns a Masker of the values without the white space around
// them. A value that has fewer than MinLength other characters is left out:
// [Config.Resolve] gives no such value. It is nil when no value is left.
func NewMasker(values ...Value) *Masker {
	m := &Masker{}
	m.Know(values...)
	if m.forms() == nil {
		return nil
	}
	return m
}

// Knows reports whether there is anything to look for by now.
func (m *Masker) Knows() bool { return m.forms() != nil }

// Text returns s with every known secret replaced. A text that is a JSON
// object, list or string is one afterwards too.
func (m *Masker) Text(s string) string {
	if t := m.forms(); t != nil {
		s, _ = t.mask(s)
	}
	return s
}

// Bytes is Text for bytes. What it returns is b itself where there is nothing to
// replace; b is not changed.
func (m *Masker) Bytes(b []byte) []byte {
	t := m.forms()
	if t == nil {
		return b
	}
	if out, found := t.mask(view(b)); found {
		return []byte(out)
	}
	return b
}

// Texts is Text for texts that are read one after the other: a secret that
// begins in one and ends in another is replaced in each. The list itself is
// not changed.
func (m *Masker) Texts(list []string) []string {
	t := m.forms()
	if t == nil {
		return list
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i], _ = t.mask(s)
	}
	if len(out) < 2 {
		return out
	}
	spans := t.find(strings.Join(out, ""))
	begin := 0
	for i, s := range out {
		out[i] = replace(s, within(spans, begin, begin+len(s)))
		begin += len(s)
	}
	return out
}

// Reach is how many bytes of a secret a cut may leave: one less than the longest
// secret has in the longest of its common spellings, 0 when nothing is known.
// Who reads a text only in part reads so much more of it for Head or Tail.
func (m *Masker) Reach() int {
	if t := m.forms(); t != nil {
		return t.reach()
	}
	return 0
}

// Head is Text for the start of a longer text, which may have been cut inside
// a secret: its last Reach bytes are left out, whatever they are. A text that
// has no more becomes empty. What is left is not cut inside a character there,
// and is no JSON.
func (m *Masker) Head(s string) string {
	t := m.forms()
	if t == nil {
		return s
	}
	end := max(0, len(s)-t.reach())
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return replace(s[:end], within(t.find(s), 0, end))
}

// Tail is Text for the end of a longer text, as Head is for its start.
func (m *Masker) Tail(s string) string {
	t := m.forms()
	if t == nil {
		return s
	}
	begin := min(len(s), t.reach())
	for begin < len(s) && !utf8.RuneStart(s[begin]) {
		begin++
	}
	return replace(s[begin:], within(t.find(s), begin, len(s)))
}

// mask is Masker.Text; it reports whether anything was replaced.
func (t *trie) mask(s string) (out string, found bool) {
	spans := t.find(s)
	if looksJSON(s) && (len(spans) > 0 || !t.quiet(s)) && json.Valid(bytesOf(s)) {
		return t.maskJSON(s)
	}
	return replace(s, spans), len(spans) > 0
}

// span is a part of a text that is to be replaced.
type span struct{ from, to int }

// merge sorts spans and joins those that overlap or touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// within gives the parts of spans between two offsets, counted from the first.
func within(spans []span, from, to int) []span {
	var out []span
	for _, s := range spans {
		if s := (span{max(s.from, from), min(s.to, to)}); s.from < s.to {
			out = append(out, span{s.from - from, s.to - from})
		}
	}
	return out
}

func replace(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(masked)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}
