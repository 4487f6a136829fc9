package assembly

import "github.com/toolgate/toolgate/gateway/approval"

// checkApprovals reports what the "approvals" section cannot mean.
func (b *builder) checkApprovals() {
	at := b.at("approvals", "expires")
	if e := b.cfg.Approvals.Expires; e < 0 || e > approval.MaxExpires || e == 0 && at.Present() {
		at.Hintf("write 30m for example", "a person has more than no time to answer, and 30 days at most")
	}
}
