package expression

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
)

const (
	// MaxTemplate is the most bytes of one template.
	MaxTemplate = 256 << 10

	opening = "${"
	escaped = "$${" // a literal ${
)

// Template is a text with ${…} parts; safe for concurrent use.
type Template struct {
	parts []part
}

// part is literal text, or an expression.
type part struct {
	literal string
	program *Program
}

// ParseTemplate compiles the template at a key; it reports every mistake and then returns nil.
// $${ is a literal ${, so a dollar sign before a value is written ${"$"}${…}.
// A text that is nothing but the path of a variable, such as args.x, is a
// mistake: it lacks its ${}.
func ParseTemplate(at diag.Cursor, text string, env *Env) *Template {
	src := newSource(at, text)
	if len(text) > MaxTemplate {
		src.report(0, "the template is longer than 256 KiB", "")
		return nil
	}
	if isBarePath(text, env) {
		src.report(0, strings.TrimSpace(text)+" would be sent as it stands, because this key is a template", "write ${"+strings.TrimSpace(text)+"}")
		return nil
	}
	t, ok := &Template{}, true
	for rest, more := text, true; more && rest != ""; {
		literal, found := cutLiteral(&rest)
		if literal != "" {
			t.parts = append(t.parts, part{literal: literal})
		}
		if !found {
			break
		}
		var program *Program
		program, rest, more = parsePart(at, text, rest, env)
		t.parts = append(t.parts, part{program: program})
		ok = ok && program != nil
	}
	if !ok {
		return nil
	}
	return t
}

// barePath is a path as an expression would write it, and nothing else.
var barePath = regexp.MustCompile(`^\s*([A-Za-z_]\w*)(\??\.[A-Za-z_]\w*|\[("[^"]*"|'[^']*'|\d+)\])+\s*$`)

func isBarePath(text string, env *Env) bool {
	m := barePath.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	_, ok := env.vars[m[1]]
	return ok
}

// cutLiteral takes the literal text off the front of rest, and the ${ behind
// it when there is one.
func cutLiteral(rest *string) (literal string, found bool) {
	var b strings.Builder
	for {
		i := strings.Index(*rest, opening)
		if i < 0 {
			b.WriteString(*rest)
			*rest = ""
			return b.String(), false
		}
		if i == 0 || (*rest)[i-1] != '$' {
			b.WriteString((*rest)[:i])
			*rest = (*rest)[i+len(opening):]
			return b.String(), true
		}
		b.WriteString((*rest)[:i-1] + opening)
		*rest = (*rest)[i+len(opening):]
	}
}

// parsePart compiles the expression that starts at rest, a tail of text, and
// gives what stands behind its closing brace. After one that is not closed
// there is no telling what the rest means, and more is false.
func parsePart(at diag.Cursor, text, rest string, env *Env) (p *Program, after string, more bool) {
	src := &source{at: at, whole: text, before: utf8.RuneCountInString(text[:len(text)-len(rest)])}
	end, closed := closing(rest)
	if end < 0 {
		src.report(-len(opening), "${ is never closed", "write } behind the expression, or $${ for a literal ${")
		return nil, "", false
	}
	src.text = rest[:end]
	return compile(src, env, WantAny), rest[end+1:], closed
}

// maxBraces is how many closing braces are tried for one ${.
const maxBraces = 100

// closing finds the closing brace of an expression: the first one before which
// the text parses. Where it parses before none, end is the first brace, for
// the mistake is most likely before it; it is -1 when there is no brace.
func closing(rest string) (end int, closed bool) {
	first, tried := -1, 0
	for end := 0; end < min(len(rest), MaxSource) && tried < maxBraces; end++ {
		if rest[end] != '}' {
			continue
		}
		if tried++; first < 0 {
			first = end
		}
		if strings.TrimSpace(rest[:end]) == "" {
			return end, true
		}
		if _, err := parse(rest[:end]); err == nil {
			return end, true
		}
	}
	return first, false
}

// Literal returns the text of a template without ${…}, and whether it is one.
func (t *Template) Literal() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].program == nil:
		return t.parts[0].literal, true
	}
	return "", false
}

// Exact reports whether the template is exactly one ${…}.
func (t *Template) Exact() bool { return len(t.parts) == 1 && t.parts[0].program != nil }

// Reads reports whether a ${…} of the template uses the variable.
func (t *Template) Reads(name string) bool {
	for _, p := range t.parts {
		if p.program != nil && p.program.Reads(name) {
			return true
		}
	}
	return false
}

// Value gives the raw value of an exact template (nil when absent or null), the text of any other.
// An error is an [EvalError].
func (t *Template) Value(vars *Vars) (any, error) {
	if t.Exact() {
		return t.parts[0].program.Eval(vars)
	}
	text, _, err := t.Text(vars)
	if err != nil {
		return nil, err
	}
	return text, nil
}

// Text gives the text; present is false when the template is exact and its value absent or null.
// Numbers read as they were sent, lists and objects as compact JSON. An
// absent value inside longer text is an error. An error is an [EvalError].
func (t *Template) Text(vars *Vars) (text string, present bool, err error) {
	return t.Escaped(vars, func(value string) (string, error) { return value, nil })
}

// List is Text, but a list value of an exact template gives one text an item.
// It is empty when the value is absent; absent items of a list are left out.
func (t *Template) List(vars *Vars) ([]string, error) {
	if !t.Exact() {
		text, _, err := t.Text(vars)
		if err != nil {
			return nil, err
		}
		return []string{text}, nil
	}
	p := t.parts[0].program
	v, err := p.Eval(vars)
	if err != nil {
		return nil, err
	}
	items := []any{v}
	if kindOf(v) == listKind {
		items = asList(v)
	}
	var texts []string
	for _, item := range items {
		if item == nil {
			continue
		}
		text, err := textOf(p.label, item)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Escaped is Text with every ${…} value (never the literal parts) passed through escape.
// An error of escape is returned as it is.
func (t *Template) Escaped(vars *Vars, escape func(value string) (string, error)) (text string, present bool, err error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.program == nil {
			b.WriteString(p.literal)
			continue
		}
		v, err := p.program.Eval(vars)
		switch {
		case err != nil:
			return "", false, err
		case v == nil && t.Exact():
			return "", false, nil
		case v == nil:
			return "", false, &EvalError{Text: p.program.label + " is absent", cause: ErrAbsent}
		}
		value, err := textOf(p.program.label, v)
		if err == nil {
			value, err = escape(value)
		}
		if err != nil {
			return "", false, err
		}
		b.WriteString(value)
	}
	return b.String(), true, nil
}
