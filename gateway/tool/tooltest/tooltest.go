package tooltest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// MaxOutput is the cap under which every run of the suite happens, in bytes.
	MaxOutput = 64 << 10

	patience = time.Second           // within which a run has to end with its context
	early    = 50 * time.Millisecond // when a run's context ends
	callers  = 16                    // that run a tool at once
	rounds   = 8                     // runs of each of them
)

// Backend makes a runner together with the backend it needs, and cleans up
// after itself with t.Cleanup.
type Backend func(t *testing.T) tool.Runner

// Subject is one kind of runner. A Backend that a kind cannot have is nil, and
// its checks are left out; Echo is always needed.
type Subject struct {
	Echo    Backend // answers with the argument "text"
	Stuck   Backend // never answers
	Stalled Backend // sends a first part of its answer and never the rest
	Flood   Backend // answers without end
	Broken  Backend // fails every call with BrokenCode
	// Blocks answers, with the output mode "content", with the blocks that
	// [BlocksJSON] holds.
	Blocks Backend
	// Binary makes a backend that answers with the bytes, under the output mode
	// "auto" and without saying of what kind they are.
	Binary func(data []byte) Backend
	// Steps reports at least two steps of its progress and then answers.
	Steps Backend

	BrokenCode tool.Code
	// Sent tells how many bytes of the last Flood were taken from its backend.
	// A runner may take up to Slack bytes more than its cap: what fits in the
	// buffers between the two.
	Sent  func() int64
	Slack int64
}

// Run checks everything that the subject can be checked for. No goroutine, no
// file and no child process may be left over when a check has ended and cleaned
// up, so nothing else may open or start any meanwhile: a test that calls Run,
// and those beside it, are not parallel.
func Run(t *testing.T, s Subject) {
	try(t, "answers", s.Echo, answers)
	try(t, "is safe for concurrent use", s.Echo, concurrent)
	try(t, "keeps its callers apart when some give up", s.Echo, impatient)
	try(t, "leaves its input alone", s.Echo, untouched)
	try(t, "words what it cannot use", s.Echo, odd)
	try(t, "does not start once its context is over", s.Echo, over)
	for _, w := range ways {
		try(t, w.name, s.Stuck, ends(w))
		try(t, w.name+" while the answer comes", s.Stalled, ends(w))
	}
	try(t, "stops reading at its cap", s.Flood, s.stops)
	try(t, "words a broken backend", s.Broken, s.fails)
	try(t, "shows content blocks", s.Blocks, blocks)
	if s.Binary != nil {
		try(t, "shows an image as one", s.Binary(image), shows(tool.Content{Type: tool.ContentImage, Data: image, MIMEType: "image/png"}))
		try(t, "keeps bytes of no known kind", s.Binary(unknown), shows(tool.Content{Type: tool.ContentResource, Data: unknown}))
	}
	try(t, "reports its steps in order", s.Steps, steps)
}

// try makes the runner, runs one check on it, and looks for what is left over
// after everything was cleaned up.
func try(t *testing.T, name string, b Backend, check func(*testing.T, tool.Runner)) {
	if b == nil {
		return
	}
	t.Run(name, func(t *testing.T) {
		before := look(t)
		t.Cleanup(func() { before.compare(t) })
		r := b(t)
		if r == nil {
			t.Fatal("the backend made no runner")
		}
		check(t, guarded{r, t})
	})
}

// guarded is a runner whose panics fail the test that runs it.
type guarded struct {
	tool.Runner
	t *testing.T
}

func (g guarded) Run(ctx context.Context, in tool.Input) (out tool.Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.t.Errorf("a run with the arguments %v panicked: %v", in.Args, p)
			err = tool.Errorf(tool.Internal, "the runner panicked")
		}
	}()
	return g.Runner.Run(ctx, in)
}

// Input is the input of a run with one argument "text", under the suite's
// limits.
func Input(text string) tool.Input {
	return tool.Input{
		Args: map[string]any{"text": text},
		Call: &tool.Call{ID: "call", Tool: "subject"},
		Spec: &tool.Spec{Name: "subject", Timeout: tool.DefaultTimeout, MaxOutput: MaxOutput},
	}
}

func answers(t *testing.T, r tool.Runner) {
	for _, text := range []string{"plain", "ünïcode ✓", "two\nlines", `{"not": "parsed"}`, "spaces  inside", "100% & more?"} {
		out, err := r.Run(t.Context(), Input(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := out.Text(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func concurrent(t *testing.T, r tool.Runner) {
	each(func(caller, round int) {
		want := fmt.Sprintf("%d.%d %s", caller, round, strings.Repeat("x", caller*round))
		if out, err := r.Run(t.Context(), Input(want)); err != nil || out.Text() != want {
			t.Errorf("got %q, %v, want %q", out.Text(), err, want)
		}
	})
}

// impatient has every other caller give up at some time or other: it is told
// so, or had its own answer already, and nobody else notices.
func impatient(t *testing.T, r tool.Runner) {
	each(func(caller, round int) {
		want := fmt.Sprintf("%d.%d", caller, round)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		givesUp := caller%2 == 1
		if givesUp {
			time.AfterFunc(time.Duration(caller*round)*100*time.Microsecond, cancel)
		}
		out, err := r.Run(ctx, Input(want))
		switch {
		case err != nil && givesUp:
			wantCode(t, err, tool.Cancelled)
		case err != nil || out.Text() != want:
			t.Errorf("got %q, %v, want %q", out.Text(), err, want)
		}
	})
}

// each runs a function for every round of every caller, the callers at once.
func each(f func(caller, round int)) {
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for round := range rounds {
				f(caller, round)
			}
		})
	}
	all.Wait()
}

// untouched compares the input of a run with one that was made the same way.
func untouched(t *testing.T, r tool.Runner) {
	for i, got := range inputs() {
		want := inputs()[i]
		_, _ = r.Run(t.Context(), got) // whether it takes these arguments is another matter
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the run changed its input: got %+v, want %+v", got.Args, want.Args)
		}
	}
}

// odd runs arguments that schemas do not always keep out.
func odd(t *testing.T, r tool.Runner) {
	for _, in := range inputs() {
		_, err := r.Run(t.Context(), in)
		if err == nil {
			continue
		}
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code == tool.Internal || e.Message == "" {
			t.Errorf("the arguments %v: got %v, want an answer or an *Error that is no fault of the gateway", in.Args, err)
		}
	}
}

func (s Subject) stops(t *testing.T, r tool.Runner) {
	began := time.Now()
	_, err := r.Run(t.Context(), Input("x"))
	wantCode(t, err, tool.TooLarge)
	if took := time.Since(began); took > patience {
		t.Errorf("took %v to stop at the cap", took)
	}
	if s.Sent == nil {
		return
	}
	if sent := s.Sent(); sent > MaxOutput+s.Slack {
		t.Errorf("took %d bytes from its backend with a cap of %d", sent, MaxOutput)
	}
}

func (s Subject) fails(t *testing.T, r tool.Runner) {
	_, err := r.Run(t.Context(), Input("x"))
	wantCode(t, err, s.BrokenCode)
}

// wantCode checks that a run failed as it should: by an *Error of the code,
// with a sentence for the model.
func wantCode(t *testing.T, err error, want tool.Code) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		t.Errorf("got error %v, want an *Error with code %s", err, want)
	case e.Code != want:
		t.Errorf("got %v, want code %s", e, want)
	case e.Message == "":
		t.Errorf("code %s comes without a sentence for the model", want)
	}
}
