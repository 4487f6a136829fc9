package expression

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// exact puts the decimals that the source writes in the place of the float64s
// that the parser read.
func (s *source) exact(root ast.Node) ast.Node {
	e := literals{source: s, text: []rune(s.text)}
	ast.Walk(&root, &e)
	if s.failed {
		return nil
	}
	return root
}

type literals struct {
	*source
	text []rune
}

// Visit replaces one literal.
func (e *literals) Visit(n *ast.Node) {
	float, ok := (*n).(*ast.FloatNode)
	if !ok {
		return
	}
	at := float.Location()
	text, ok := e.spelling(float, at.From, at.To)
	if !ok {
		e.report(at.From, "the number is not written as one", "")
		return
	}
	if _, problem := parseNumber(text); problem != "" {
		e.report(at.From, "this"+problem, "")
		return
	}
	ast.Patch(n, &ast.ConstantNode{Value: json.Number(text)})
}

// spelling is a literal as JSON writes it: 1_000.50 as 1000.50, .5 as 0.5.
func (e *literals) spelling(float *ast.FloatNode, from, to int) (string, bool) {
	if from < 0 || from > to || to > len(e.text) {
		return "", false
	}
	text := strings.ToLower(strings.ReplaceAll(string(e.text[from:to]), "_", ""))
	if f, err := strconv.ParseFloat(text, 64); err != nil || f != float.Value {
		return "", false // the place of the literal is not what it is taken for
	}
	mantissa, exponent, scaled := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if scaled {
		whole += "e" + exponent
	}
	return whole, true
}
