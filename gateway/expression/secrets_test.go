package expression

import (
	"strings"
	"testing"
)

// TestEnvironmentVariable: what reads secrets is told how to read those of the
// environment, and nothing else is.
func TestEnvironmentVariable(t *testing.T) {
	t.Parallel()
	runner := NewEnv(Var{Name: "args", Type: JSON}, Var{Name: "secret", Type: Object(nil)})
	declare := func(secret, name string) string {
		return "env is not built yet (declare it under secrets, as " + secret + ": {env: " + name + "}, and write ${secret." + secret + "})"
	}
	for text, want := range map[string]string{
		"${env.HOME}":              declare("home", "HOME"),
		"żółw ${env.API_KEY}/x":    declare("api_key", "API_KEY"),
		`${env["CRM_URL"]}`:        declare("crm_url", "CRM_URL"),
		"${env?.HOME ?? 'x'}":      declare("home", "HOME"),
		"${upper(env.X) + args.y}": declare("x", "X"),
		"${env}":                   declare("home", "HOME"),
	} {
		if _, problems := parseTest(text, runner); !strings.HasSuffix(problems.Error(), want) {
			t.Errorf("%s\n got %s\nwant %s", text, problems, want)
		}
		if _, problems := parseTest(text, NewEnv()); !strings.Contains(problems.Error(), "env is not available here (an expression can never read") {
			t.Errorf("%s: %s", text, problems)
		}
	}
}
