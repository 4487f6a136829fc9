package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// typeName is the JSON type of a value; a whole number is a number too.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// typeWord is how a model reads a JSON type.
func typeWord(t string) string {
	switch t {
	case "boolean":
		return "true or false"
	case "number":
		return "a number"
	case "integer":
		return "a whole number"
	case "string":
		return "text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return t
}

// got tells what kind of value stood there, and the value where it is short.
func got(v any) string {
	switch typeName(v) {
	case "string":
		return "text " + show(v)
	case "number":
		return "the number " + show(v)
	}
	return show(v)
}

// show writes a value in a sentence: numbers digit for digit, texts quoted,
// all shortened; a list or an object only by its kind.
func show(v any) string {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object"
	case string:
		return quote(v)
	case json.Number:
		return shorten(v.String())
	}
	return compact(v)
}

// compact writes a value as JSON, shortened.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "a value that is not JSON"
	}
	return shorten(strings.TrimRight(b.String(), "\n"))
}

// quote writes a text as JSON writes it, shortened inside its quotes.
func quote(text string) string {
	head, note := cut(text)
	return whole(head) + note
}

func whole(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return `""`
	}
	return strings.TrimRight(b.String(), "\n")
}

// shorten cuts a text to maxShown characters and says how long it was.
func shorten(text string) string {
	head, note := cut(text)
	return head + note
}

func cut(text string) (head, note string) {
	if len(text) <= maxShown {
		return text, ""
	}
	runes := []rune(text)
	if len(runes) <= maxShown {
		return text, ""
	}
	return string(runes[:maxShown]) + "…", fmt.Sprintf(" (%d characters)", len(runes))
}

// either joins words as "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// listed joins at most maxListed values and counts the rest.
func listed(values []string) string {
	if len(values) <= maxListed {
		return strings.Join(values, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(values[:maxListed], ", "), len(values)-maxListed)
}

// counted writes a number with its noun: 1 item, 2 items.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
