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
