package schema

import "strings"

// Error says what is wrong with arguments: one sentence for the model a
// problem, each beginning with the argument's path where there is one.
type Error struct{ Problems []string }

// Error joins the problems with semicolons.
func (e *Error) Error() string { return strings.Join(e.Problems, "; ") }

// Mistake is what is wrong with a schema itself, for the one who wrote it.
type Mistake struct {
	Path []string // keys and indexes from the root of the schema to the offending keyword
	Text string   // what is wrong, lower case, no final stop
	Hint string   // what to do; may be empty
}

// Error writes "path: text (hint)".
func (m *Mistake) Error() string {
	s := m.Text
	if len(m.Path) > 0 {
		s = strings.Join(m.Path, ".") + ": " + s
	}
	if m.Hint != "" {
		s += " (" + m.Hint + ")"
	}
	return s
}

// problem is one fault of a JSON document: arguments or a schema.
type problem struct {
	at   location
	text string
	hint string
	// late gives text and hint where they cost something to make: of many
	// problems few are told.
	late func() (text, hint string)

	// What would have been accepted in its place, so that the branches of a
	// union can be told in one sentence.
	types  []string // JSON types, when the type was wrong
	values []any    // allowed values, when another was given
}

// sentence words the problem for a model. Nothing at the root needs a path.
func (p problem) sentence() string {
	p = p.worded()
	s := p.text
	if len(p.at) > 0 {
		s = p.at.String() + ": " + s
	} else {
		s = aboutAll(s)
	}
	if p.hint != "" {
		s += " (" + p.hint + ")"
	}
	return s
}

// worded returns the problem with its text made.
func (p problem) worded() problem {
	if p.late != nil {
		p.text, p.hint = p.late()
		p.late = nil
	}
	return p
}

// aboutAll gives a predicate the arguments as a whole for its subject.
func aboutAll(text string) string {
	const subject = "arguments "
	if strings.HasPrefix(text, subject) || strings.HasPrefix(text, "the ") { // it has a subject
		return text
	}
	for one, many := range map[string]string{"is ": "are ", "has ": "have ", "fits ": "fit "} {
		if rest, ok := strings.CutPrefix(text, one); ok {
			return subject + many + rest
		}
	}
	return subject + text
}

// refusal turns one problem into the error of arguments.
func refusal(p problem) *Error { return &Error{Problems: []string{p.sentence()}} }

// mistake turns a problem of a schema document into a Mistake.
func (p problem) mistake() *Mistake {
	return &Mistake{Path: p.at.keys(), Text: p.text, Hint: p.hint}
}
