package interpreter

import (
	"context"
	"errors"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// Ran is what came of a program.
type Ran struct {
	Reply wire.Reply // its zero value where the program was ended
	// What it printed until it was over, also where it was ended.
	Stdout, Stderr         []byte
	DroppedOut, DroppedErr int64 // bytes that were printed beyond what is kept
}

// Python runs programs.
type Python interface {
	// Run runs one program of a caller, who takes turns with others, in a clean
	// interpreter, under its time limit, and gives what it left behind. The error is a [*tool.Error] that says why the program did
	// not come to an end of its own: it says Timeout for one that was ended at its
	// limit, Overloaded where too many wait already, UpstreamUnavailable where there
	// is no interpreter. What was printed until then is given all the same.
	Run(ctx context.Context, caller string, job *wire.Job) (Ran, error)
}

// File is a file of a chat.
type File struct {
	Path  string
	Media string // media type
	Size  int64  // bytes
	Data  []byte // nil in a list
}

// Files are the files of chats. A call names its caller and its chat. An error is a
// [*tool.Error].
type Files interface {
	// List gives the files of the chat, by path.
	List(ctx context.Context, call *tool.Call) ([]File, error)
	// Read gives one of them, with what is in it.
	Read(ctx context.Context, call *tool.Call, path string) (File, error)
	// Save puts files into the chat, all or none of them, in place of those of their
	// paths.
	Save(ctx context.Context, call *tool.Call, files []File) error
}

// Options are what a tool may be given beside who runs programs; the zero value
// works.
type Options struct {
	Limits Limits
	Files  Files // nil where there are none: programs are given none, and what they leave comes back as it is
	// Address is where people get a file of the chat of a call; nil is not told.
	Address func(call *tool.Call, path string) string
}

// New makes the tool's runner.
func New(python Python, o Options) tool.Runner { return &runner{python, o} }

type runner struct {
	python  Python
	options Options
}

// Run runs the program of a call. A program that fails is a failed call whose error
// has all that the program left behind.
func (r *runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	job, err := r.job(ctx, in)
	if err != nil {
		return tool.Output{}, err
	}
	began := time.Now()
	ran, err := r.python.Run(ctx, turn(in.Call), job)
	a := answer{ran: &ran, took: time.Since(began), limits: &r.options.Limits}
	if ran.Reply.Ran > 0 {
		a.took = ran.Reply.Ran
	}
	// What the program has made is not lost because its caller left.
	r.keep(context.WithoutCancel(ctx), in.Call, &a)
	if err != nil {
		return tool.Output{}, a.cutShort(err)
	}
	return a.result()
}

// job is what the arguments ask for.
func (r *runner) job(ctx context.Context, in tool.Input) (*wire.Job, error) {
	code, ok := in.Args["code"].(string)
	if !ok || len(code) > MaxCode*4 {
		return nil, tool.Errorf(tool.InvalidArgs, `"code" has to be a text of at most %d characters`, MaxCode)
	}
	job := &wire.Job{Code: code, Limits: wire.Limits{
		Value: r.options.Limits.Value, Artifacts: r.options.Limits.Artifacts, Bytes: r.options.Limits.Written,
	}}
	var err error
	if job.Dependencies, err = texts(in.Args, "dependencies", MaxDependencies); err != nil {
		return nil, err
	}
	paths, err := texts(in.Args, "files", MaxFiles)
	if err != nil {
		return nil, err
	}
	job.Files, err = r.read(ctx, in.Call, paths)
	return job, err
}

// texts are a list of texts among the arguments; nil where it is not there.
func texts(args map[string]any, name string, most int) ([]string, error) {
	if args[name] == nil {
		return nil, nil
	}
	wrong := tool.Errorf(tool.InvalidArgs, "%q has to be a list of at most %d texts", name, most)
	list, ok := args[name].([]any)
	if !ok || len(list) > most {
		return nil, wrong
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, wrong
		}
		out = append(out, text)
	}
	return out, nil
}

// asTool is an error of an interface of this package, which should be one already.
func asTool(err error) *tool.Error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		own := *e
		return &own
	}
	return tool.AsError(err)
}

// turn names who takes turns with others: a caller, and of those whom nobody has
// authenticated, who are all one, a chat. Of others it is not: whoever names many chats
// would have many turns.
func turn(c *tool.Call) string {
	if c.Caller.ID == tool.Anonymous {
		return tool.Anonymous + " " + c.Chat.ID
	}
	return c.Caller.ID
}
