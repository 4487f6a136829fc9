package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// plainWords says in plainer words what the YAML library says of the mistakes
// that people make most.
var plainWords = map[string]string{
	"mapping values are not allowed in this context":                "\": \" cannot stand inside a value without quotes",
	"found unexpected end of stream":                                "the closing quote is missing",
	"block sequence entries are not allowed in this context":        "a list that starts with \"-\" belongs on the next line",
	"did not find expected key":                                     "the line does not go on as a map: expected \"key: value\" here",
	"did not find expected '-' indicator":                           "the list ends without its next \"-\"; the indentation is not right",
	"did not find expected ',' or '}'":                              "expected a comma or the closing }",
	"did not find expected ',' or ']'":                              "expected a comma or the closing ]",
	"could not find expected ':'":                                   "the line has no \": \" after its key",
	"did not find expected alphabetic or numeric character":         "* and & have a meaning in YAML and cannot start a text without quotes",
	"found a tab character that violates indentation":               "a tab cannot indent YAML",
	"found character that cannot start any token":                   "this character cannot start a value without quotes",
	"did not find expected <document start>":                        "the text does not go on as a map: expected \"key: value\" here",
	"found unknown escape character":                                "unknown escape in double quotes",
	"did not find expected node content":                            "expected a value here",
	"found a tab character where an indentation space is expected":  "a tab cannot indent YAML",
	"found character '\\t' that cannot start any token":             "a tab cannot indent YAML",
	"found a tab character where an indentation space was expected": "a tab cannot indent YAML",
}

// syntaxProblem words an error of the YAML library.
func syntaxProblem(src *source, err error) *diag.Problem {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &diag.Problem{Place: diag.Place{File: src.file}, Text: "not valid YAML: " + err.Error()}
	}
	at := position{e.Mark.Line, e.Mark.Column}
	if at.line == 0 { // reported without a place, or at the end of the file
		at = position{e.ContextMark.Line, e.ContextMark.Column}
	}
	what := e.Message
	if plain, ok := plainWords[what]; ok {
		what = plain
	}
	p := &diag.Problem{Place: src.at(at), Text: "not valid YAML: " + what}
	if p.Hint = tabHint(src, at); p.Hint != "" {
		p.Text = "not valid YAML: a tab cannot indent"
		return p
	}
	if start := e.ContextMark.Line; start > 0 && start < at.line {
		p.Text += fmt.Sprintf(", in what starts on line %d", start)
	}
	p.Hint = quoteHint(src, at, position{e.ContextMark.Line, e.ContextMark.Column})
	return p
}

// tabHint helps where a line is indented with a tab.
func tabHint(src *source, at position) string {
	line := src.line(at.line)
	if indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; strings.Contains(indent, "\t") {
		return "indent with spaces"
	}
	return ""
}

var (
	// holdsTemplate finds a ${…} up to its first closing brace.
	holdsTemplate = regexp.MustCompile(`\$\{[^}]*\}?`)
	// blockLine is "key: value" on a line of its own, perhaps as a list item.
	blockLine = regexp.MustCompile(`^[ \t]*(?:- +)*([A-Za-z_][\w-]*): +(.+?)[ \t]*$`)
	// flowMember is an expression key inside { }.
	flowMember = regexp.MustCompile(`[{,] *(when|expr|ok|result): `)
	// expressionKey are the keys whose values are expressions.
	expressionKey = regexp.MustCompile(`^(when|expr|ok|result)$`)
	// needsQuotes is a value that starts with a character YAML gives a meaning.
	needsQuotes = regexp.MustCompile("^[*&!@`%|>\"']")
)

// quoteHint says how to quote, when the faulty line, or the one where the
// faulty value starts, holds an expression or a template.
func quoteHint(src *source, at, start position) string {
	for _, n := range []int{at.line, start.line} {
		if hint := quoteLine(src.line(n)); hint != "" {
			return hint
		}
	}
	return ""
}

func quoteLine(line string) string {
	const advice = "put the whole value in single quotes"
	if m := blockLine.FindStringSubmatch(line); m != nil && !strings.ContainsAny(m[2][:1], "{[") {
		key, value := m[1], m[2]
		if expressionKey.MatchString(key) || holdsTemplate.MatchString(value) || needsQuotes.MatchString(value) {
			return advice + ": " + key + ": " + singleQuoted(value)
		}
		return ""
	}
	if t := holdsTemplate.FindString(line); t != "" {
		return advice + ", inside { } and [ ] always: " + singleQuoted(t)
	}
	if m := flowMember.FindStringSubmatch(line); m != nil {
		return advice + ": " + m[1] + ": '…'"
	}
	if strings.Contains(line, "[*") || strings.Contains(line, ", *") {
		return advice + ": '*'"
	}
	return ""
}
