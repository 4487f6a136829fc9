package reload_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// saying is a tool of the program that answers with a text.
type saying string

func (s saying) Run(context.Context, tool.Input) (tool.Output, error) {
	return tool.TextOutput(string(s)), nil
}

func brought(name string) *tool.Tool {
	return &tool.Tool{Spec: tool.Spec{Name: name, Description: "Says " + name + "."}, Runner: saying(name)}
}

// TestRegister: tools of the program come in, stay over reloads and go again.
func TestRegister(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	undo, err := h.r.Register(t.Context(), brought("two"), brought("three"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(step, tools, answer string, told int) {
		t.Helper()
		if got := h.tools(); got != tools {
			t.Errorf("%s: %s", step, got)
		}
		if got := h.answer("two"); got != answer {
			t.Errorf("%s: %s", step, got)
		}
		if h.changed != told {
			t.Errorf("%s: told %d times", step, h.changed)
		}
	}
	const all, gone = "read_result one three two", "Error: no tool is named \"two\"\nCall one of the tools in your tool list by its exact name."
	check("registered", all, "two", 1)
	h.write(map[string]string{"tools.yaml": "not: valid\n"})
	h.reload()
	check("a broken file", all, "two", 1)
	h.write(tools("  uno: {description: Uno., expr: '1'}\n"))
	h.reload()
	check("another file", "read_result three two uno", "two", 2)
	h.write(tools("  Two: {description: Uno., expr: '1'}\n"))
	if got := h.reload(); got != "tool two of the program: models confuse this name with that of tools.Two at tools.yaml:4:3 (rename one of them)" {
		t.Error(got)
	}
	undo()
	check("undone", "read_result uno", gone, 3)
	undo()
	h.reload()
	check("the file that collided", "read_result Two", "Error: no tool is named \"two\"\nDid you mean \"Two\"? Tool names must match exactly.", 4)
}

// TestRegisterRaced: 50 callers register tools of their own, some more all want one
// name, everybody lists and calls, and the file is reloaded in between. Nobody sees half
// of anything, and in the end all is as it was.
func TestRegisterRaced(t *testing.T) {
	t.Parallel()
	const callers, rounds, rivals = 50, 4, 8
	h := opened(t, tools(one))
	leaving := make([]atomic.Bool, callers*rounds)
	var work, around sync.WaitGroup
	done := make(chan struct{})
	for i := range callers {
		work.Go(func() {
			for round := range rounds {
				n := i*rounds + round
				first, second := fmt.Sprintf("own_%d", n), fmt.Sprintf("twin_%d", n)
				undo, err := h.r.Register(t.Context(), brought(first), brought(second))
				if err != nil {
					t.Error(err)
					return
				}
				if listed := " " + h.tools() + " "; !strings.Contains(listed, " "+first+" ") || !strings.Contains(listed, " "+second+" ") {
					t.Errorf("%s is registered and not listed", first)
				}
				if got := h.answer(first) + h.answer(second); got != first+second {
					t.Errorf("%s is registered and answers %q", first, got)
				}
				leaving[n].Store(true)
				undo()
				if got := h.answer(first); !strings.Contains(got, "no tool is named") {
					t.Errorf("%s is gone and answers %q", first, got)
				}
				go undo()
			}
		})
	}
	var won atomic.Int64
	work.Go(func() { h.contest(rivals, rounds, &won) })
	work.Go(func() {
		for v := range rounds {
			h.write(tools(fmt.Sprintf("  one: {description: One in version %d., expr: '1'}\n", v)))
			if got := h.reload(); !strings.Contains(got, `"one":["description"]`) || strings.Contains(got, "added") {
				t.Error("reloaded:", got)
			}
		}
		h.write(tools(one))
		h.reload()
	})
	for range 4 {
		around.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					h.callListed(leaving)
				}
			}
		})
	}
	work.Wait()
	close(done)
	around.Wait()
	if got := h.tools(); got != "read_result one" {
		t.Error(got)
	}
	if won.Load() != rounds {
		t.Error(won.Load(), "won")
	}
	if n := h.r.Open(); n != 1 {
		t.Error(n, "generations are open")
	}
}

// contest lets some register tools of one name, again and again.
func (h *house) contest(rivals, rounds int, won *atomic.Int64) {
	for range rounds {
		var work sync.WaitGroup
		undos := make(chan func(), rivals)
		for range rivals {
			work.Go(func() {
				undo, err := h.r.Register(h.t.Context(), brought("same"))
				switch {
				case err == nil:
					won.Add(1)
					undos <- undo
				case err.Error() != "tool same of the program: models confuse this name with that of another tool of the program, same (rename one of them)":
					h.t.Error(err)
				}
			})
		}
		work.Wait()
		close(undos)
		for undo := range undos {
			undo()
		}
	}
}

// callListed calls everything that is listed. What cannot be called was listed before
// its undo began.
func (h *house) callListed(leaving []atomic.Bool) {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(h.tools()) {
		names[name] = true
	}
	for name := range names {
		var n int
		if _, err := fmt.Sscanf(name, "own_%d", &n); err != nil {
			continue
		}
		if got := h.answer(name); got != name && !leaving[n].Load() {
			h.t.Errorf("%s is listed and answers %q", name, got)
		}
		if twin := fmt.Sprintf("twin_%d", n); !names[twin] {
			h.t.Errorf("%s is listed without the other one", name)
		}
	}
}

// waiting is a tool of the program that runs until it may end.
type waiting struct{ began, end chan struct{} }

func (w waiting) Run(context.Context, tool.Input) (tool.Output, error) {
	close(w.began)
	<-w.end
	return tool.TextOutput("finished"), nil
}

// TestUndo: a call under way finishes, tests and searches that name the tool keep
// nothing, and after the end there is nothing to do.
func TestUndo(t *testing.T) {
	t.Parallel()
	h := opened(t, map[string]string{"tools.yaml": head + "tools:\n" + one + `policy:
  rules: [{name: some, tools: [slow], when: args.n == 1, action: deny}, {name: all, tools: ["*"], action: allow}]
`})
	w := waiting{make(chan struct{}), make(chan struct{})}
	slow := brought("slow")
	slow.Runner, slow.Spec.Parameters = w, []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	undo, err := h.r.Register(t.Context(), slow)
	if err != nil {
		t.Fatal(err)
	}
	slow.Spec.Name, slow.Runner = "other", nil // it is the program's
	named := `  tests: [{name: slow, call: slow, args: {n: 1}, expect: deny}, {name: one, call: one, expect: allow}]
discovery: {golden: [{query: slow, expect: slow}]}
`
	h.write(map[string]string{"tools.yaml": head + "tools:\n" + one + `policy:
  rules: [{name: some, tools: [slow], when: args.n == 1, action: deny}, {name: all, tools: ["*"], action: allow}]
` + named})
	if got := h.reload(); strings.Contains(got, "no tool") {
		t.Error(got)
	}
	answer := make(chan string)
	go func() { answer <- h.answer("slow") }()
	<-w.began
	undo()
	h.log.taken()
	if got := h.reload(); !strings.Contains(got, `"generation"`) {
		t.Error("without the tool:", got)
	}
	if log := h.log.taken(); strings.Count(log, "no tool is named") != 2 {
		t.Error(log)
	}
	close(w.end)
	if got := <-answer; got != "finished" {
		t.Error(got)
	}
	last, err := h.r.Register(t.Context(), brought("last"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("no time"))
	if undo, err := h.r.Register(ctx, brought("late")); err == nil {
		undo() // its turn may come all the same
	} else if err.Error() != "no time" {
		t.Error(err)
	}
	if undo, err := h.r.Register(t.Context()); err != nil {
		t.Error(err)
	} else {
		undo()
	}
	if err := h.r.Close(); err != nil {
		t.Error(err)
	}
	last()
	undo()
	if _, err := h.r.Register(t.Context(), brought("late")); err == nil || err.Error() != "the gateway is closed" {
		t.Error(err)
	}
}
