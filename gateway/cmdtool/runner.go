package cmdtool

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Deps is what a command needs to know beside its block.
type Deps struct {
	Output tool.OutputMode // how standard output is shown
	Dir    string          // what a relative program path and a relative Cwd belong to; the working directory without a Cwd
	Args   []string        // the top-level properties of the tool's schema
	// Closed says that no other property can be sent. Without it, and without
	// names, any property may stand in a template.
	Closed      bool
	SecretNames []string                // the secrets that templates may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	Masker      *secret.Masker          // takes secrets out of what is cut; nil for none
	Machine     Machine                 // where programs run; nil for the one that the gateway runs on
}

// New compiles the block at a key. It reports every mistake there and then
// returns nil. It looks for no program and no folder: that happens at each
// call.
func New(at diag.Cursor, cfg Config, deps Deps) tool.Runner {
	c := compiler{env: expression.NewEnv(expression.Args(deps.Args, deps.Closed), expression.Secrets(deps.SecretNames))}
	r := &runner{
		env: c.env, dir: deps.Dir, only: cfg.EnvOnly, grace: defaultGrace,
		output: deps.Output, secrets: deps.Secrets, masker: deps.Masker, machine: deps.Machine,
	}
	r.program, r.args = c.argv(at.Key("argv"), cfg.Argv)
	if cfg.Stdin != nil {
		r.stdin = c.template(at.Key("stdin"), *cfg.Stdin)
	}
	if cfg.Cwd != nil {
		r.cwd = c.folder(at.Key("cwd"), *cfg.Cwd)
	}
	r.variables = c.variables(at.Key("env"), cfg.Env)
	r.exit = c.exit(at.Key("exit"), cfg.Exit)
	r.steps = c.progress(at.Key("progress"), cfg.Progress)
	if c.failed {
		return nil
	}
	return r
}

// progress reports whether the command tells how far it is.
func (c *compiler) progress(at diag.Cursor, p Progress) bool {
	if p != "" && p != JSONLines {
		c.wrong(at, "write "+string(JSONLines), "%q is no way to tell progress", p)
	}
	return p == JSONLines
}

// runner runs one command.
type runner struct {
	env       *expression.Env
	program   string
	args      []argument
	stdin     *expression.Template // nil: nothing to read
	cwd       *folder              // nil: dir
	variables []variable
	only      bool           // the process sees no variable but these
	exit      map[int]string // what a status that is no failure means
	steps     bool           // lines of output may be steps
	grace     time.Duration  // defaultGrace, but for tests
	dir       string
	output    tool.OutputMode
	secrets   map[string]secret.Value
	masker    *secret.Masker
	machine   Machine // nil for this one
}

// host is where the command runs.
func (r *runner) host() Machine {
	if r.machine != nil {
		return r.machine
	}
	return thisMachine{grace: r.grace}
}

// Run starts the program, feeds it, and waits for it and whatever it started.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	j, err := r.prepare(in)
	if err != nil {
		return tool.Output{}, err
	}
	stdout, status, err := run(ctx, j)
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Code == tool.TooLarge && !in.Spec.ReadOnly() {
		e.Hint += " It may have had an effect: check before you call it again."
	}
	if err != nil {
		return tool.Output{}, err
	}
	return r.answer(stdout, status)
}

// prepare builds what one call runs.
func (r *runner) prepare(in tool.Input) (j job, err error) {
	vars := r.env.Vars(map[string]any{"args": in.Args, "secret": secret.RevealAll(r.secrets)})
	args, err := expand(r.args, vars, r.masker)
	if err != nil {
		return job{}, err
	}
	j = job{argv: append([]string{r.program}, args...), most: in.Spec.MaxOutput, exit: r.exit, steps: r.steps, machine: r.host(), masker: r.masker}
	if j.env, err = r.environ(vars); err != nil {
		return job{}, err
	}
	if err := fits(j.argv, j.env); err != nil {
		return job{}, err
	}
	if j.stdin, err = r.input(vars); err != nil {
		return job{}, err
	}
	if j.dir, err = r.cwd.find(r.dir, vars, r.masker, j.machine); err != nil {
		return job{}, err
	}
	j.path, err = r.find(j.machine)
	return j, err
}

// answer shows what a command wrote that did not fail.
func (r *runner) answer(stdout []byte, status int) (tool.Output, error) {
	text, listed := r.exit[status]
	if !listed {
		return tool.RenderBytes(stdout, "", r.output)
	}
	said := tool.TextOutput(text)
	if len(bytes.TrimSpace(stdout)) == 0 {
		said.Noop = true
		return said, nil
	}
	out, err := tool.RenderBytes(stdout, "", r.output)
	out.Content = append(said.Content, out.Content...)
	return out, err
}

// input is the text of standard input, nil when the block has none.
func (r *runner) input(vars *expression.Vars) (*strings.Reader, error) {
	if r.stdin == nil {
		return nil, nil
	}
	text, _, err := r.stdin.Text(vars)
	if err != nil {
		return nil, unfit(err)
	}
	return strings.NewReader(text), nil
}
