package schema

import "fmt"

// Misfits are the places, as paths, at which an object does not fit the schema: for
// those who may not see its values. They are sorted and each is there once; after
// most of them comes a count of the rest. Nothing is told of an object that takes
// too long to check.
func (s *Schema) Misfits(object map[string]any, most int) []string {
	if s.body().quick.fits(object) {
		return nil
	}
	problems, err := s.check(object)
	if err != nil {
		return nil
	}
	sortProblems(problems)
	var out []string
	left, last := 0, ""
	for _, p := range problems {
		at := p.at.String()
		switch {
		case len(out) > 0 && at == last:
		case len(out) == most:
			left++
		default:
			out = append(out, at)
		}
		last = at
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("and %d more", left))
	}
	return out
}
