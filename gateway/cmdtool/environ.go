package cmdtool

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxArguments   = 4096    // most arguments of one command, its program among them
	maxCommandLine = 1 << 20 // most bytes of arguments and variables together; systems take about twice as many
)

// inherited are the only variables of the gateway's own environment that a
// process sees; everything else there may be a secret.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "USER"}

// variableName is what every program takes for a name (POSIX.1-2024, Base
// Definitions 3.216).
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// commanding are variables through which whoever sets them can have another
// program run, other code loaded or another configuration read. Those that end
// in * are the start of a name.
var commanding = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "SHELL", "EDITOR", "VISUAL", "PAGER", "BROWSER",
	"LD_*", "DYLD_*", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH",
	"IFS", "ENV", "BASH_ENV", "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "FPATH", "ZDOTDIR",
	"PYTHON*", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_*", "PERL5*", "PERLLIB", "RUBYOPT", "RUBYLIB",
	"GEM_PATH", "GEM_HOME", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "LUA_*", "PHPRC", "PHP_INI_SCAN_DIR",
	"GIT_*", "SSH_ASKPASS", "RSYNC_RSH", "CVS_RSH", "LESSOPEN", "LESSCLOSE", "MANPAGER", "MAKEFLAGS", "OPENSSL_CONF", "CURL_HOME",
}

// variable is one further variable of a process.
type variable struct {
	name  string
	value *expression.Template
}

// variables compiles the "env" key; they are sorted by name.
func (c *compiler) variables(at diag.Cursor, texts map[string]string) []variable {
	var out []variable
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		here := at.Key(name)
		if !variableName.MatchString(name) {
			c.wrong(here, "write a name of letters, digits and _, such as LOG_LEVEL", "%q is not the name of a variable", name)
			continue
		}
		t := c.template(here, texts[name])
		if t == nil {
			continue
		}
		if text, literal := t.Literal(); literal {
			unshelled(here, text)
			if strings.ContainsRune(text, 0) {
				c.wrong(here, "", "the value holds a zero byte, which no process can be given")
			}
		}
		if t.Reads("args") && commands(name) {
			c.wrong(here, "write a value without arguments of the call", "through %s the caller could choose what is run, loaded or read as configuration", name)
		}
		out = append(out, variable{name, t})
	}
	return out
}

// commands reports whether the variable is one of commanding. Case does not
// matter: some programs read npm_config_x.
func commands(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(commanding, func(known string) bool {
		start, open := strings.CutSuffix(known, "*")
		return name == known || open && strings.HasPrefix(name, start)
	})
}

// environ gives the variables of one process; never nil, which would stand for
// all of the gateway's own.
func (r *runner) environ(vars *expression.Vars) ([]string, error) {
	env := make([]string, 0, len(inherited)+len(r.variables))
	for _, name := range inherited {
		value, ok := r.host().Variable(name)
		if ok && !r.only && !slices.ContainsFunc(r.variables, func(v variable) bool { return v.name == name }) {
			env = append(env, name+"="+value)
		}
	}
	for _, v := range r.variables {
		value, present, err := v.value.Text(vars)
		switch {
		case err != nil:
			return nil, unfit(err)
		case strings.ContainsRune(value, 0):
			return nil, tool.Errorf(tool.InvalidArgs, "the variable %s of the command would hold a zero byte, which no process can be given", v.name).
				WithHint("Leave the zero byte out.")
		case present:
			env = append(env, v.name+"="+value)
		}
	}
	return env, nil
}

// fits refuses what systems would refuse, at the same size everywhere.
func fits(argv, env []string) error {
	size := 0
	for _, list := range [][]string{argv, env} {
		for _, text := range list {
			size += len(text) + 1 // each ends in a zero byte
		}
	}
	if len(argv) > maxArguments || size > maxCommandLine {
		return tooLong()
	}
	return nil
}

func tooLong() *tool.Error {
	return tool.Errorf(tool.InvalidArgs, "the arguments are longer than a command line may be").
		WithHint("Send shorter arguments.")
}
