package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
)

// A syntax mistake of YAML: what the library says, what people are told, and
// what they can do where no expression or template explains it.
type mistake struct {
	said, text, hint string
}

// mistakes are those that people make most; others keep the library's words.
var mistakes = []mistake{
	{"mapping values are not allowed in this context", `": " cannot stand inside a value without quotes`, ""},
	{"found unexpected end of stream", "the closing quote is missing", ""},
	{"block sequence entries are not allowed in this context", `a list that starts with "-" belongs on the next line`, ""},
	{"did not find expected key", `expected "key: value" here`, "check the indentation of this line and the quotes before it"},
	{"did not find expected '-' indicator", `expected the next "-" of a list here`, "check the indentation of this line"},
	{"did not find expected ',' or '}'", "expected a comma or the closing } here", ""},
	{"did not find expected ',' or ']'", "expected a comma or the closing ] here", ""},
	{"could not find expected ':'", `the line has no ": " after its key`, ""},
	{"did not find expected alphabetic or numeric character", "* and & have a meaning in YAML and cannot start a text without quotes", ""},
	{"found character that cannot start any token", "this character cannot start a value without quotes", ""},
	{"found unknown escape character", `in double quotes \ starts an escape, and this is none`, `use single quotes, or write \\`},
	{"did not find expected node content", "expected a value here", ""},
	{"did not find expected <document start>", `expected "key: value" here`, "check the indentation of this line"},
}

// unknownAnchor is what the library says of *name without a &name before it.
var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// syntaxProblem words an error of the YAML library.
func syntaxProblem(src *source, err error) *diag.Problem {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &diag.Problem{Place: diag.Place{File: src.file}, Text: "not valid YAML: " + err.Error()}
	}
	at, start := src.position(e.Mark.Line, e.Mark.Column), src.position(e.ContextMark.Line, e.ContextMark.Column)
	if at.line == 0 {
		at = start
	}
	if indentedByTab(src.line(at.line)) {
		return &diag.Problem{Place: src.at(at), Text: "not valid YAML: a tab cannot indent", Hint: "indent with spaces"}
	}
	if p := cutFlow(src, at.line); p != nil {
		return p
	}
	m := explain(e.Message, holdsCredential(src.line(at.line)) || underAuth(src, at.line))
	p := &diag.Problem{Place: src.at(at), Text: "not valid YAML: " + m.text, Hint: m.hint}
	if start.line > 0 && start.line < at.line {
		p.Text += fmt.Sprintf(", in what starts on line %d", start.line)
	}
	flow := strings.Contains(e.Message, "expected ',' or")
	if hint := quoteHint(src, at, start, flow); hint != "" {
		p.Hint = hint
	}
	return p
}

// explain finds plainer words for a message of the library; what it names is
// not repeated where it may be private.
func explain(said string, private bool) mistake {
	name := unknownAnchor.FindStringSubmatch(said)
	switch {
	case name != nil && private:
		return mistake{text: "* starts an alias in YAML, and nothing before it has that name", hint: quoteAdvice("", "")}
	case name != nil:
		return mistake{
			text: fmt.Sprintf("*%s is an alias in YAML, and nothing before it is named &%s", name[1], name[1]),
			hint: "if it is text, put it in single quotes: " + singleQuoted("*"+name[1]),
		}
	}
	for _, m := range mistakes {
		if m.said == said {
			return m
		}
	}
	return mistake{text: said}
}

// indentedByTab reports a line that a tab indents.
func indentedByTab(line string) bool {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return strings.Contains(indent, "\t")
}

var (
	// holdsTemplate finds a ${…} up to its first closing brace.
	holdsTemplate = regexp.MustCompile(`\$\{[^}]*\}?`)
	// blockLine is "key: value" on a line of its own, perhaps as a list item.
	blockLine = regexp.MustCompile(`^[ \t]*(?:- +)*([A-Za-z_][\w-]*): +(.+?)[ \t]*$`)
	// flowMember is an expression key inside { }.
	flowMember = regexp.MustCompile(`[{,] *(when|expr|ok|result|append): `)
	// expressionKey are the keys whose values are expressions.
	expressionKey = regexp.MustCompile(`^(when|expr|ok|result|append)$`)
	// quoted is a value that is in quotes from end to end.
	quoted = regexp.MustCompile(`^("[^"]*"|'[^']*')( *#.*)?$`)
	// closedQuote is such a value inside { } and [ ].
	closedQuote = regexp.MustCompile(`^ *("[^"]*"|'[^']*') *([,}\]]|$)`)
	// openQuote is a value that starts with a quote and does not end with it.
	openQuote = regexp.MustCompile(`^("[^"]*|'[^']*)$`)
	// needsQuotes is a value that starts with a character YAML gives a meaning,
	// or has ": " in it.
	needsQuotes = regexp.MustCompile("^[*&!@`%|>\"']|: ")
	// flowStar is a glob without quotes in a list.
	flowStar = regexp.MustCompile(`[\[,] *(\*[^\],]*)`)
)

// quoteHint says how to quote, when the faulty line, or the one where the
// faulty value starts, holds an expression, a template or a glob.
func quoteHint(src *source, at, start position, flow bool) string {
	if line := src.line(at.line); !atKey(line, at.column) {
		if hint := quoteLine(line, flow, underAuth(src, at.line)); hint != "" {
			return hint
		}
	}
	for n := at.line - 1; n >= max(at.line-openQuoteLines, 1); n-- {
		if m := blockLine.FindStringSubmatch(src.line(n)); m != nil && openQuote.MatchString(m[2]) {
			return fmt.Sprintf("does the quote on line %d lack its end?", n)
		}
	}
	return quoteLine(src.line(start.line), flow, underAuth(src, start.line))
}

// atKey reports whether a column of a line lies at or before the colon of its
// key: then the value is not what is wrong, and the line's indentation or
// something before the line is.
func atKey(line string, column int) bool {
	m := blockLine.FindStringSubmatchIndex(line)
	return m != nil && column <= utf8.RuneCountInString(line[:m[3]])+1
}

// openQuoteLines is how far back a quote without an end is looked for.
const openQuoteLines = 20

// maxHintLine is the length in bytes from which on a line is not looked into.
const maxHintLine = 4 << 10

// quoteLine is quoteHint for one line; flow says that the mistake lies inside
// { } or [ ], and private that its values may be credentials.
func quoteLine(line string, flow, private bool) string {
	if len(line) > maxHintLine {
		return ""
	}
	if m := blockLine.FindStringSubmatch(line); m != nil && !flow && !strings.ContainsAny(m[2][:1], "{[") {
		return quoteBlock(m[1], m[2], private)
	}
	for _, v := range flowValues(line) {
		if holdsTemplate.MatchString(v.text) {
			return quoteAdvice("", v.text) + "; inside { } and [ ] that is always needed"
		}
	}
	for _, m := range flowMember.FindAllStringSubmatchIndex(line, -1) {
		if !closedQuote.MatchString(line[m[1]:]) {
			return "put the whole value in single quotes: " + line[m[2]:m[3]] + ": '…'"
		}
	}
	if m := flowStar.FindStringSubmatch(line); m != nil {
		return quoteAdvice("", m[1])
	}
	return ""
}

// quoteKey is the advice to quote the value of a key, which is not repeated
// where it may be a credential.
func quoteKey(key, value string, private bool) string {
	if private && !strings.Contains(value, "${") || mayBeCredential(key, value) {
		return quoteAdvice("", "") + ": " + key + ": '…'"
	}
	return quoteAdvice(prefixOf(key), value)
}

// quoteBlock is quoteLine for the key and value of a line.
func quoteBlock(key, value string, private bool) string {
	if quoted.MatchString(value) || openQuote.MatchString(value) {
		return ""
	}
	if expressionKey.MatchString(key) || holdsTemplate.MatchString(value) || needsQuotes.MatchString(value) {
		return quoteKey(key, value, private)
	}
	return ""
}
