package cmdtool

import (
	"errors"
	"path"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// endOfOptions is the argument after which a program takes no more options
// (POSIX.1-2024, Utility Syntax Guideline 10).
const endOfOptions = "--"

// argument is one element of argv behind the program.
type argument struct {
	template *expression.Template
	source   string // the template as written
	prefix   string // the literal text before the first ${…}
	guarded  bool   // what follows the prefix must not start an option
	// option is the value of --name=${…}, where there is nothing else; nil
	// otherwise. An option without a value is left out whole.
	option *expression.Template
}

// compiler compiles the texts of one block and remembers whether one of them
// was wrong.
type compiler struct {
	env    *expression.Env
	failed bool
}

func (c *compiler) template(at diag.Cursor, text string) *expression.Template {
	t := expression.ParseTemplate(at, text, c.env)
	c.failed = c.failed || t == nil
	return t
}

func (c *compiler) wrong(at diag.Cursor, hint, format string, args ...any) {
	c.failed = true
	at.Hintf(hint, format, args...)
}

// argv compiles the argument list; its first element is the program.
func (c *compiler) argv(at diag.Cursor, texts expression.Texts) (program string, args []argument) {
	switch {
	case len(texts) == 0:
		c.wrong(at, "write it as a list: [program, argument, …]", "the command has no program")
		return "", nil
	case len(texts) == 1 && !at.Index(0).Present() && strings.ContainsAny(texts[0], " \t"):
		c.wrong(at, "write ["+strings.Join(strings.Fields(texts[0]), ", ")+"]", "a command is a list of its program and arguments, and no shell takes this text apart")
		return "", nil
	}
	program = c.program(item(at, 0), texts[0])
	var shell shellScript
	shell.start(program)
	ended := false
	for i, text := range texts[1:] {
		arg, literal := c.argument(item(at, i+1), text)
		arg.guarded = arg.guarded && !ended
		ended = ended || literal && text == endOfOptions
		shell.check(item(at, i+1), text, literal)
		args = append(args, arg)
	}
	return program, args
}

func (c *compiler) program(at diag.Cursor, text string) string {
	t := c.template(at, text)
	if t == nil {
		return ""
	}
	name, literal := t.Literal()
	switch {
	case !literal:
		c.wrong(at, "", "the program must be literal text, so that no caller can choose it")
	case name == "":
		c.wrong(at, "", "the name of the program is empty")
	case strings.ContainsRune(name, 0):
		c.wrong(at, "", "the name of the program holds a zero byte")
	}
	return name
}

func (c *compiler) argument(at diag.Cursor, text string) (arg argument, literal bool) {
	t := c.template(at, text)
	if t == nil {
		return argument{}, false
	}
	plain, literal := t.Literal()
	if literal && strings.ContainsRune(plain, 0) {
		c.wrong(at, "", "the argument holds a zero byte, which no process can be given")
	}
	prefix := before(text)
	guarded := t.Reads("args") && (prefix == "" || prefix[0] == '-' && !strings.Contains(prefix, "="))
	return argument{template: t, source: text, prefix: prefix, guarded: guarded, option: c.option(prefix, text)}, literal
}

// option finds the value of --name=${…}.
func (c *compiler) option(prefix, text string) *expression.Template {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || !strings.HasPrefix(prefix, "-") || !strings.HasSuffix(prefix, "=") {
		return nil
	}
	var ignored diag.Report // the whole text was checked already
	if t := expression.ParseTemplate(diag.NewCursor(&ignored, nil), rest, c.env); t != nil && t.Exact() {
		return t
	}
	return nil
}

// item is the place of one text, which may stand alone instead of in a list.
func item(at diag.Cursor, i int) diag.Cursor {
	if c := at.Index(i); c.Present() {
		return c
	}
	return at
}

// before is the literal text of a template before its first ${…}, in which
// $${ stands for a plain ${.
func before(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			return b.String() + text
		}
		if i == 0 || text[i-1] != '$' {
			return b.String() + text[:i]
		}
		b.WriteString(text[:i-1] + "${")
		text = text[i+2:]
	}
}

// expand gives the arguments of one call.
func expand(args []argument, vars *expression.Vars, m *secret.Masker) ([]string, error) {
	var out []string
	for _, arg := range args {
		texts, err := arg.texts(vars)
		if err != nil {
			return nil, unfit(err)
		}
		for _, text := range texts {
			if err := arg.check(text, m); err != nil {
				return nil, err
			}
		}
		out = append(out, texts...)
	}
	return out, nil
}

// texts are the arguments that the element stands for: none where it is one
// ${…}, or an option with one, that is absent.
func (a argument) texts(vars *expression.Vars) ([]string, error) {
	if a.option != nil {
		if value, err := a.option.Value(vars); err != nil || value == nil {
			return nil, err
		}
	}
	return a.template.List(vars)
}

// check refuses a text that a program would read as an option which the
// configuration does not name, and one that cannot be passed at all.
func (a argument) check(text string, m *secret.Masker) error {
	if strings.ContainsRune(text, 0) {
		return tool.Errorf(tool.InvalidArgs, "an argument of the command would hold a zero byte, which no process can be given").
			WithHint("Leave the zero byte out.")
	}
	if !a.guarded || !strings.HasPrefix(strings.TrimPrefix(text, a.prefix), "-") || a.names(text) {
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "the value %q starts with - and the command would take it for an option", tool.Excerpt([]byte(m.Text(text)), maxQuoted)).
		WithHint("Send a value that does not start with a hyphen.")
}

// names reports whether the text itself stands, quoted, in the template, as in
// ${args.long ? "-l" : nil}: then the configuration chose it, not the caller.
func (a argument) names(text string) bool {
	return strings.Contains(a.source, `"`+text+`"`) || strings.Contains(a.source, `'`+text+`'`)
}

// unfit words an error of a template: it was checked when it was compiled, so
// what is left is that it does not fit the arguments.
func unfit(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Errorf(tool.InvalidArgs, "the command cannot be built from these arguments: %s", err).Because(err).
		WithHint("Change the arguments and call again.")
}

// shellScript watches for templates inside the text of a shell script.
type shellScript struct{ shell, next bool }

func (s *shellScript) start(program string) {
	switch path.Base(program) {
	case "sh", "bash", "dash", "ksh", "zsh", "ash", "fish":
		s.shell = true
	}
}

// check warns of a ${…} in the argument behind -c. It looks at the first such
// argument only: what comes after it are the script's own arguments.
func (s *shellScript) check(at diag.Cursor, text string, literal bool) {
	switch {
	case !s.shell:
	case s.next:
		if !literal {
			at.Warnf(`let the script read "$1" and put the template behind it: [sh, -c, 'wc -w "$1"', sh, "${args.x}"]`,
				"a template inside a shell script lets the caller run any command")
		}
		s.shell = false
	case literal && strings.HasPrefix(text, "-") && strings.HasSuffix(text, "c"):
		s.next = true
	}
}
