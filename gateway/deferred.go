package gateway

import (
	"context"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// AllTools returns what [Gateway.Tools] does in a chat that has found nothing, and
// behind that every deferred tool that could be found in the chat of the view, in
// list order. So what a chat finds changes nothing of it. The specs are shared: do
// not change them.
func (g *Gateway) AllTools(_ context.Context, view tool.View) []*tool.Spec {
	gen, release := g.hold()
	defer release()
	sight := gen.sight(g.looked(view))
	return slices.Concat(sight.listed, sight.field.deferred)
}
