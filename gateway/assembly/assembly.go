// Package assembly makes a generation of a configuration: it is the one place
// that knows every kind of tool.
package assembly

import (
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/policy"
)

// Secrets says what is done about the values of secrets.
type Secrets int

const (
	// Declared takes the names of secrets only: enough to check a
	// configuration and to list its tools, not to run one.
	Declared Secrets = iota
	// Resolved reads the values from where the configuration says.
	Resolved
)

// Assembly is what a configuration makes: a generation, and what is open for
// it until Close.
type Assembly struct {
	// Generation is nil when the configuration has an error.
	Generation *gateway.Generation

	client *httptool.Client
}

// Close gives up idle connections.
func (a *Assembly) Close() error { return a.client.Close() }

// Build compiles every part of a configuration and reports every mistake on
// it, so that cfg.Problems then holds all there are. It opens no connection
// and starts no process.
func Build(cfg *config.Config, secrets Secrets) *Assembly {
	a := &Assembly{client: httptool.NewClient(cfg.Networks.Allow)}
	b := builder{cfg: cfg, client: a.client}
	b.secrets(secrets)
	entries := b.tools()
	engine := b.policy()
	if cfg.Problems().Err() != nil {
		return a
	}
	tools, err := registry.New(entries)
	if err != nil {
		b.at("tools").Errorf("%v", err)
		return a
	}
	b.advise(tools, engine)
	a.Generation = &gateway.Generation{Tools: tools, Policy: engine, Masker: b.masker}
	return a
}

// builder carries what the parts of a configuration share while it is built.
type builder struct {
	cfg         *config.Config
	client      *httptool.Client
	masker      *secret.Masker          // of the values
	secretNames []string                // sorted
	values      map[string]secret.Value // nil unless resolved
}

func (b *builder) at(path ...string) diag.Cursor {
	at := b.cfg.At()
	for _, key := range path {
		at = at.Key(key)
	}
	return at
}

// policy compiles the rules; nil, which allows every call, without a policy
// section.
func (b *builder) policy() *policy.Engine {
	if b.cfg.Policy == nil || b.cfg.Broken("policy") {
		return nil
	}
	return policy.Compile(b.at("policy"), b.cfg.Policy)
}
