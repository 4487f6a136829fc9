package gateway_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/tool"
)

// printed is what a tool had answered when it failed.
func printed(text string) tool.Output {
	out := tool.TextOutput(text)
	out.Content = append(out.Content, tool.Content{Type: tool.ContentImage, MIMEType: "image/png", Data: []byte("png")})
	out.Structured = json.RawMessage(`{"stdout":"hunter2"}`)
	return out
}

// TestPartialOutput has tools that fail after they have answered something: nothing of
// that is lost, and it is masked, fitted and recorded like any answer.
func TestPartialOutput(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		printed string
		want    string // the first block
	}{
		{"as it is", "one\ntwo hunter2", "Error: the program raised [secret]\nMend it.\n\none\ntwo [secret]"},
		{"too long to show", strings.Repeat("line\n", 10_000), "are left out"},
		{"nothing", "", "Error: the program raised [secret]\nMend it."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			log := &memoryLog{}
			g := house(t, log, map[string]runnerFunc{"pay": func(context.Context, tool.Input) (tool.Output, error) {
				return tool.Output{}, tool.Errorf(tool.UpstreamError, "the program raised hunter2").WithHint("Mend it.").With(printed(c.printed))
			}})
			r := g.Call(t.Context(), call("pay", `{"amount":1}`))
			if r.Status != tool.StatusError || r.Error.Code != tool.UpstreamError || r.Error.Output != nil {
				t.Errorf("got %+v", r)
			}
			if n := len(r.Output.Content); n != 2 || !strings.Contains(r.Output.Content[0].Text, c.want) || r.Output.Content[1].Type != tool.ContentImage {
				t.Errorf("got %d blocks, the first is %.200q", n, r.Output.Content[0].Text)
			}
			if n := len(r.Output.Content[0].Text); n > tool.DefaultMaxResultSize+1000 {
				t.Errorf("%d characters are shown", n)
			}
			if strings.Contains(string(r.Output.Structured), "hunter2") {
				t.Errorf("a secret is in %s", r.Output.Structured)
			}
			if rec := log.ends[0]; rec.Error != "the program raised [secret]" || !strings.Contains(rec.Result, c.want) {
				t.Errorf("recorded %q and %.100q", rec.Error, rec.Result)
			}
		})
	}
}

// TestPartialOutputOfSlow has a tool that used up its time and says what there is.
func TestPartialOutputOfSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := house(t, &memoryLog{}, map[string]runnerFunc{"pay": func(ctx context.Context, _ tool.Input) (tool.Output, error) {
			<-ctx.Done()
			return tool.Output{}, tool.Ended(ctx).With(tool.TextOutput("so far"))
		}})
		r := g.Call(t.Context(), call("pay", `{"amount":1}`))
		if want := "\n\nso far"; r.Error.Code != tool.Timeout || !strings.HasSuffix(r.Output.Text(), want) {
			t.Errorf("got %q, want it to end in %q", r.Output.Text(), want)
		}
		time.Sleep(time.Second)
	})
}

// TestPartialOutputGuarded has a hook that withholds results by what is in them.
func TestPartialOutputGuarded(t *testing.T) {
	t.Parallel()
	guard := hook.AfterConfig{Name: "guard", Refuse: new("Not to be shown."), When: new(`result.text contains "card"`)}
	run := runnerFunc(func(context.Context, tool.Input) (tool.Output, error) {
		return tool.Output{}, tool.Errorf(tool.UpstreamError, "it broke").With(tool.TextOutput("the card is 4711"))
	})
	g := maskedHouse(t, &memoryLog{}, "token", run, slog.New(slog.DiscardHandler), guard)
	r := g.Call(t.Context(), call("say", `{}`))
	if r.Error == nil || r.Error.Code != tool.Denied || strings.Contains(r.Output.Text(), "4711") {
		t.Errorf("got %q", r.Output.Text())
	}
}
