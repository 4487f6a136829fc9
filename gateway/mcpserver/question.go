package mcpserver

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/approval"
)

// Limits of a question, in characters before escaping.
const (
	maxAskedArguments = 4000 // of the arguments
	maxAskedLine      = 500  // of every other line
)

// questionText is what the user reads. Nothing of it can end its line, or show as
// something that it is not: what the model wrote must not pass for a line of ours.
func questionText(q *approval.Question) string {
	var b strings.Builder
	b.WriteString("Shall this call run? Answer only if you know what it does.")
	line := func(name, text string, most int) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s: %s", name, visible(text, most))
		}
	}
	line("Tool", q.Tool, maxAskedLine)
	if !strings.HasPrefix(q.Summary, q.Tool+" {") { // else it says what the arguments say
		line("Call", q.Summary, maxAskedLine)
	}
	line("You are asked because", q.Reason, maxAskedLine)
	line("The model says", q.Said, maxAskedLine)
	line("Arguments", string(q.Arguments), maxAskedArguments)
	return b.String()
}

// visible is a text with an escape for each character that cannot be seen or
// changes how others are shown, cut to a number of characters.
func visible(text string, most int) string {
	var b strings.Builder
	n := 0
	for at := 0; at < len(text); n++ {
		if n == most {
			fmt.Fprintf(&b, "… (cut: %d of %d characters are shown)", most, utf8.RuneCountInString(text))
			break
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case unicode.IsPrint(r): // letters, marks, digits, signs and the plain space
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		at += size
	}
	return b.String()
}
