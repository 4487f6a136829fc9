package tool

import "strings"

// FoldName reduces a name to what is left when case and everything but letters
// and digits is ignored. Two tools of one configuration never share a folded
// name: a model, or a host that rewrites names, would take one for the other.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// maxShownName is the most characters of a name that answers and log lines show.
const maxShownName = 100

// ShownName is a name that a model may have made up, as it is shown: what is beyond its
// first 100 characters is cut off, so that it does not fill an answer.
func ShownName(name string) string {
	if len(name) <= maxShownName {
		return name
	}
	if r := []rune(name); len(r) > maxShownName {
		return string(r[:maxShownName]) + "…"
	}
	return name
}
