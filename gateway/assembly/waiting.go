package assembly

import (
	"context"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// probeTimeout is how long an address that a tool requires may take to
	// answer.
	probeTimeout = 3 * time.Second
	// maxProbes is how many things that tools require are looked for at once.
	maxProbes = 16
	// lookAgain is how long what was found out at a call is believed.
	lookAgain = 10 * time.Second
)

// guarded is the runner of a tool whose needs are looked at when it is called.
type guarded struct {
	tool.Runner
	needs []*watched
}

// Run looks for what the tool needs, as far as that was not done a moment ago,
// and runs it when all is there.
func (g *guarded) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	for _, w := range g.needs {
		l, err := w.lack(ctx)
		if err != nil {
			return tool.Output{}, err
		}
		if l != nil {
			return tool.Output{}, unmet(&in, l)
		}
	}
	return g.Runner.Run(ctx, in)
}

// watched is one need and what was last found out about it. One for all tools
// that have the need.
type watched struct {
	need         need
	surroundings *surroundings
	turn         chan struct{} // holds one token, which guards what follows
	seen         time.Time
	found        *lack
}

func newWatched(n need, s *surroundings) *watched {
	return &watched{need: n, surroundings: s, turn: make(chan struct{}, 1)}
}

// lack returns what is missing, or nil. Of several callers one looks, and the
// others wait for it no longer than their contexts last. What a caller that
// gave up saw is not kept.
func (w *watched) lack(ctx context.Context) (*lack, error) {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return nil, tool.Ended(ctx)
	}
	if !w.seen.IsZero() && time.Since(w.seen) < lookAgain {
		return w.found, nil
	}
	err := w.surroundings.look(ctx, w.need)
	if ctx.Err() != nil {
		return nil, tool.Ended(ctx)
	}
	w.seen, w.found = time.Now(), nil
	if err != nil {
		w.found = &lack{w.need, err}
	}
	return w.found, nil
}
