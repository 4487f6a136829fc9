package expression

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/toolgate/toolgate/gateway/diag"
)

const (
	// MaxSource is the most bytes of one expression.
	MaxSource = 16 << 10
	// MaxNodes is the most names, values and operators of one expression.
	MaxNodes = 1000
)

// source is the text of an expression, which may stand inside a longer text,
// and the key whose mistakes are reported.
type source struct {
	at     diag.Cursor
	whole  string // the value of the key
	before int    // characters of whole before the expression
	text   string // the expression
	failed bool   // something was reported
}

// report reports an error at a character of the expression, counted from 0.
func (s *source) report(char int, text, hint string) {
	s.failed = true
	line, column := s.position(char)
	s.at.Inside(line, column, text, hint)
}

// position is the line and column, both from 1, of a character of the
// expression within the whole value.
func (s *source) position(char int) (line, column int) {
	line, column = 1, 1
	left := s.before + char
	for _, r := range s.whole {
		if left == 0 {
			break
		}
		left--
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

func newSource(at diag.Cursor, text string) *source {
	return &source{at: at, whole: text, text: text}
}

// parse gives the syntax tree, or reports why there is none.
func (s *source) parse() ast.Node {
	if strings.TrimSpace(s.text) == "" {
		s.report(0, "the expression is empty", "")
		return nil
	}
	if len(s.text) > MaxSource {
		s.report(0, fmt.Sprintf("the expression has %d bytes, more than %d", len(s.text), MaxSource), "split it into several")
		return nil
	}
	node, err := parse(s.text)
	if err == nil {
		return s.exact(s.expandHas(node))
	}
	if i := strings.Index(s.text, "${"); i >= 0 && s.before == 0 {
		s.reportTemplate(i)
		return nil
	}
	text, hint := wordSyntax(err)
	s.report(err.From, text, hint)
	return nil
}

func (s *source) reportTemplate(i int) {
	inner, _, _ := strings.Cut(s.text[i+2:], "}")
	s.report(len([]rune(s.text[:i])), "${…} stands in an expression",
		"this key is an expression: write "+strings.TrimSpace(inner)+" without ${…}")
}

// parse calls the parser, which may panic on what it does not expect.
func parse(text string) (node ast.Node, err *file.Error) {
	defer func() {
		if recover() != nil {
			node, err = nil, &file.Error{Message: unreadable}
		}
	}()
	tree, parseErr := parser.ParseWithConfig(text, &conf.Config{MaxNodes: MaxNodes})
	if parseErr == nil {
		return tree.Node, nil
	}
	if fileErr, ok := errors.AsType[*file.Error](parseErr); ok {
		return nil, fileErr
	}
	return nil, &file.Error{Message: unreadable}
}

const unreadable = "this is not an expression"

var unexpected = regexp.MustCompile(`^unexpected token (\w+)(?:\("(.*)"\))?$`)

// syntax words the parser's messages; the parser tells them apart by text only.
var syntax = []struct{ message, text, hint string }{
	{"unexpected end of expression", "the expression ends too early", ""},
	{"literal not terminated", "a text has no closing quote", ""},
	{"invalid char escape", "a text has an unknown escape", `write \\ for a backslash, or put the text in backquotes`},
	{"invalid integer literal", "the number is too large", "whole numbers go up to 9223372036854775807"},
	{"integer literal is too large", "the number is too large", "whole numbers go up to 9223372036854775807"},
	{"invalid hex literal", "the number is too large", "whole numbers go up to 9223372036854775807"},
	{"invalid float literal", "the number is too large", ""},
	{"float literal is too large", "the number is too large", ""},
	{"bad number syntax", "the number is not written as one", "put quotes around a text"},
	{"compilation failed: expression exceeds", "the expression has too many parts", fmt.Sprintf("at most %d names, values and operators", MaxNodes)},
	{"Operator (", "?? stands beside another operator", "put parentheses around a ?? b"},
	{"wrap predicate", "this condition of a list function holds a ;", "put it in braces { and }"},
	{"expected name", "a name is missing after the dot", `write args["odd name"] for other names`},
	{"expected at least", "an argument is missing", ""},
	{"a map key must be", "an object's key must be a name, a number or a text", ""},
	{"unrecognized character", "there is a character that no expression has", ""},
}

// wordSyntax says what the parser found wrong.
func wordSyntax(err *file.Error) (text, hint string) {
	if m := unexpected.FindStringSubmatch(err.Message); m != nil {
		return wordToken(m[1], m[2])
	}
	for _, s := range syntax {
		if strings.HasPrefix(err.Message, s.message) {
			return s.text, s.hint
		}
	}
	return unreadable, ""
}

func wordToken(kind, token string) (text, hint string) {
	if kind == "EOF" {
		return "the expression ends too early", ""
	}
	switch token {
	case "=":
		hint = "write == to compare"
	case "&":
		hint = "write && or and"
	case "|":
		hint = "write || or or"
	}
	return "unexpected " + token, hint
}
