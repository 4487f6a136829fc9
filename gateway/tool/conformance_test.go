package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/gateway/tool/tooltest"
)

type textIn struct {
	Text any `json:"text,omitempty"`
}

// TestConformance holds functions against what is true of every runner.
func TestConformance(t *testing.T) {
	backend := func(run func(context.Context, textIn) (any, error)) tooltest.Backend {
		return func(t *testing.T) tool.Runner {
			made := tool.Func("subject", "Is tried.", run)
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			return made.Runner
		}
	}
	tooltest.Run(t, tooltest.Subject{
		Echo: backend(func(_ context.Context, in textIn) (any, error) { return in.Text, nil }),
		Stuck: backend(func(ctx context.Context, _ textIn) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		Flood:  backend(func(context.Context, textIn) (any, error) { return strings.Repeat("flood", tooltest.MaxOutput), nil }),
		Broken: backend(func(context.Context, textIn) (any, error) { return nil, tool.Failf("broken") }),
		Binary: func(data []byte) tooltest.Backend {
			return backend(func(context.Context, textIn) (any, error) { return data, nil })
		},
		Steps: backend(func(ctx context.Context, _ textIn) (any, error) {
			tool.Progress(ctx, tool.Step{Done: 1, Total: 2})
			tool.Progress(ctx, tool.Step{Done: 2, Total: 2})
			return "done", nil
		}),
		BrokenCode: tool.UpstreamError,
	})
	tooltest.Run(t, tooltest.Subject{Echo: func(t *testing.T) tool.Runner {
		made := tool.Methods(echoes{}, tool.Doc("Echo", "Echoes."))[0]
		if made.Err != nil {
			t.Fatal(made.Err)
		}
		return made.Runner
	}})
}

type echoes struct{}

func (echoes) Echo(_ context.Context, in textIn) any { return in.Text }
