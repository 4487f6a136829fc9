package secret

import (
	"slices"
	"strings"
)

// Masker replaces known secrets in text by "[secret]", however their
// characters are spelled there: as they are, percent-encoded, as escapes of
// JSON and of programming languages, as HTML entities, one in the other, with
// line breaks between; and in hex and base64. A Masker is safe for concurrent
// use; the nil Masker changes nothing.
//
// It works on what it is given: where a text was cut before, use [Masker.Head]
// or [Masker.Tail].
type Masker struct{ forms *trie }

// none reports whether there is nothing to mask.
func (m *Masker) none() bool { return m == nil || m.forms == nil }

// Know adds the values, as NewMasker takes them. It is for whoever hands a
// Masker out before its values are known; nothing may be masked meanwhile.
func (m *Masker) Know(values ...Value) {
	t := m.forms
	if t == nil {
		t = newTrie()
	}
	for _, v := range values {
		addForms(t, v.Reveal())
	}
	if !t.empty() {
		m.forms = t
	}
}

// NewMasker returns a Masker of the values without the white space around
// them. A value that has fewer than MinLength other characters is left out:
// [Config.Resolve] gives no such value.
func NewMasker(values ...Value) *Masker {
	m := &Masker{}
	m.Know(values...)
	if m.none() {
		return nil
	}
	return m
}

// Text returns s with every known secret replaced. A text that is a JSON
// object, list or string is one afterwards too.
func (m *Masker) Text(s string) string {
	switch {
	case m.none():
		return s
	case isJSON(s):
		return m.json(s)
	}
	return replace(s, m.forms.find(s, whole))
}

// Bytes is Text for bytes; b itself is not changed.
func (m *Masker) Bytes(b []byte) []byte {
	if m.none() || b == nil {
		return b
	}
	return []byte(m.Text(string(b)))
}

// Texts is Text for texts that are read one after the other: a secret that
// begins in one and ends in another is replaced in each. The list itself is
// not changed.
func (m *Masker) Texts(list []string) []string {
	if m.none() {
		return list
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = m.Text(s)
	}
	if len(out) < 2 {
		return out
	}
	spans := m.forms.find(strings.Join(out, ""), whole)
	begin := 0
	for i, s := range out {
		out[i] = replace(s, within(spans, begin, begin+len(s)))
		begin += len(s)
	}
	return out
}

// Head is Text for the start of a longer text, which may have been cut inside
// a secret or inside a character: what begins a secret there and has at least
// MinLength characters is replaced too.
func (m *Masker) Head(s string) string {
	if m.none() {
		return s
	}
	return replace(s, m.forms.find(s, cutEnd))
}

// Tail is Text for the end of a longer text, as Head is for its start.
func (m *Masker) Tail(s string) string {
	if m.none() {
		return s
	}
	spans := m.forms.find(s, whole)
	if end := m.forms.remnant(s); end > 0 {
		spans = merge(append(spans, span{0, end}))
	}
	return replace(s, spans)
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
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(masked)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}
