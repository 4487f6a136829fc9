package assembly

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/notify"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// checkApprovals reports what the "approvals" section cannot mean.
func (b *builder) checkApprovals() {
	if b.cfg.Approvals.Expires > approval.MaxExpires {
		b.at("approvals", "expires").Hintf("write 30m for example", "a person has 30 days at most to answer")
	}
}

// webhooks are those that are told of approvals, by the rule that asks; empty for
// the one of all other rules.
type webhooks map[string]*notify.Plan

// eachWebhook gives every webhook that is told of approvals: where it stands, of
// which rule it is, empty for the one of all, and its texts.
func (b *builder) eachWebhook(f func(at diag.Cursor, rule, url, key string)) {
	if w := b.cfg.Approvals.Webhook; w != nil {
		f(b.at("approvals", "webhook"), "", w.URL, w.Secret)
	}
	if b.cfg.Policy == nil || b.moved(len(b.cfg.Policy.Rules), "policy", "rules") {
		return
	}
	for i := range b.cfg.Policy.Rules {
		if r := &b.cfg.Policy.Rules[i]; r.Notify != nil {
			f(b.at("policy", "rules", strconv.Itoa(i), "notify"), cmp.Or(r.Name, r.Preset), r.Notify.URL, r.Notify.Secret)
		}
	}
}

// webhooks compiles them.
func (b *builder) webhooks() webhooks {
	all := webhooks{}
	b.eachWebhook(func(at diag.Cursor, rule, url, key string) {
		if p := notify.Compile(at, url, key, b.secretNames, b.client); p != nil {
			all[rule] = p
		}
	})
	return all
}

// resolve reads their secrets.
func (w webhooks) resolve(values map[string]secret.Value) *notify.Book {
	book := &notify.Book{Rules: map[string]*notify.Target{}}
	for rule, p := range w {
		if rule == "" {
			book.Other = p.Resolve(values)
		} else {
			book.Rules[rule] = p.Resolve(values)
		}
	}
	return book
}

// adviseApprovers warns, at the first rule that asks, where there are tokens and none
// of them lets its caller approve. Where there are no tokens, people answer with the
// command line, as everybody knows.
func (b *builder) adviseApprovers(engine *policy.Engine, registered []*candidate) {
	access := b.cfg.Server.Access()
	if b.cfg.Policy == nil || engine == nil || !access.HasTokens() || b.someoneMay(tool.MayApprove) {
		return
	}
	if !slices.ContainsFunc(registered, func(c *candidate) bool { return engine.Asks(c.entry.Spec) }) {
		return
	}
	for i := range b.cfg.Policy.Rules {
		r := &b.cfg.Policy.Rules[i]
		asks := r.Action == string(policy.Ask) || strings.HasPrefix(r.Preset, "ask_")
		if asks && (r.Enabled == nil || *r.Enabled) && r.ApproveBy != policy.ByClient {
			b.at("policy", "rules", strconv.Itoa(i)).As(diag.NobodyApproves).Warnf("give a caller may: [approve], or set server.admin_token",
				"no caller may approve, so this is answered with gateway approvals on this machine only")
			return
		}
	}
}

// someoneMay reports whether a token lets its caller do that.
func (b *builder) someoneMay(right tool.Right) bool {
	if b.cfg.Server.AdminToken != "" {
		return true
	}
	for _, c := range b.cfg.Server.Callers {
		if slices.Contains(c.May, right) || slices.Contains(c.May, tool.MayAdmin) {
			return true
		}
	}
	return false
}
