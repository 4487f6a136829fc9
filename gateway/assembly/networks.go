package assembly

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
)

// adviseNetworks warns of entries that open everything, and of those that open
// nothing.
func (b *builder) adviseNetworks() {
	adviseRanges(b.at("networks", "allow"), b.cfg.Networks.Allow)
	for _, name := range slices.Sorted(maps.Keys(b.cfg.Upstreams)) {
		if own := b.cfg.Upstreams[name].Networks; own != nil {
			adviseRanges(b.at("upstreams", name, "networks", "allow"), own.Allow)
		}
	}
}

func adviseRanges(at diag.Cursor, ranges []netip.Prefix) {
	for i, r := range ranges {
		switch {
		case r.Bits() == 0:
			at.Index(i).As(diag.OpenNetwork).Warnf("name the ranges that tools are meant to reach", "%s lets tools reach every private address, this machine's own included", r)
		case r.IsSingleIP() && httptool.IsMetadata(r.Addr()):
			at.Index(i).As(diag.UselessSetting).Warnf("remove it", "%s is a cloud metadata service, which stays closed to tools whatever is allowed", r.Addr())
		}
	}
}
