package reload

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/tool"
)

// errClosed is why no tool comes in and nothing is read any more.
var errClosed = errors.New("the gateway is closed")

// Register serves tools of the program beside those of the configuration, until undo
// is called. All come in or none does: the error is [diag.Problems] where one of them
// has a mistake, or does not go together with what is served, and the context's cause
// where its turn has not come before the context is over.
//
// Nothing of the configuration is read again for that. A later reload has the tools
// too, and fails where its files name another one so, or read arguments of them that
// they do not have.
//
// Undo takes out these tools and returns when they are: they are in no list any more,
// and no call of them begins. Calls under way finish. It may be called from everywhere
// but the functions of [Options], and again. Like Register, it waits while a
// configuration is being read.
//
// The program keeps the tools, and may change them afterwards: what is served is a
// copy.
func (r *Reloader) Register(ctx context.Context, tools ...*tool.Tool) (undo func(), err error) {
	own := make([]*tool.Tool, len(tools))
	for i, t := range tools {
		if t != nil {
			c := *t
			own[i] = &c
		}
	}
	if err := r.change(ctx, assembly.Change{In: own}); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() {
		_ = r.change(context.Background(), assembly.Change{Out: own}) // when the gateway is closed, they are out
	}), nil
}

// wish is a change that waits to be made.
type wish struct {
	change assembly.Change
	done   chan struct{} // closed when it is made, or err is set
	err    error
}

// change makes a change when its turn comes, together with all others that wait by
// then.
func (r *Reloader) change(ctx context.Context, c assembly.Change) error {
	if len(c.In)+len(c.Out) == 0 {
		return nil
	}
	w := &wish{change: c, done: make(chan struct{})}
	r.mu.Lock()
	r.wishes = append(r.wishes, w)
	r.mu.Unlock()
	select {
	case <-w.done: // by somebody else
	case r.turn <- struct{}{}:
		r.grant()
		<-r.turn
	case <-r.closed:
		return errClosed
	case <-ctx.Done():
		if r.withdraw(w) {
			return context.Cause(ctx)
		}
		<-w.done // it is being made
	}
	return w.err
}

// withdraw reports whether nobody has begun to make the change; then nobody will.
func (r *Reloader) withdraw(w *wish) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.wishes)
	r.wishes = slices.DeleteFunc(r.wishes, func(other *wish) bool { return other == w })
	return len(r.wishes) < before
}

// grant makes all changes that wait. It is for whoever has the turn.
func (r *Reloader) grant() {
	r.mu.Lock()
	wishes := r.wishes
	r.wishes = nil
	r.mu.Unlock()
	if len(wishes) == 0 {
		return
	}
	changes := make([]assembly.Change, len(wishes))
	for i, w := range wishes {
		changes[i] = w.change
	}
	before := listOf(r.served)
	next, errs := r.served.Assembly.Change(changes...)
	if next != nil {
		changed := listDiffers(before, listOf(r.served))
		r.serve(next)
		if changed && r.opts.ListChanged != nil {
			r.opts.ListChanged()
		}
	}
	for i, w := range wishes {
		w.err = errs[i]
		r.logChange(&w.change, w.err)
		close(w.done)
	}
}

// logChange writes the line of a change that was made. Why one was not is told to
// whoever asked for it.
func (r *Reloader) logChange(c *assembly.Change, err error) {
	if err != nil {
		return
	}
	if len(c.In) > 0 {
		r.logger.Info("the program has registered tools", "tools", namesOf(c.In))
	}
	if len(c.Out) > 0 {
		r.logger.Info("the program has taken tools out", "tools", namesOf(c.Out))
	}
}

func namesOf(tools []*tool.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Spec.Name
	}
	return strings.Join(names, " ")
}
