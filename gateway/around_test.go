package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/admission"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/handle"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// with is a gateway of one tool "t", without policy.
func with(t *testing.T, log gateway.Log, spec tool.Spec, run runnerFunc, opts gateway.Options) *gateway.Gateway {
	t.Helper()
	spec.Name, spec.Parameters = "t", json.RawMessage(`{"type":"object"}`)
	spec.Timeout, spec.MaxOutput = 5*time.Second, 1<<20
	entries := []*registry.Entry{{Spec: &spec, Runner: run}}
	if opts.Results != nil {
		reader, runner := result.NewTool(opts.Results)
		entries = append(entries, &registry.Entry{Spec: reader, Runner: runner})
	}
	for _, e := range entries {
		s, err := schema.Compile(e.Spec.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		e.Schema = s
	}
	tools, err := registry.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	return gateway.New(&gateway.Generation{Tools: tools, Masker: secret.NewMasker(secret.NewValue("hunter2"))}, log, opts)
}

// stuck runs until its context is over.
func stuck(ctx context.Context, _ tool.Input) (tool.Output, error) {
	<-ctx.Done()
	return tool.Output{}, tool.Ended(ctx)
}

// TestAdmission: a call that finds no place is refused at once, recorded, and
// not run.
func TestAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		g := with(t, log, tool.Spec{}, stuck, gateway.Options{Admission: admission.Options{Running: 1, Waiting: 1}})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 2 { // one runs, one waits
			all.Go(func() { g.Call(ctx, call("t", "")) })
		}
		synctest.Wait()
		got := g.Call(t.Context(), call("t", ""))
		if got.Error == nil || got.Error.Code != tool.Overloaded || !got.Error.Retryable || got.Error.RetryAfter <= 0 || got.Error.Tool != "t" {
			t.Errorf("got %+v", got.Error)
		}
		cancel()
		all.Wait()
		if len(log.starts) != 1 || len(log.ends) != 3 {
			t.Errorf("%d starts and %d ends, want 1 and 3", len(log.starts), len(log.ends))
		}
		if running, waiting := g.Admitted(); running+waiting != 0 {
			t.Errorf("%d run and %d wait after all", running, waiting)
		}
	})
}

func TestExclusive(t *testing.T) {
	t.Parallel()
	var at, most atomic.Int64
	g := with(t, &memoryLog{}, tool.Spec{Exclusive: "door", ConcurrencySafe: true}, func(context.Context, tool.Input) (tool.Output, error) {
		most.Store(max(most.Load(), at.Add(1)))
		time.Sleep(time.Millisecond)
		at.Add(-1)
		return tool.TextOutput("done"), nil
	}, gateway.Options{})
	calls := make([]tool.Call, 16)
	for i := range calls {
		calls[i] = call("t", "")
	}
	results, err := g.Batch(t.Context(), calls, batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Error != nil {
			t.Error(r.Error)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d ran at a time", most.Load())
	}
}

// TestRetries: a failure that may pass is tried again, and the record says so.
func TestRetries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		retries int
		fails   int
		runs    int
		notes   []string
	}{
		{name: "passes", retries: 2, fails: 2, runs: 3, notes: []string{"tried again 2 times"}},
		{name: "once", retries: 2, fails: 1, runs: 2, notes: []string{"tried again once"}},
		{name: "does not pass", retries: 1, fails: 9, runs: 2, notes: []string{"tried again once"}},
		{name: "none", fails: 9, runs: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			log, runs := &memoryLog{}, 0
			g := with(t, log, tool.Spec{Retries: tt.retries, Tags: []string{tool.TagReadOnly}}, func(context.Context, tool.Input) (tool.Output, error) {
				if runs++; runs <= tt.fails {
					e := tool.Errorf(tool.UpstreamUnavailable, "not yet")
					e.Retryable = true
					return tool.Output{}, e
				}
				return tool.TextOutput("done"), nil
			}, gateway.Options{})
			got := g.Call(t.Context(), call("t", ""))
			if runs != tt.runs || (got.Error == nil) != (tt.fails <= tt.retries) {
				t.Errorf("%s: %d runs, %v", tt.name, runs, got.Error)
			}
			if d := cmp.Diff(tt.notes, slices.Concat(log.ends[0].Notes)); d != "" { // nil where there are none
				t.Errorf("%s: %s", tt.name, d)
			}
		})
	}
}

// TestWarningsOfATool: what a tool says to whoever runs the gateway is recorded
// and logged without secrets, and goes nowhere else.
func TestWarningsOfATool(t *testing.T) {
	t.Parallel()
	for _, notes := range [][]string{nil, {"the answer is odd: hunter2", "and long"}} {
		log, lines := &memoryLog{}, bytes.Buffer{}
		g := with(t, log, tool.Spec{}, func(context.Context, tool.Input) (tool.Output, error) {
			out := tool.TextOutput("done")
			out.Notes = notes
			return out, nil
		}, gateway.Options{Logger: slog.New(slog.NewJSONHandler(&lines, nil))})
		got := g.Call(t.Context(), call("t", ""))
		if got.Error != nil || got.Output.Text() != "done" || got.Output.Notes != nil {
			t.Errorf("got %+v", got)
		}
		if notes == nil {
			if len(log.ends[0].Notes) > 0 || !strings.Contains(lines.String(), `"level":"INFO"`) {
				t.Errorf("%q, %s", log.ends[0].Notes, lines.String())
			}
			continue
		}
		if d := cmp.Diff([]string{"the answer is odd: [secret]", "and long"}, log.ends[0].Notes); d != "" {
			t.Error(d)
		}
		for _, part := range []string{`"level":"WARN"`, `"notes":"the answer is odd: [secret]; and long"`} {
			if !strings.Contains(lines.String(), part) {
				t.Errorf("%s lacks %s", lines.String(), part)
			}
		}
	}
}

// TestPanicOfATool fails its call, gives its place back, and nothing else.
func TestPanicOfATool(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := with(t, log, tool.Spec{Exclusive: "x"}, func(context.Context, tool.Input) (tool.Output, error) { panic("hunter2") }, gateway.Options{})
	for range 3 {
		got := g.Call(t.Context(), call("t", ""))
		if got.Error == nil || got.Error.Code != tool.Internal || strings.Contains(got.Error.Error(), "hunter2") || !strings.Contains(got.Error.Error(), "panic in the tool") {
			t.Errorf("got %v", got.Error)
		}
	}
	if running, _ := g.Admitted(); running != 0 || len(log.ends) != 3 {
		t.Errorf("%d places are taken, %d ends", running, len(log.ends))
	}
}

func TestNoop(t *testing.T) {
	t.Parallel()
	g := with(t, &memoryLog{}, tool.Spec{}, func(context.Context, tool.Input) (tool.Output, error) {
		out := tool.TextOutput("nothing found")
		out.Noop = true
		return out, nil
	}, gateway.Options{})
	if got := g.Call(t.Context(), call("t", "")); got.Status != tool.StatusNoop || got.Error != nil {
		t.Errorf("got %+v", got)
	}
}

// TestLargeResult: what is too large to show is cut, kept without secrets, and
// read on by whoever made the call.
func TestLargeResult(t *testing.T) {
	t.Parallel()
	folder, err := result.OpenFolder(filepath.Join(t.TempDir(), "kept"), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Repeat("a line of text with hunter2 in it\n", 5000)
	masked := strings.ReplaceAll(whole, "hunter2", "[secret]")
	g := with(t, &memoryLog{}, tool.Spec{MaxResultSize: 2000}, func(context.Context, tool.Input) (tool.Output, error) {
		return tool.TextOutput(whole), nil
	}, gateway.Options{Results: folder})
	first := g.Call(t.Context(), call("t", ""))
	shown := first.Output.Text()
	if n := len([]rune(shown)); n > 2000 || strings.Contains(shown, "hunter2") {
		t.Fatalf("%d characters are shown: %s", n, shown)
	}
	_, rest, ok := strings.Cut(shown, `"handle": "`)
	if !ok {
		t.Fatalf("no handle in %s", shown)
	}
	kept, _, _ := strings.Cut(rest, `"`)
	var got strings.Builder
	for got.Len() < len(masked) {
		args, _ := json.Marshal(map[string]any{"handle": kept, "offset": got.Len()})
		page := g.Call(t.Context(), call(result.ToolName, string(args)))
		if page.Error != nil || len(page.Output.Content) != 2 {
			t.Fatalf("at %d: %v", got.Len(), page.Output.Text())
		}
		got.WriteString(page.Output.Content[1].Text)
	}
	if got.String() != masked {
		t.Error("the pages are not the whole")
	}
	foreign := call(result.ToolName, `{"handle": "`+kept+`"}`)
	foreign.Caller = tool.Caller{ID: "eve", Name: "eve"}
	if page := g.Call(t.Context(), foreign); page.Error == nil || strings.Contains(page.Output.Text(), "a line") {
		t.Errorf("another caller reads %s", page.Output.Text())
	}
}

// TestStartedCall: a call goes on when its asker is gone, tells how far it is,
// without secrets, and ends with the gateway.
func TestStartedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		g := with(t, log, tool.Spec{}, func(ctx context.Context, in tool.Input) (tool.Output, error) {
			tool.Progress(ctx, tool.Step{Done: 1, Total: 3, Message: "hunter2 is read"})
			return stuck(ctx, in)
		}, gateway.Options{Handles: handle.Options{Keep: time.Minute}})
		ctx, cancel := context.WithCancel(t.Context())
		begun, err := g.Handles().Start(ctx, call("t", ""))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		ann := tool.Caller{ID: "ann"}
		now, ok := g.Handles().Status(ann, begun.ID)
		if !ok || now.State != handle.Running || now.Progress == nil || now.Progress.Message != "[secret] is read" {
			t.Errorf("got %+v", now)
		}
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		now, _ = g.Handles().Status(ann, begun.ID)
		if now.Result == nil || now.Result.Error == nil || now.Result.Error.Code != tool.Interrupted {
			t.Errorf("got %+v", now)
		}
		if len(log.ends) != 1 || log.ends[0].Code != tool.Interrupted || log.ends[0].CallID != begun.ID {
			t.Errorf("recorded %+v", log.ends)
		}
	})
}

// TestBatchIsRecorded: the calls of a batch that were not started are in the
// record too.
func TestBatchIsRecorded(t *testing.T) {
	t.Parallel()
	log := &memoryLog{}
	g := with(t, log, tool.Spec{}, func(context.Context, tool.Input) (tool.Output, error) {
		return tool.Output{}, errors.New("broken")
	}, gateway.Options{})
	results, err := g.Batch(t.Context(), []tool.Call{call("t", ""), call("t", ""), call("none", "")}, batch.Options{StopOn: batch.StopError})
	if err != nil {
		t.Fatal(err)
	}
	var codes []tool.Code
	for i, r := range results {
		codes = append(codes, r.Error.Code)
		if rec := log.ends[i]; rec.Code != r.Error.Code || rec.Via != tool.ViaBatch {
			t.Errorf("recorded %+v of %v", rec, r.Error)
		}
	}
	if d := cmp.Diff([]tool.Code{tool.Internal, tool.Cancelled, tool.Cancelled}, codes); d != "" {
		t.Error(d)
	}
	if len(log.starts) != 1 {
		t.Errorf("%d were started", len(log.starts))
	}
}

// TestOnceWhatMayHaveActed: a call that was given up while its tool ran is not
// run again under the same id, unless the tool changes nothing.
func TestOnceWhatMayHaveActed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tags []string
		runs int64
	}{{nil, 1}, {[]string{tool.TagReadOnly}, 2}} {
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int64
			g := with(t, &memoryLog{}, tool.Spec{Tags: tt.tags}, func(ctx context.Context, in tool.Input) (tool.Output, error) {
				if runs.Add(1) == 1 {
					return stuck(ctx, in)
				}
				return tool.TextOutput("done"), nil
			}, gateway.Options{})
			key := handle.Key{Caller: "ann", Chat: "c", ID: "call_1"}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, _, err := g.Handles().Once(ctx, key, call("t", "")); err != nil {
				t.Fatal(err)
			}
			second, replayed, err := g.Handles().Once(t.Context(), key, call("t", ""))
			if err != nil || runs.Load() != tt.runs || replayed != (tt.runs == 1) || (second.Error != nil) != replayed {
				t.Errorf("%v: %d runs, %+v, %v", tt.tags, runs.Load(), second.Error, err)
			}
		})
	}
}
