package admission

// ask starts the call at once where it can, else puts it at the end of the
// line. Whoever stands in the line could not start, so nobody is overtaken
// who waits for the same thing.
func (g *Gate) ask(t *ticket) (waits bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.key = g.keys[t.name]
	if t.canStart() {
		g.claim(t)
		g.take(t)
		return false, nil
	}
	if g.line.Len() >= g.limits.Waiting {
		return false, full(g.limits.Waiting)
	}
	if t.key != nil && t.key.waiting >= g.limits.WaitingPerKey {
		return false, fullKey(g.limits.WaitingPerKey)
	}
	g.claim(t)
	g.stand(t)
	return true, nil
}

// canStart reports whether all is free that the call needs.
func (t *ticket) canStart() bool {
	return (t.key == nil || !t.key.held) && (!t.place || t.gate.running < t.gate.limits.Running)
}

// claim makes the key that a call asks for known.
func (g *Gate) claim(t *ticket) {
	if t.name != "" && t.key == nil {
		t.key = &key{}
		g.keys[t.name] = t.key
	}
}

// take gives the call what it needs.
func (g *Gate) take(t *ticket) {
	if t.place {
		g.running++
	}
	if t.key != nil {
		t.key.held = true
	}
}

// stand puts the call at the end of the line.
func (g *Gate) stand(t *ticket) {
	t.start = make(chan struct{})
	t.spot = g.line.PushBack(t)
	if t.key != nil {
		t.key.waiting++
	}
	if !t.place {
		g.nested++
	}
}

// step takes the call out of the line.
func (g *Gate) step(t *ticket) {
	g.line.Remove(t.spot)
	t.spot = nil
	if t.key != nil {
		t.key.waiting--
	}
	if !t.place {
		g.nested--
	}
}

// withdraw takes a call that gives up out of the line. It reports false when
// the call is no longer there: it was started meanwhile, or gave up before. A
// call in the line holds nothing, so nobody can start because it is gone.
func (g *Gate) withdraw(t *ticket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.spot == nil {
		return false
	}
	g.step(t)
	g.tidy(t)
	return true
}

// tidy forgets the key of a call when nobody holds or wants it any more.
func (g *Gate) tidy(t *ticket) {
	if t.key != nil && !t.key.held && t.key.waiting == 0 {
		delete(g.keys, t.name)
	}
}

// advance starts, in the order they came, all that can start now. Without a
// free place only nested calls can.
func (g *Gate) advance() {
	for e := g.line.Front(); e != nil && (g.nested > 0 || g.running < g.limits.Running); {
		t, _ := e.Value.(*ticket)
		e = e.Next()
		if t.canStart() {
			g.step(t)
			g.take(t)
			close(t.start)
		}
	}
}
