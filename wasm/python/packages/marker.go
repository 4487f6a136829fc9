package packages

import "strings"

// maxMarker is the most bytes of a marker that is read, and so how deep one can be.
const maxMarker = 2000

// applies reports whether a need with this marker is one of the interpreter here
// (PyPA, Dependency specifiers). Extras are never asked for. What cannot be read
// does not apply: a package that was wanted all the same is missed when it is
// imported.
func applies(text, python string) bool {
	if text == "" {
		return true
	}
	if len(text) > maxMarker {
		return false
	}
	m := marker{rest: text, python: python}
	holds := m.either()
	return !m.bad && strings.TrimSpace(m.rest) == "" && holds
}

// marker reads a marker from its start.
type marker struct {
	rest   string
	python string
	bad    bool
}

// either reads terms that are joined by "or".
func (m *marker) either() bool {
	holds := m.both()
	for !m.bad && m.word("or") {
		next := m.both()
		holds = holds || next
	}
	return holds
}

// both reads terms that are joined by "and".
func (m *marker) both() bool {
	holds := m.term()
	for !m.bad && m.word("and") {
		next := m.term()
		holds = holds && next
	}
	return holds
}

func (m *marker) term() bool {
	if m.sign("(") {
		holds := m.either()
		m.bad = m.bad || !m.sign(")")
		return holds
	}
	left, leftIsVersion := m.value()
	op := m.operator()
	right, rightIsVersion := m.value()
	switch op {
	case "in":
		return strings.Contains(right, left)
	case "not in":
		return !strings.Contains(right, left)
	case "":
		m.bad = true
		return false
	}
	if leftIsVersion && m.python != "" {
		return satisfies(left, op+right)
	}
	if rightIsVersion && m.python != "" {
		return satisfies(right, mirrored(op)+left)
	}
	switch op {
	case "==", "===":
		return left == right
	case "!=":
		return left != right
	case "<=":
		return left <= right
	case ">=":
		return left >= right
	case "<":
		return left < right
	case ">":
		return left > right
	}
	m.bad = true
	return false
}

// minor is a version without what follows its second number.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// mirrored is the operator between the same two in the other order.
func mirrored(op string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '<':
			return '>'
		case '>':
			return '<'
		}
		return r
	}, op)
}

// value reads a text in quotes or the name of something about the interpreter.
func (m *marker) value() (text string, isVersion bool) {
	m.rest = strings.TrimLeft(m.rest, " \t")
	if m.rest == "" {
		m.bad = true
		return "", false
	}
	if quote := m.rest[:1]; quote == "'" || quote == `"` {
		text, after, ok := strings.Cut(m.rest[1:], quote)
		m.rest, m.bad = after, m.bad || !ok
		return text, false
	}
	end := strings.IndexFunc(m.rest, func(r rune) bool { return r != '_' && r != '.' && (r < 'a' || r > 'z') })
	if end < 0 {
		end = len(m.rest)
	}
	name := m.rest[:end]
	m.rest = m.rest[end:]
	switch name {
	case "python_version":
		return minor(m.python), true
	case "python_full_version", "implementation_version":
		return m.python, true
	case "os_name", "os.name":
		return "posix", false
	case "sys_platform", "sys.platform":
		return "wasi", false
	case "platform_system":
		return "wasi", false
	case "platform_machine", "platform.machine":
		return "wasm32", false
	case "implementation_name":
		return "cpython", false
	case "platform_python_implementation", "python_implementation":
		return "CPython", false
	case "extra", "platform_release", "platform_version":
		return "", false
	}
	m.bad = true
	return "", false
}

func (m *marker) operator() string {
	m.rest = strings.TrimLeft(m.rest, " \t")
	for _, op := range []string{"===", "==", "!=", "~=", "<=", ">=", "<", ">"} {
		if m.sign(op) {
			return op
		}
	}
	if m.word("in") {
		return "in"
	}
	if m.word("not") && m.word("in") {
		return "not in"
	}
	return ""
}

func (m *marker) sign(sign string) bool {
	m.rest = strings.TrimLeft(m.rest, " \t")
	after, ok := strings.CutPrefix(m.rest, sign)
	if ok {
		m.rest = after
	}
	return ok
}

// word reads a word that something else than a letter follows.
func (m *marker) word(word string) bool {
	before := m.rest
	if !m.sign(word) || (m.rest != "" && (m.rest[0] >= 'a' && m.rest[0] <= 'z' || m.rest[0] == '_')) {
		m.rest = before
		return false
	}
	return true
}
