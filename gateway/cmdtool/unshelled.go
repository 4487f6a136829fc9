package cmdtool

import (
	"regexp"

	"github.com/toolgate/toolgate/gateway/diag"
)

var (
	// shellVariable is a text that a shell would put a variable into.
	shellVariable = regexp.MustCompile(`^\$[A-Za-z_]\w*(/|$)`)
	// shellHome is a text that a shell would put a home folder into.
	shellHome = regexp.MustCompile(`^~\w*(/|$)`)
)

// unshelled warns of a literal text of which only a shell would make what was
// meant.
func unshelled(at diag.Cursor, text string) {
	switch {
	case shellVariable.MatchString(text):
		at.As(diag.NoShell).Warnf("write the value itself, or ${secret.name} for one under secrets", "no shell puts a variable in place of $… here")
	case shellHome.MatchString(text):
		at.As(diag.NoShell).Warnf("write the whole path", "no shell puts a home folder in place of ~ here")
	}
}
