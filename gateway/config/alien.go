package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// A file that is no configuration was named by mistake or by someone who wants
// to read it: a file of passwords, a key. Nothing of what it says is shown.

// sections are the keys that a configuration has at its top, those that are not
// built yet among them.
func sections() []string {
	s := shapeOf(reflect.TypeFor[Config](), nil)
	keys := slices.Clone(s.keys)
	for key := range s.unbuilt {
		keys = append(keys, key)
	}
	return keys
}

// sectionLine finds a section at the start of a line, jsonLine one that may be
// indented as it is in JSON.
var (
	sectionLine = regexp.MustCompile(`(?m)^(\{[ \t]*)?["']?(` + strings.Join(sections(), "|") + `)["']?[ \t]*:`)
	jsonLine    = regexp.MustCompile(`(?m)^[ \t]*(\{[ \t]*)?"(` + strings.Join(sections(), "|") + `)"[ \t]*:`)
)

// isAlien reports a text that no line makes known as a configuration.
func (s *source) isAlien() bool {
	known := sectionLine
	if isJSON(s.file) {
		known = jsonLine
	}
	return s.origin == originFile && !known.MatchString(s.text)
}

// veiled takes what a problem shows of a file off it, where the file is no
// configuration: its place and the kind of mistake stay.
func veiled(src *source, p *diag.Problem) *diag.Problem {
	if p == nil || p.Text == emptyText || !src.isAlien() {
		return p
	}
	text := "not a configuration, and not valid YAML"
	if isJSON(src.file) {
		text = "not a configuration, and not valid JSON"
	}
	return &diag.Problem{Place: p.Place, Text: text, Hint: startHint}
}

const startHint = "a configuration starts with version: 1"

// alien reports a document that is no map of sections, or nil. It says of what
// kind and how long the document is and shows nothing of it.
func alien(src *source, doc *yaml.Node) *diag.Problem {
	what := ""
	switch doc.Kind {
	case yaml.MappingNode:
		if len(doc.Content) == 0 || !src.isAlien() || slices.ContainsFunc(keysOf(doc), isSection) {
			return nil
		}
		return &diag.Problem{
			Place: src.position(doc.Line, doc.Column).place(), Hint: startHint,
			Text: fmt.Sprintf("not a configuration: none of the keys of this map of %s is a section", counted(len(doc.Content)/2, "entry", "entries")),
		}
	case yaml.SequenceNode:
		what = "a list of " + counted(len(doc.Content), "item", "items")
	case yaml.ScalarNode:
		what = "a single value of " + counted(utf8.RuneCountInString(doc.Value), "character", "characters")
	default:
		what = "an alias"
	}
	return &diag.Problem{
		Place: src.position(doc.Line, doc.Column).place(), Hint: startHint,
		Text: "the file must be a map of sections, and it is " + what,
	}
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// keysOf are the keys of a map that are texts.
func keysOf(doc *yaml.Node) []string {
	var keys []string
	for i := 0; i < len(doc.Content); i += 2 {
		if k := doc.Content[i]; k.Kind == yaml.ScalarNode {
			keys = append(keys, k.Value)
		}
	}
	return keys
}

// isSection reports a key that is a section, was meant as one, or merges maps.
func isSection(key string) bool {
	return key == "<<" || diag.Nearest(key, sections()) != ""
}
