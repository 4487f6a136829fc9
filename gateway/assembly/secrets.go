package assembly

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/secret"
)

// secrets names the declared secrets and, when asked to, reads their values.
func (b *builder) secrets(mode Secrets) {
	b.secretNames = slices.Sorted(maps.Keys(b.cfg.Secrets))
	if mode != Resolved {
		return
	}
	b.values = make(map[string]secret.Value, len(b.secretNames))
	for _, name := range b.secretNames {
		if b.cfg.Broken("secrets", name) {
			continue
		}
		value, err := b.cfg.Secrets[name].Resolve()
		if err != nil {
			b.at("secrets", name).Errorf("%v", err)
			continue
		}
		b.values[name] = value
	}
	b.masker = secret.NewMasker(slices.Collect(maps.Values(b.values))...)
}
