package cmdtool

import (
	"path"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// shellScript watches for templates inside the text of a shell script.
type shellScript struct {
	started     bool // the program is a shell
	shell, next bool // a script may still follow; the next argument is it
}

func (s *shellScript) start(program string) {
	switch path.Base(program) {
	case "sh", "bash", "dash", "ksh", "zsh", "ash", "fish":
		s.started, s.shell = true, true
	}
}

// check warns of a ${…} in the argument behind -c. It looks at the first such
// argument only: what comes after it are the script's own arguments.
func (s *shellScript) check(at diag.Cursor, text string, literal bool) {
	switch {
	case !s.shell:
	case s.next:
		if !literal {
			at.As(diag.ShellInjection).Warnf(`let the script read "$1" and put the template behind it: [sh, -c, 'wc -w "$1"', sh, "${args.x}"]`,
				"a template inside a shell script lets the caller run any command")
		}
		s.shell = false
	case literal && strings.HasPrefix(text, "-") && strings.HasSuffix(text, "c"):
		s.next = true
	}
}
