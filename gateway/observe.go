package gateway

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Observer is told of calls. Its methods are called while the call waits, many
// at a time, so they must neither wait nor do much. A panic in one is logged, and
// changes nothing of the call.
type Observer interface {
	// Began is told of a call whose tool is about to run.
	Began(n *tool.Notice)
	// Ended is told of every call, once, when its record is written.
	Ended(n *tool.Notice)
}

// Watch tells one more observer of the calls to come, until stop is called.
// Calls that are under way then may still be told of. One that is nil is told nothing.
func (g *Gateway) Watch(o Observer) (stop func()) {
	if o == nil {
		return func() {}
	}
	entry := &o
	g.observing.Lock()
	defer g.observing.Unlock()
	g.setObservers(append(slices.Clone(g.watching()), entry))
	return func() {
		g.observing.Lock()
		defer g.observing.Unlock()
		g.setObservers(slices.DeleteFunc(slices.Clone(g.watching()), func(e *Observer) bool { return e == entry }))
	}
}

func (g *Gateway) setObservers(all []*Observer) { g.observers.Store(&all) }

// watching are those who are told now.
func (g *Gateway) watching() []*Observer {
	if all := g.observers.Load(); all != nil {
		return *all
	}
	return nil
}

// notify tells observers of the call as it stands. Without any it costs nothing.
func (p *passage) notify(result *tool.Result) {
	watching := p.gateway.watching()
	if len(watching) == 0 {
		return
	}
	_, known := p.generation.Tools.Lookup(p.call.Tool)
	m := p.generation.Masker
	own := struct { // the caller's result stays off the heap where nobody watches
		notice tool.Notice
		result tool.Result
	}{notice: tool.Notice{
		Call: &p.call, Request: p.requestID, Known: known, Shown: p.shownName(),
		Caller: m.Text(p.call.Caller.Name), Chat: m.Text(p.call.Chat.ID),
		Decision: string(p.decision.Effect), Rule: p.decision.Rule,
	}}
	n := &own.notice
	if result != nil {
		own.result = *result
		n.Result = &own.result
	}
	for _, o := range watching {
		p.tell(*o, n)
	}
}

// tell tells one observer, whose panic is its own affair: by then the call is decided,
// or over.
func (p *passage) tell(o Observer, n *tool.Notice) {
	defer func() {
		if r := recover(); r != nil {
			p.gateway.logger.Error("an observer of calls panicked", "call", p.call.ID,
				"problem", p.generation.Masker.Text(fmt.Sprintf("panic: %v\n%s", r, debug.Stack())))
		}
	}()
	if n.Result == nil {
		o.Began(n)
		return
	}
	o.Ended(n)
}
