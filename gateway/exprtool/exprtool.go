package exprtool

import (
	"context"
	"errors"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Deps is what an expression needs to know of its tool.
type Deps struct {
	Output tool.OutputMode // how the value is shown
	Args   []string        // the top-level properties of the tool's schema
	// Closed says that no other property can be sent. Without it, and without
	// names, any property may stand in the expression.
	Closed bool
}

// New compiles the expression at a key. It reports every mistake there and
// then returns nil.
func New(at diag.Cursor, source string, deps Deps) tool.Runner {
	env := expression.NewEnv(expression.Args(deps.Args, deps.Closed))
	program := expression.Compile(at, source, env, expression.WantAny)
	if program == nil {
		return nil
	}
	return &runner{env: env, program: program, output: deps.Output}
}

// runner runs one expression. An expression cannot wait for anything, so its
// context is looked at before and after and never in between.
type runner struct {
	env     *expression.Env
	program *expression.Program
	output  tool.OutputMode
}

// Run evaluates the expression with the arguments.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	value, err := r.program.Eval(r.env.Vars(map[string]any{"args": in.Args}))
	switch {
	case err != nil:
		return tool.Output{}, failure(err)
	case ctx.Err() != nil:
		return tool.Output{}, tool.Ended(ctx)
	}
	out, err := tool.RenderValue(value, r.output)
	if err != nil {
		return tool.Output{}, err
	}
	if size := sizeOf(out.Content); size > in.Spec.MaxOutput {
		return tool.Output{}, tool.Errorf(tool.TooLarge, "the result has %d bytes, more than the %d this tool may answer", size, in.Spec.MaxOutput).
			WithHint("Ask for less.")
	}
	return out, nil
}

// sizeOf counts the bytes of an answer: texts, names and data, as they are when
// decoded.
func sizeOf(blocks []tool.Content) int64 {
	size := 0
	for i := range blocks {
		b := &blocks[i]
		size += len(b.Text) + len(b.Data) + len(b.MIMEType) + len(b.URI) + len(b.Name) + len(b.Title) + len(b.Description)
	}
	return int64(size)
}

// failure words an error of the evaluation: the expression itself was checked
// when it was compiled, so what is left is that it does not fit the arguments.
func failure(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Errorf(tool.InvalidArgs, "the tool cannot work with these arguments: %s", err).Because(err).
		WithHint("Change the arguments and call again.")
}
