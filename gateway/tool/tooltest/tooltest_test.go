package tooltest

import (
	"context"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// runner is a runner in a function.
type runner func(ctx context.Context, in tool.Input) (tool.Output, error)

func (r runner) Run(ctx context.Context, in tool.Input) (tool.Output, error) { return r(ctx, in) }

// TestRun is the suite on the smallest runners that keep their promises.
func TestRun(t *testing.T) {
	var sent int64
	backend := func(r runner) Backend { return func(*testing.T) tool.Runner { return r } }
	Run(t, Subject{
		Echo: backend(func(ctx context.Context, in tool.Input) (tool.Output, error) {
			if ctx.Err() != nil {
				return tool.Output{}, tool.Ended(ctx)
			}
			text, _ := in.Args["text"].(string)
			return tool.TextOutput(text), nil
		}),
		Stuck: backend(func(ctx context.Context, _ tool.Input) (tool.Output, error) {
			<-ctx.Done()
			return tool.Output{}, tool.Ended(ctx)
		}),
		Flood: backend(func(_ context.Context, in tool.Input) (tool.Output, error) {
			sent = in.Spec.MaxOutput + 1
			return tool.Output{}, tool.Errorf(tool.TooLarge, "there is no end to it")
		}),
		Broken: backend(func(context.Context, tool.Input) (tool.Output, error) {
			return tool.Output{}, tool.Errorf(tool.UpstreamUnavailable, "nobody is there")
		}),
		BrokenCode: tool.UpstreamUnavailable,
		Sent:       func() int64 { return sent },
		Slack:      1,
	})
}
