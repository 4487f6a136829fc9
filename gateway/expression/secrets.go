package expression

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// behind is the name behind a variable as the source writes it: HOME of
// env.HOME. It is empty where there is none.
func (l *lowerer) behind(n *ast.IdentifierNode) string {
	text, at := []rune(l.text), n.Location()
	if at.To < 0 || at.To > len(text) {
		return ""
	}
	m := memberName.FindStringSubmatch(string(text[at.To:]))
	if m == nil {
		return ""
	}
	return m[1]
}

// memberName is a first step behind a variable.
var memberName = regexp.MustCompile(`^(?:\??\.|\[["'])([A-Za-z_][A-Za-z0-9_]*)`)

// declareSecret says how an environment variable is read.
func declareSecret(name string) string {
	if name == "" {
		name = "HOME"
	}
	secret := strings.ToLower(name)
	return fmt.Sprintf("declare it under secrets, as %s: {env: %s}, and write ${secret.%s}", secret, name, secret)
}
