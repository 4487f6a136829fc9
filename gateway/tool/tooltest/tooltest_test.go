package tooltest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// runner is a runner in a function.
type runner func(ctx context.Context, in tool.Input) (tool.Output, error)

func (r runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) { return r(ctx, in) }

func backend(r runner) Backend { return func(*testing.T) tool.Runner { return r } }

func echo(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	text, _ := in.Args["text"].(string)
	return tool.TextOutput(text), nil
}

func wait(ctx context.Context, _ tool.Input) (tool.Output, error) {
	<-ctx.Done()
	return tool.Output{}, tool.Ended(ctx)
}

// good is the smallest subject that keeps every promise.
func good() Subject {
	var sent int64
	return Subject{
		Echo: backend(echo), Stuck: backend(wait), Stalled: backend(wait),
		Flood: backend(func(_ context.Context, in tool.Input) (tool.Output, error) {
			sent = in.Spec.MaxOutput + 1
			return tool.Output{}, tool.Errorf(tool.TooLarge, "there is no end to it")
		}),
		Broken: backend(func(context.Context, tool.Input) (tool.Output, error) {
			return tool.Output{}, tool.Errorf(tool.UpstreamUnavailable, "nobody is there")
		}),
		Blocks: backend(func(context.Context, tool.Input) (tool.Output, error) {
			return tool.RenderJSON([]byte(BlocksJSON), tool.OutputContent)
		}),
		Binary: func(data []byte) Backend {
			return backend(func(context.Context, tool.Input) (tool.Output, error) {
				return tool.RenderBytes(data, "", tool.OutputAuto)
			})
		},
		Steps: backend(func(ctx context.Context, _ tool.Input) (tool.Output, error) {
			tool.Progress(ctx, tool.Step{Done: 1, Total: 2})
			tool.Progress(ctx, tool.Step{Done: 2, Total: 2})
			return tool.Output{}, nil
		}),
		BrokenCode: tool.UpstreamUnavailable,
		Sent:       func() int64 { return sent },
		Slack:      1,
	}
}

func TestRun(t *testing.T) { Run(t, good()) }

// bad are subjects that break one promise each, by the check that finds it.
var bad = map[string]func(*Subject){
	"answers": func(s *Subject) {
		s.Echo = backend(func(context.Context, tool.Input) (tool.Output, error) { return tool.TextOutput("same"), nil })
	},
	"keeps its callers apart when some give up": func(s *Subject) {
		var last atomic.Value
		last.Store("")
		s.Echo = backend(func(ctx context.Context, in tool.Input) (tool.Output, error) {
			last.Store(in.Args["text"])
			time.Sleep(time.Millisecond)
			in.Args = map[string]any{"text": last.Load()}
			return echo(ctx, in)
		})
	},
	"leaves its input alone": func(s *Subject) {
		s.Echo = backend(func(ctx context.Context, in tool.Input) (tool.Output, error) {
			if list, ok := in.Args["text"].([]any); ok && len(list) > 4 {
				list[4].(map[string]any)["c"] = "changed"
			}
			return echo(ctx, in)
		})
	},
	"words what it cannot use": func(s *Subject) {
		s.Echo = backend(func(ctx context.Context, in tool.Input) (tool.Output, error) {
			return tool.TextOutput(in.Args["text"].(string)), nil // a panic for what is no text
		})
	},
	"does not start once its context is over": func(s *Subject) {
		s.Echo = backend(func(_ context.Context, in tool.Input) (tool.Output, error) { return echo(context.Background(), in) })
	},
	"ends for the reason given while the answer comes": func(s *Subject) {
		s.Stalled = backend(func(ctx context.Context, _ tool.Input) (tool.Output, error) {
			<-ctx.Done()
			return tool.Output{}, tool.Errorf(tool.Cancelled, "whatever the reason")
		})
	},
	"stops reading at its cap": func(s *Subject) { s.Sent = func() int64 { return MaxOutput + 2 } },
	"words a broken backend": func(s *Subject) {
		s.Broken = backend(func(context.Context, tool.Input) (tool.Output, error) { return tool.Output{}, os.ErrClosed })
	},
	"shows content blocks": func(s *Subject) {
		s.Blocks = backend(func(context.Context, tool.Input) (tool.Output, error) { return tool.TextOutput(BlocksJSON), nil })
	},
	"keeps bytes of no known kind": func(s *Subject) {
		s.Binary = func(data []byte) Backend {
			return backend(func(context.Context, tool.Input) (tool.Output, error) {
				return tool.Output{Content: []tool.Content{{Type: tool.ContentImage, Data: data, MIMEType: "image/png"}}}, nil
			})
		}
	},
	"reports its steps in order": func(s *Subject) {
		s.Steps = backend(func(ctx context.Context, _ tool.Input) (tool.Output, error) {
			tool.Progress(ctx, tool.Step{Done: 1})
			time.AfterFunc(early, func() { tool.Progress(ctx, tool.Step{Done: 2}) })
			return tool.Output{}, nil
		})
	},
}

// checkBad names the bad subject that a test process is to check.
const checkBad = "TOOLTEST_BAD"

// TestBad is the process of TestFinds: it fails there, and has nothing to check
// elsewhere.
func TestBad(t *testing.T) {
	if spoil, ok := bad[os.Getenv(checkBad)]; ok {
		s := good()
		spoil(&s)
		Run(t, s)
	}
}

// TestFinds runs each bad subject in a process of its own, where its test
// may fail.
func TestFinds(t *testing.T) {
	for name := range bad {
		t.Run(name, func(t *testing.T) {
			check := strings.ReplaceAll(name, " ", "_")
			cmd := exec.Command(os.Args[0], "-test.run=^TestBad$/^"+check+"$")
			cmd.Env = append(os.Environ(), checkBad+"="+name)
			out, err := cmd.CombinedOutput()
			want := "--- FAIL: TestBad/" + check + " "
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("got %v, want %q in\n%s", err, want, out)
			}
		})
	}
}

// TestWhatIsHeld opens a file and starts a process and looks whether they are
// seen, where the system lets them be seen.
func TestWhatIsHeld(t *testing.T) {
	before := look(t)
	if before.files < 0 {
		return // no /proc
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if got := look(t); got.files <= before.files || len(got.children) != len(before.children)+1 {
		t.Errorf("got %d files and the children %v, before there were %d and %v", got.files, got.children, before.files, before.children)
	}
}
