package gateway

import "github.com/toolgate/toolgate/gateway/tool"

// ToolNames are the names of all tools that there are now but the gateway's own, hidden
// ones too, in list order.
func (g *Gateway) ToolNames() []string {
	gen, release := g.hold()
	defer release()
	var names []string
	for _, e := range gen.Tools.All() {
		if e.Spec.Source != tool.SourceBuiltin {
			names = append(names, e.Spec.Name)
		}
	}
	return names
}
