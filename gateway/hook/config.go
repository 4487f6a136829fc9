// Package hook runs what a configuration puts around calls: arguments that the
// server owns, steps before a call that rewrite or refuse it, and steps after
// it that rewrite its result.
package hook

import (
	"time"

	"github.com/toolgate/toolgate/gateway/expression"
)

// Config is the "hooks" section.
type Config struct {
	Before []BeforeConfig `koanf:"before"` // in this order, on the arguments
	After  []AfterConfig  `koanf:"after"`  // in this order, on the result
}

// BeforeConfig is one step before a call. All matchers that are given must
// hold; within one of them, one entry is enough. Exactly one of Set, Refuse and
// HTTP is set.
type BeforeConfig struct {
	Name    string            `koanf:"name"`
	Enabled *bool             `koanf:"enabled"` // true when absent
	Tools   []string          `koanf:"tools"`   // globs on the full name
	Tags    []string          `koanf:"tags"`
	When    *string           `koanf:"when"`
	Set     map[string]string `koanf:"set"`    // args.a.b: expression
	Refuse  *string           `koanf:"refuse"` // the sentence for the model, literal
	HTTP    *WebhookConfig    `koanf:"http"`
	OnError string            `koanf:"on_error"` // deny or skip; deny when empty
}

// AfterConfig is one step after a call whose tool ran. Exactly one of Result,
// Append, Refuse and HTTP is set. Refuse and HTTP are for calls that failed
// too; Result and Append only where the hook names result.is_error.
type AfterConfig struct {
	Name    string         `koanf:"name"`
	Enabled *bool          `koanf:"enabled"` // true when absent
	Tools   []string       `koanf:"tools"`   // globs on the full name
	Tags    []string       `koanf:"tags"`
	When    *string        `koanf:"when"`
	Result  *string        `koanf:"result"` // expression: the new value
	Append  *string        `koanf:"append"` // expression: text put behind the result
	Refuse  *string        `koanf:"refuse"` // the sentence for the model, literal
	HTTP    *WebhookConfig `koanf:"http"`
	OnError string         `koanf:"on_error"` // deny or skip; deny when empty
}

// WebhookConfig is an HTTP service that is asked about a call. Its texts are
// templates.
type WebhookConfig struct {
	URL     string                      `koanf:"url"`
	Headers map[string]expression.Texts `koanf:"headers"`
	Timeout time.Duration               `koanf:"timeout"` // DefaultWebhookTimeout when absent
}

// InjectConfig sets arguments that the server owns on the tools it names.
type InjectConfig struct {
	Tools []string          `koanf:"tools"` // globs on the full name
	Set   map[string]string `koanf:"set"`   // name of a property: expression
}
