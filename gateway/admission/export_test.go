package admission

// Keys is how many exclusive keys the gate knows of.
func (g *Gate) Keys() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.keys)
}
