package openapi

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Limits on what a document tells of a tool.
const (
	MaxDescription = 1024 // characters of the description of a tool
	MaxTitle       = 100  // characters of its title
)

// maxWritten is how many bytes of a text are looked at for them: a document may hold
// a megabyte and name it from each operation. What is left is room for markup.
const maxWritten = 32 * MaxDescription

// What of HTML is no text in descriptions, which are otherwise left as they are:
// models read Markdown. Only names of HTML count, as people write <id> for a value
// and List<Pet> for a type. Blocks are lines of their own.
var (
	inlines  = regexp.MustCompile(`(?i)</?(a|abbr|acronym|b|big|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|s|samp|small|span|strike|strong|sub|sup|tt|u|wbr)(\s[^<>]*)?/?>`)
	blocks   = regexp.MustCompile(`(?i)</?(aside|blockquote|br|center|col|colgroup|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|hr|html|li|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)(\s[^<>]*)?/?>`)
	entities = regexp.MustCompile(`&([a-zA-Z]+|#[0-9]+|#[xX][0-9a-fA-F]+);`)
	breaks   = regexp.MustCompile(`\n\s*\n\s*`)
)

// Describe is the description of the tool that an operation becomes: its summary,
// and its description where that says more.
func Describe(op *spec.Operation) string {
	summary, more := plain(op.Summary), plain(op.Description)
	text := summary
	switch {
	case strings.HasPrefix(more, strings.TrimSuffix(summary, ".")):
		text = more
	case more != "":
		text = strings.TrimSuffix(summary, ".") + ".\n\n" + more
	}
	if text == "" {
		text = op.Method + " " + op.Path
	}
	if op.Deprecated && !strings.Contains(strings.ToLower(text), "deprecated") {
		text = "Deprecated. " + text
	}
	return shorten(text, MaxDescription)
}

// Title is the short name of the tool for people.
func Title(op *spec.Operation) string { return shorten(firstLine(plain(op.Summary)), MaxTitle) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// plain is a text without HTML and without empty lines in a row. Of a long one it is
// the start, with a sign that there is more.
func plain(text string) string {
	more := ""
	if len(text) > maxWritten {
		text, more = start(text), "…"
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(text, "<") {
		text = inlines.ReplaceAllString(uncommented(text), "")
		text = blocks.ReplaceAllString(text, "\n")
	}
	if strings.Contains(text, "&") {
		text = strings.ReplaceAll(entities.ReplaceAllStringFunc(text, html.UnescapeString), "\u00a0", " ")
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return breaks.ReplaceAllString(text, "\n\n") + more
}

// start is what is looked at of a long text: whole characters, and no half of a
// comment or a tag at the end.
func start(text string) string {
	end := maxWritten
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	text = text[:end]
	if open := strings.LastIndex(text, "<!--"); open > strings.LastIndex(text, "-->") {
		text = text[:open]
	}
	if open := strings.LastIndexByte(text, '<'); open > strings.LastIndexByte(text, '>') {
		text = text[:open]
	}
	return text
}

// uncommented is a text without comments of HTML. One that does not end is text.
func uncommented(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		_, after, closed := strings.Cut(rest, "-->")
		if !found || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		text = after
	}
}

// shorten cuts a text between words, unless that would leave less than half of
// what may stand: there are languages without spaces.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	end, half, gap, count := 0, 0, 0, 0
	for i, c := range text {
		switch {
		case count == most/2:
			half = i
		case count == most-1:
			end = i
		}
		if c == ' ' || c == '\n' {
			gap = i
		}
		if count++; count == most {
			break
		}
	}
	if gap > half {
		end = gap
	}
	return strings.TrimSpace(text[:end]) + "…"
}
