package openapi

import (
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

// tags are those of HTML in descriptions, which are otherwise left as they are:
// models read Markdown.
var (
	tags   = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?/?>`)
	breaks = regexp.MustCompile(`\n\s*\n\s*`)
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

// plain is a text without HTML tags and empty lines in a row.
func plain(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(text, "<") {
		text = tags.ReplaceAllString(text, "")
	}
	return breaks.ReplaceAllString(strings.TrimSpace(text), "\n\n")
}

// shorten cuts a text between words.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	end, count := 0, 0
	for i := range text {
		if count++; count > most-1 {
			break
		}
		if text[i] == ' ' || text[i] == '\n' {
			end = i
		}
	}
	if end == 0 {
		return strings.ToValidUTF8(text[:most-1], "") + "…"
	}
	return strings.TrimSpace(text[:end]) + "…"
}
