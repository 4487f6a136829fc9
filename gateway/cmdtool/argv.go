package cmdtool

import (
	"errors"
	"slices"
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
	prefix   string   // the literal text before the first ${…}
	quoted   []string // the texts that stand in quotes behind it
	guarded  bool     // what follows the prefix must not make an option of it
	ended    bool     // it stands behind the end of options
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
		arg.ended = ended
		ended = ended || literal && text == endOfOptions
		shell.check(item(at, i+1), text, literal)
		if literal && !shell.started {
			unshelled(item(at, i+1), text)
		}
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
		c.wrong(at, "write the name of the program; what a call chooses belongs into its arguments", "the program must be literal text, so that no caller can choose it")
	case name == "":
		c.wrong(at, "write its name or its path", "the name of the program is empty")
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
	return argument{template: t, prefix: prefix, quoted: quotations(text), guarded: guarded, option: c.option(prefix, text)}, literal
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
	literal := strings.TrimSuffix(text, behind(text))
	return strings.ReplaceAll(literal, "$${", "${")
}

// behind is what a template has from its first ${…} on.
func behind(text string) string {
	for at := 0; ; {
		i := strings.Index(text[at:], "${")
		if i < 0 {
			return ""
		}
		if at += i; at == 0 || text[at-1] != '$' {
			return text[at:]
		}
		at += len("${")
	}
}

// expand gives the arguments of one call. Where an option has lost its value,
// because that is absent, the program may take the end of options for it: then
// what stands behind that end is looked at like the rest.
func expand(args []argument, vars *expression.Vars, m *secret.Masker) ([]string, error) {
	var out []string
	loose := false
	for _, arg := range args {
		texts, err := arg.texts(vars)
		if err != nil {
			return nil, unfit(err)
		}
		for _, text := range texts {
			if err := arg.check(text, loose, m); err != nil {
				return nil, err
			}
		}
		if n := len(out); len(texts) == 0 && !arg.ended && n > 0 && strings.HasPrefix(out[n-1], "-") {
			loose = true
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
func (a argument) check(text string, loose bool, m *secret.Masker) error {
	rest, ok := strings.CutPrefix(text, a.prefix)
	switch {
	case strings.ContainsRune(text, 0):
		return tool.Errorf(tool.InvalidArgs, "an argument of the command would hold a zero byte, which no process can be given").
			WithHint("Leave the zero byte out.")
	case !a.guarded || a.ended && !loose:
	case ok && slices.Contains(a.quoted, rest), slices.Contains(a.quoted, text):
	case ok && rest == "" && a.prefix != "":
		return tool.Errorf(tool.InvalidArgs, "the value of %s is empty and the command would take its next argument for it", a.prefix).
			WithHint("Send a value that is not empty.")
	case !ok && strings.HasPrefix(text, "-"), ok && a.chooses(rest):
		return tool.Errorf(tool.InvalidArgs, "the value %q starts with - and the command would take it for an option", quote(text, m)).
			WithHint("Send a value that does not start with a hyphen.")
	}
	return nil
}

// chooses reports whether what stands behind the prefix makes an option that
// the caller chose. What the configuration wrote is "-n" in -n${…}, where the
// rest is the option's value, and "--name" in --name${…}, which takes a value
// behind = only. Behind a lone hyphen only a number is a value, as in "head -5".
func (a argument) chooses(rest string) bool {
	switch {
	case a.prefix == "-":
		return strings.Trim(rest, "0123456789") != ""
	case a.prefix == endOfOptions:
		return true
	case strings.HasPrefix(a.prefix, "--"):
		return rest[0] != '='
	}
	return strings.HasPrefix(rest, "-")
}

// quotations are the texts in quotes of a template behind its first ${, as in
// ${args.long ? "-l" : nil}: these the configuration chose, not the caller. A
// text with an escape in it is left out.
func quotations(text string) []string {
	text = behind(text)
	var out []string
	for {
		start := strings.IndexAny(text, "\"'`")
		if start < 0 {
			return out
		}
		end := closing(text[start+1:], text[start])
		if end < 0 {
			return out
		}
		if quotation := text[start+1 : start+1+end]; !strings.Contains(quotation, `\`) {
			out = append(out, quotation)
		}
		text = text[start+end+2:]
	}
}

// closing is where a quoted text ends, -1 for nowhere.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && quote != '`':
			i++
		}
	}
	return -1
}

// quote is a text as a message repeats it.
func quote(text string, m *secret.Masker) string {
	return tool.Excerpt([]byte(m.Text(text)), maxQuoted)
}

// unfit words an error of a template: it was checked when it was compiled, so
// what is left is that it does not fit the arguments.
func unfit(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	hint := "Change the arguments and call again."
	if errors.Is(err, expression.ErrAbsent) {
		hint = "Send it and call again."
	}
	return tool.Errorf(tool.InvalidArgs, "the command cannot be built from these arguments: %s", err).Because(err).WithHint("%s", hint)
}
