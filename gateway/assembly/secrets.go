package assembly

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/policy"
)

// resolve reads the values of the declared secrets into b.values. A value that
// cannot be read is an error only where something that is registered uses it;
// the others are read too, so that they can be masked.
func (b *builder) resolve(needed map[string]bool) {
	for _, name := range b.secretNames {
		value, err := b.cfg.Secrets[name].Resolve()
		switch {
		case err == nil:
			b.values[name] = value
		case needed[name]:
			b.at("secrets", name).Errorf("%v", err)
		}
	}
}

// revealed are the values that have to be masked, in the order of their names.
func (b *builder) revealed() []secret.Value {
	values := make([]secret.Value, 0, len(b.values))
	for _, name := range b.secretNames {
		if v, ok := b.values[name]; ok {
			values = append(values, v)
		}
	}
	return values
}

// neededSecrets are the names of the secrets that the tools use, and the hooks
// that reach one of them, and, where that is asked for, the callers' tokens and the
// webhooks that are told of approvals.
func (b *builder) neededSecrets(tools []*candidate, tokens, webhooks bool) map[string]bool {
	use := secretUse{all: b.secretNames, needed: map[string]bool{}}
	if len(use.all) == 0 {
		return use.needed
	}
	if tokens {
		use.block(b.cfg.Server)
	}
	if webhooks {
		b.eachWebhook(func(_ diag.Cursor, _, url, key string) {
			use.text(url)
			use.text(key)
		})
	}
	sources := map[*imported]bool{}
	for _, c := range tools {
		if c.source != nil {
			sources[c.source] = true
			continue
		}
		use.tool(c.config)
		if http := c.config.HTTP; http != nil && http.Upstream != "" {
			use.block(b.cfg.Upstreams[http.Upstream])
		}
	}
	for s := range sources {
		use.block(s.config.OpenAPI)
		if name := s.config.OpenAPI.Upstream; name != "" {
			use.block(b.cfg.Upstreams[name])
		}
	}
	for _, h := range b.cfg.Hooks.Before {
		if h.HTTP != nil && (h.Enabled == nil || *h.Enabled) && reachesOne(h.Tools, h.Tags, tools) {
			use.block(h.HTTP)
		}
	}
	for _, h := range b.cfg.Hooks.After {
		if h.HTTP != nil && (h.Enabled == nil || *h.Enabled) && reachesOne(h.Tools, h.Tags, tools) {
			use.block(h.HTTP)
		}
	}
	return use.needed
}

// reachesOne reports whether a hook is about one of the tools. Its patterns
// have been found right before.
func reachesOne(names, tags []string, tools []*candidate) bool {
	about, ok := policy.CompileMatcher(diag.NewCursor(&diag.Report{}, nil), names, tags, nil)
	return !ok || slices.ContainsFunc(tools, func(c *candidate) bool { return about.Reaches(c.entry.Spec) })
}

// secretUse finds the secrets that texts use. It reads the texts themselves,
// and where it cannot tell which secret is meant takes all of them: a value too
// many is asked for, never one too few.
type secretUse struct {
	all    []string
	needed map[string]bool
}

// secretPath is the variable secret with, where it can be told, the field that
// follows it.
var secretPath = regexp.MustCompile(`(?:^|[^.\w"'])secret\b(?:\s*\??\.\s*([A-Za-z_]\w*)|\s*(?:\?\.)?\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])?`)

func (u *secretUse) tool(t *config.Tool) {
	if t.HTTP != nil {
		u.block(t.HTTP)
	}
	if t.Command != nil {
		u.block(t.Command)
	}
}

// block takes every text of a block of the configuration.
func (u *secretUse) block(block any) {
	data, err := json.Marshal(block)
	if err != nil || !bytes.Contains(data, []byte("secret")) {
		return // what came out of a file always encodes
	}
	var v any
	if err := json.Unmarshal(data, &v); err == nil {
		u.value(v)
	}
}

func (u *secretUse) value(v any) {
	switch v := v.(type) {
	case string:
		u.text(v)
	case []any:
		for _, item := range v {
			u.value(item)
		}
	case map[string]any:
		for _, member := range v {
			u.value(member)
		}
	}
}

// text takes what lies between the first ${ and the last } of a template.
func (u *secretUse) text(text string) {
	from, to := strings.Index(text, "${"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return
	}
	for _, m := range secretPath.FindAllStringSubmatch(text[from+len("${"):to], -1) {
		name := m[1] + m[2] + m[3]
		if name != "" {
			u.needed[name] = true
			continue
		}
		for _, name := range u.all {
			u.needed[name] = true
		}
	}
}
