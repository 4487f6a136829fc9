package assembly

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/access"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// adviseCallers warns of rules for callers that there are not. Where no callers
// are configured, nobody can tell.
func (b *builder) adviseCallers() {
	configured := b.cfg.Server.Callers
	if len(configured) == 0 || b.cfg.Policy == nil {
		return
	}
	known := slices.Concat(slices.Sorted(maps.Keys(configured)), access.OwnNames())
	for i := range b.cfg.Policy.Rules {
		at := b.at("policy", "rules", strconv.Itoa(i), "callers")
		for j, text := range b.cfg.Policy.Rules[i].Callers {
			glob, err := tool.ParseGlob(text)
			if err == nil && !slices.ContainsFunc(known, glob.Match) {
				at.Index(j).As(diag.UnknownCaller).Warnf(diag.DidYouMean(text, known), "%q fits none of the callers", text)
			}
		}
	}
}
