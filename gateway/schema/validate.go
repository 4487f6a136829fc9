package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	js "github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate checks args, whose numbers are json.Number or Go numbers. The error
// is an *Error with every problem, sorted by path, at most maxProblems of them
// and a count of the rest; any other error is a fault of this package, not of
// the arguments.
func (s *Schema) Validate(args map[string]any) error {
	if s.body().quick.fits(args) {
		return nil
	}
	if args == nil {
		args = map[string]any{}
	}
	problems, err := s.check(args)
	switch {
	case errors.Is(err, errTooComplex):
		return &Error{Problems: []string{"arguments take too long to check against this tool's schema; send simpler or less nested ones"}}
	case err != nil:
		return err
	case len(problems) == 0:
		return nil
	}
	return &Error{Problems: sentences(problems)}
}

// check lists what is wrong with any JSON value, unsorted.
func (s *Schema) check(v any) ([]problem, error) {
	if faults := numberFaults(v); faults != nil {
		return faults, nil
	}
	var problems []problem
	err := s.body().pool.use(func(p *program) error {
		var err error
		problems, err = worder{value: v, doc: s.body().doc, names: s.names}.explain(p.root.Validate(v))
		return err
	})
	return problems, err
}

// explain words what the validator found.
func (w worder) explain(found error) ([]problem, error) {
	if found == nil {
		return nil, nil
	}
	tree, ok := errors.AsType[*js.ValidationError](found)
	if !ok {
		return nil, fmt.Errorf("schema: the validator failed: %w", found)
	}
	problems := w.problems(tree)
	return problems, w.failed
}

// sentences words problems for a model: sorted, each once, capped.
func sentences(problems []problem) []string {
	sortProblems(problems)
	var out []string
	for i, p := range problems {
		if len(out) == maxProblems {
			return append(out, fmt.Sprintf("and %d more", len(problems)-i))
		}
		if s := p.sentence(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func sortProblems(problems []problem) {
	slices.SortStableFunc(problems, func(a, b problem) int {
		if c := a.at.compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
}

// numberFaults lists the numbers of a value that must not reach the
// validator. Arguments that went through Normalise have none; those that a
// hook made may.
func numberFaults(v any) []problem {
	var out []problem
	var visit func(v any, at location)
	visit = func(v any, at location) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				visit(member, append(at, name))
			}
		case []any:
			for i, item := range v {
				visit(item, append(at, i))
			}
		case json.Number:
			if fault := numberTextFault(v); fault != "" {
				out = append(out, problem{at: slices.Clone(at), text: fault})
			}
		}
	}
	visit(v, nil)
	return out
}

func numberTextFault(n json.Number) string {
	if plainDigits(n.String()) {
		return ""
	}
	if !jsonNumber.MatchString(n.String()) {
		return "is not a number: " + quote(n.String())
	}
	return numberFault(n.String())
}

// plainDigits reports whether a text is a short whole number, as nearly all
// are; it saves the regular expression.
func plainDigits(text string) bool {
	if text == "" || len(text) > maxShown || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
