package cmdtool

import (
	"context"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Deps is what a command needs to know beside its block.
type Deps struct {
	Output tool.OutputMode // how standard output is shown
	Dir    string          // working directory of the process, and what a relative program path belongs to
	Args   []string        // the top-level properties of the tool's schema
	// Closed says that no other property can be sent. Without it, and without
	// names, any property may stand in a template.
	Closed      bool
	SecretNames []string                // the secrets that templates may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	Masker      *secret.Masker          // takes secrets out of what is cut; nil for none
}

// New compiles the block at a key. It reports every mistake there and then
// returns nil. It looks for no program: that happens at each call.
func New(at diag.Cursor, cfg Config, deps Deps) tool.Runner {
	c := compiler{env: environment(deps)}
	program, args := c.argv(at.Key("argv"), cfg.Argv)
	var stdin *expression.Template
	if cfg.Stdin != nil {
		stdin = c.template(at.Key("stdin"), *cfg.Stdin)
	}
	if c.failed {
		return nil
	}
	return &runner{
		env: c.env, program: program, args: args, stdin: stdin,
		dir: deps.Dir, output: deps.Output, secrets: deps.Secrets, masker: deps.Masker,
	}
}

func environment(deps Deps) *expression.Env {
	args := expression.JSON
	if deps.Closed || len(deps.Args) > 0 {
		args = expression.Closed(deps.Args)
	}
	secrets := make(map[string]expression.Type, len(deps.SecretNames))
	for _, name := range deps.SecretNames {
		secrets[name] = expression.String
	}
	return expression.NewEnv(
		expression.Var{Name: "args", Type: args},
		expression.Var{Name: "secret", Type: expression.Object(secrets)},
	)
}

// runner runs one command.
type runner struct {
	env     *expression.Env
	program string
	args    []argument
	stdin   *expression.Template // nil: nothing to read
	dir     string
	output  tool.OutputMode
	secrets map[string]secret.Value
	masker  *secret.Masker
}

// Run starts the program, feeds it, and waits for it and whatever it started.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	vars := r.env.Vars(map[string]any{"args": in.Args, "secret": reveal(r.secrets)})
	args, err := expand(r.args, vars, r.masker)
	if err != nil {
		return tool.Output{}, err
	}
	stdin, err := r.input(vars)
	if err != nil {
		return tool.Output{}, err
	}
	path, err := r.find()
	if err != nil {
		return tool.Output{}, err
	}
	stdout, err := run(ctx, job{
		path: path, argv: append([]string{r.program}, args...), dir: r.dir,
		stdin: stdin, most: in.Spec.MaxOutput, masker: r.masker,
	})
	if err != nil {
		return tool.Output{}, err
	}
	return tool.RenderText(stdout, r.output)
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

// reveal opens the secrets for the one process they are for.
func reveal(secrets map[string]secret.Value) map[string]any {
	open := make(map[string]any, len(secrets))
	for name, value := range secrets {
		open[name] = value.Reveal()
	}
	return open
}
