package result

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/tool"
)

// MinSize is the fewest characters an answer should be cut to: with less, the
// notice of what is missing leaves little room for the answer.
const MinSize = 1000

// What is shown of a text that is too long is its head, headShare parts of
// allShare, and its tail.
const (
	headShare = 2
	allShare  = 3
)

// About says whose answer is fitted and to which call.
type About struct {
	Owner    string // identity of the caller
	CallID   string
	Tool     string
	Readable bool // the caller may call read_result; else nothing is kept
}

// Fit returns the answer with at most most characters of text, all text blocks
// and the texts of embedded resources together, newlines between them counted
// (tool.DefaultMaxResultSize where most is not above zero). A longer text is
// kept as a whole and shown as its head, a notice that says what is missing and
// how to read it, and its tail; the structured form is dropped then. The
// notice itself is never cut, so with less than [MinSize] the text may be as
// long as that. A resource with bytes and without an address is kept and
// replaced by a line about it. Other blocks stay as they are and where they
// are. Text is valid UTF-8 afterwards.
//
// A nil store keeps nothing. When the store fails the text says so, and note is
// the cause, for the operator; otherwise note is empty. The answer that was
// passed in is not changed.
func Fit(ctx context.Context, store Store, out tool.Output, about About, most int) (fitted tool.Output, note string) {
	if most <= 0 {
		most = tool.DefaultMaxResultSize
	}
	k := &keeper{about: about}
	if about.Readable {
		k.store = store
	}
	out.Content = k.presentable(ctx, out.Content)
	w := newWhole(out.Content)
	if w.runes > most {
		out.Content = k.cut(ctx, w, out, most)
		out.Structured = nil
	}
	return out, strings.Join(k.notes, "; ")
}

// Fits reports that [Fit] would give the answer back as it is: valid text with no
// more bytes than it may have characters. Where it reports false Fit may still
// change nothing.
func Fits(out tool.Output, most int) bool {
	room := most
	for i := range out.Content {
		c := &out.Content[i]
		room -= len(c.Text) + len("\n")
		if c.Type != tool.ContentText || room < 0 || !utf8.ValidString(c.Text) {
			return false
		}
	}
	return true
}

// keeper fits one answer.
type keeper struct {
	store Store // nil keeps nothing
	about About
	notes []string // what went wrong, for the operator
}

// presentable is the content with valid text, and lines instead of bytes that
// no model reads. The list is copied when something in it changes.
func (k *keeper) presentable(ctx context.Context, content []tool.Content) []tool.Content {
	copied := false
	for i := range content {
		c := content[i]
		if c.Type == tool.ContentResource && c.URI == "" && c.Data != nil {
			c = tool.Content{Type: tool.ContentText, Text: k.line(ctx, c)}
		} else if !utf8.ValidString(c.Text) {
			c.Text = strings.ToValidUTF8(c.Text, string(utf8.RuneError))
		} else {
			continue
		}
		if !copied {
			content, copied = slices.Clone(content), true
		}
		content[i] = c
	}
	return content
}

// cut replaces the middle of a text that is too long by a notice.
func (k *keeper) cut(ctx context.Context, w *whole, out tool.Output, most int) []tool.Content {
	media, hint := mediaText, ""
	if w.isJSON(out) {
		media, hint = mediaJSON, `; for parts of this JSON: add "path"`
	}
	say := func(missing int, _ int64) string {
		return fmt.Sprintf("[… %s of %s characters are left out. %s]", grouped(missing), grouped(w.runes), k.lost())
	}
	if meta, ok := k.keep(ctx, Meta{Media: media, Text: true}, w.reader()); ok {
		say = func(missing int, offset int64) string {
			return fmt.Sprintf("[… %s of %s characters are left out. The whole result is kept as %s until %s. "+
				`To read on: %s {"handle": "%s", "offset": %d}; to search: add "grep"%s.]`,
				grouped(missing), grouped(w.runes), meta.Handle, until(meta), ToolName, meta.Handle, offset, hint)
		}
	}
	// No notice is longer than the one with the largest numbers.
	room := max(0, most-utf8.RuneCountInString(say(w.runes, w.bytes))-len("\n\n"))
	first := room * headShare / allShare
	head, tail := w.head(first), w.tail(room-first)
	missing := w.runes - w.runesBefore(head) - w.runesAfter(tail)
	return w.assemble(out.Content, head, tail, say(missing, w.parts[head.part].at+int64(head.at)))
}
