package policy

// Config is the "policy" section of a configuration.
type Config struct {
	Default string       `koanf:"default"` // what happens where no rule matches: allow, deny or ask; deny when empty
	Rules   []RuleConfig `koanf:"rules"`
}

// RuleConfig is one rule. All matchers that are given must hold; within one of
// them, one entry is enough. When is an expression that must hold too; Reason
// is a template.
type RuleConfig struct {
	Name    string   `koanf:"name"`
	Enabled *bool    `koanf:"enabled"` // true when absent
	Tools   []string `koanf:"tools"`   // globs on the full name
	Tags    []string `koanf:"tags"`
	Callers []string `koanf:"callers"` // globs on the caller's name
	When    *string  `koanf:"when"`
	Action  string   `koanf:"action"` // allow, deny or ask
	Reason  string   `koanf:"reason"`
}
