package tool_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestProgress(t *testing.T) {
	tool.Progress(t.Context(), tool.Step{Done: 1}) // nobody listens
	var outer, inner []tool.Step
	ctx := tool.WithProgress(t.Context(), func(s tool.Step) { outer = append(outer, s) })
	tool.Progress(ctx, tool.Step{Done: 1, Total: 2, Message: "first"})
	within, cancel := context.WithCancel(ctx)
	tool.Progress(within, tool.Step{Done: 2})
	cancel()
	tool.Progress(within, tool.Step{Done: 3}) // the end of a context does not keep steps back
	tool.Progress(tool.WithProgress(ctx, func(s tool.Step) { inner = append(inner, s) }), tool.Step{Done: 4})
	if diff := cmp.Diff([]tool.Step{{Done: 1, Total: 2, Message: "first"}, {Done: 2}, {Done: 3}}, outer); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]tool.Step{{Done: 4}}, inner); diff != "" {
		t.Errorf("the nearest listener: (-want +got)\n%s", diff)
	}
}
