package gateway

import "context"

// AsksClient reports whether the user of the program that calls may be asked about
// calls of the tool of that name. A door uses it to choose how it answers, never to
// decide what runs.
func (g *Gateway) AsksClient(_ context.Context, name string) bool {
	if g.approvals == nil {
		return false
	}
	gen, release := g.hold()
	defer release()
	entry, ok := gen.Tools.Lookup(name)
	return ok && gen.Policy.AsksClient(entry.Spec)
}
